import { directionOf, loadLanguage } from './languages.js'
import { ENGLISH, fillText, type TextKey, type Texts, type Wording } from './text.js'

/** Texts of the application in place of ours, by language tag and key. A language that the package does not have is added. */
export type ReplacedTexts = Readonly<Record<string, Readonly<Partial<Record<TextKey, string>>>>>

/** The texts in the language of one visitor. */
export interface Translation {
  /** BCP 47 language tag. */
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  /** The text without markup, for example for a title or an attribute. */
  say(wording: Wording): string
  /** The text as HTML: everything is escaped, and each value stands out and keeps its own direction. */
  mark(wording: Wording): string
}

/** Gives the texts in a language. Each language is loaded once. */
export type Translate = (language: string) => Promise<Translation>

/** @param escapeHtml makes a text safe for HTML */
export function createTranslate(texts: ReplacedTexts | undefined, escapeHtml: (text: string) => string): Translate {
  const known = new Map<string, Promise<Translation>>()
  return (language) => {
    const loading = known.get(language) ?? load(language, texts ?? {}, escapeHtml)
    known.set(language, loading)
    return loading
  }
}

async function load(tag: string, texts: ReplacedTexts, escapeHtml: (text: string) => string): Promise<Translation> {
  const own = Object.hasOwn(texts, tag) ? texts[tag] : {}
  return translationOf(tag, { ...ENGLISH, ...(await loadLanguage(tag)), ...own }, escapeHtml)
}

function translationOf(language: string, texts: Texts, escapeHtml: (text: string) => string): Translation {
  const direction = directionOf(language)
  // A value may be written in the other direction than the text around it: it is isolated (Unicode UAX #9).
  const isolate = direction === 'rtl' ? (value: string) => `\u2068${value}\u2069` : (value: string) => value
  return {
    language,
    direction,
    say: (wording) =>
      typeof wording === 'string' ? wording : fillText(texts[wording.key], wording.values ?? {}, isolate),
    mark: (wording) =>
      typeof wording === 'string'
        ? escapeHtml(wording)
        : fillText(
            escapeHtml(texts[wording.key]),
            wording.values ?? {},
            (value) => `<strong><bdi>${escapeHtml(value)}</bdi></strong>`,
          ),
  }
}

/** The texts in English, for answers that are no pages. */
export const inEnglish = (wording: Wording): string =>
  typeof wording === 'string' ? wording : fillText(ENGLISH[wording.key], wording.values ?? {}, (value) => value)
