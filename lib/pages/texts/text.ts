import { createRecentCache } from '../../kernel/recent-cache.js'

import english from './en.json' with { type: 'json' }

/**
 * Every text of the built-in pages and mails, in English. The other languages have the same keys. The first word of a key
 * says for what it is: a page, the fields of forms, mails.
 *
 * A name in braces is replaced: `{site}` by the name of the application, or by its host if it has no name.
 */
// Copied, so that the declaration has the keys: TypeScript resolves JSON only where an application has turned that on.
export const ENGLISH = { ...english }

/** Key of a text of the built-in pages and mails. */
export type TextKey = keyof typeof ENGLISH

/** All texts in one language. */
export type Texts = Readonly<Record<TextKey, string>>

/** A text of the pages, by its key, with the values of its placeholders. The language is chosen when it is shown. */
export interface Text {
  readonly key: TextKey
  readonly values?: TextValues
}

/** Values of placeholders, by their names: `{ provider: 'GitHub' }` for `{provider}`. A duration, in seconds, is written in words. */
export type TextValues = Readonly<Record<string, string | { readonly seconds: number }>>

/** A text of the pages, or a text that the application gives, which is shown as it is. */
export type Wording = Text | string

/** A text with values for its placeholders. */
export const pageText = (key: TextKey, values?: TextValues): Text => (values ? { key, values } : { key })

const PLACEHOLDER = /\{([a-z]+)\}/gi

/** The names of the placeholders of a text. */
export const placeholdersOf = (pattern: string): readonly string[] =>
  Array.from(pattern.matchAll(PLACEHOLDER), ([, name = '']) => name)

/**
 * Replaces the placeholders of a text.
 *
 * @param show how a value is written; a placeholder without a value stays as it is
 */
export const fillText = (pattern: string, values: TextValues, show: (value: TextValues[string]) => string): string =>
  pattern.replace(PLACEHOLDER, (all, name: string) => (Object.hasOwn(values, name) ? show(values[name] ?? '') : all))

/** The languages of the built-in pages, as BCP 47 language tags, and how their texts are loaded. English is always there. */
const LANGUAGES = {
  en: async () => ({ default: ENGLISH }),
  // With the polite form.
  de: () => import('./de.json', { with: { type: 'json' } }),
  // With the polite form, and a no-break space before `:`, `;`, `?` and `!`.
  fr: () => import('./fr.json', { with: { type: 'json' } }),
  // With `tú`, as most sites write.
  es: () => import('./es.json', { with: { type: 'json' } }),
  // As it is written in Brazil, with words that are understood in Portugal too.
  pt: () => import('./pt.json', { with: { type: 'json' } }),
  // With `tu`, as most sites write.
  it: () => import('./it.json', { with: { type: 'json' } }),
  // With `je`, as most sites write.
  nl: () => import('./nl.json', { with: { type: 'json' } }),
  // Without the gender of the reader.
  pl: () => import('./pl.json', { with: { type: 'json' } }),
  // In the polite form.
  ja: () => import('./ja.json', { with: { type: 'json' } }),
  'zh-Hans': () => import('./zh-Hans.json', { with: { type: 'json' } }),
  // With nouns in place of commands where possible, since commands have a gender.
  ar: () => import('./ar.json', { with: { type: 'json' } }),
} as const satisfies Record<string, () => Promise<{ default: Texts }>>

/** Language tag of the texts that stand in for missing ones. */
const FALLBACK_LANGUAGE = 'en'

/** The tags of all languages that the package has. */
export const BUILT_IN_LANGUAGES: readonly string[] = Object.keys(LANGUAGES)

/** The texts of a language; null if the package does not have it. */
export const loadLanguage = async (tag: string): Promise<Texts | null> =>
  Object.hasOwn(LANGUAGES, tag) ? (await LANGUAGES[tag as keyof typeof LANGUAGES]()).default : null

/** Which languages an application offers, and which it adds with texts of its own. */
interface LanguageSettings {
  readonly languages?: readonly string[] | undefined
  readonly texts?: Readonly<Record<string, unknown>> | undefined
}

/** Headers that are kept with their language: browsers send few different ones. */
const KEPT_HEADERS = 500
const LONGEST_KEPT = 200

/** Makes the function that chooses a language by `Accept-Language`. */
export function createLanguageChoice({ languages, texts = {} }: LanguageSettings) {
  const offered = languages ?? [...new Set([...BUILT_IN_LANGUAGES, ...Object.keys(texts)])]
  const known = createRecentCache<string, string>(KEPT_HEADERS)
  return (header = ''): string => {
    const found = known.get(header) ?? chooseLanguage(header, offered)
    if (header.length <= LONGEST_KEPT) known.set(header, found)
    return found
  }
}

/** More ranges, and longer ones, are not read: a visitor can send a header of any length. */
const MAX_RANGES = 20
/** No language needs a longer tag (RFC 5646 §4.4.1). The time to read one grows with the square of its length. */
const MAX_RANGE_LENGTH = 35
/** Characters of a header that are read. */
const MAX_HEADER_LENGTH = 2000

/**
 * The first language that a visitor understands, of those that are offered: by the weights of `Accept-Language` (RFC 9110
 * §12.5.4), compared by language and script, so that `de-AT` gets `de` and `zh-TW` does not get `zh-Hans`.
 *
 * @param header `Accept-Language` as it came; an empty text for none
 * @param offered language tags; the first is for visitors who understand none of them
 */
export function chooseLanguage(header: string, offered: readonly string[]): string {
  const [first = FALLBACK_LANGUAGE] = offered
  if (offered.length < 2) return first
  for (const range of rangesOf(header)) {
    if (range === '*') return first
    const wanted = scriptOf(range)
    const found =
      wanted && (offered.find((tag) => tag.toLowerCase() === range) ?? offered.find((tag) => scriptOf(tag) === wanted))
    if (found) return found
  }
  return first
}

/** The language ranges of a header, best first. */
function rangesOf(header: string): readonly string[] {
  return header
    .slice(0, MAX_HEADER_LENGTH)
    .split(',', MAX_RANGES)
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return { range, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
    })
    .filter(({ range, weight }) => range !== '' && range.length <= MAX_RANGE_LENGTH && weight > 0 && weight <= 1)
    .sort((a, b) => b.weight - a.weight)
    .map(({ range }) => range)
}

/** Language and script of a tag, such as `de-Latn`; null for a text that is no tag. */
export function scriptOf(tag: string): string | null {
  try {
    const { language, script } = new Intl.Locale(tag).maximize()
    return `${language}-${script}`
  } catch {
    return null
  }
}

/** How a visitor writes the language of a page, with their region: `en-gb` for `en`, where dates begin with the day. */
export const tagFor = (language: string, header = ''): string =>
  rangesOf(header).find((range) => scriptOf(range) === scriptOf(language)) ?? language

/** The name of a language, in that language. */
export function nameOfLanguage(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
}

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm'])

/** The direction in which a language is written, for the attribute `dir`. */
export const directionOf = (tag: string): 'ltr' | 'rtl' =>
  RIGHT_TO_LEFT.has(scriptOf(tag)?.split('-')[1] ?? '') ? 'rtl' : 'ltr'
