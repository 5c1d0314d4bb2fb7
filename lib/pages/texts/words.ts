import { ownMember } from '../../kernel/objects.js'
import {
  directionOf,
  ENGLISH,
  fillText,
  loadLanguage,
  pageText,
  type TextKey,
  type Texts,
  type TextValues,
  tagFor,
  type Wording,
} from './text.js'

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
  return translationOf(tag, { ...ENGLISH, ...(await loadLanguage(tag)), ...ownMember(texts, tag) }, escapeHtml)
}

function translationOf(language: string, texts: Texts, escapeHtml: (text: string) => string): Translation {
  const direction = directionOf(language)
  // A value may be written in the other direction than the text around it: it is isolated (Unicode UAX #9).
  const written = writtenIn(language)
  const isolate = (value: TextValues[string]) =>
    direction === 'rtl' ? `\u2068${written(value)}\u2069` : written(value)
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
            (value) => `<strong><bdi>${escapeHtml(written(value))}</bdi></strong>`,
          ),
  }
}

const writtenIn = (language: string) => (value: TextValues[string]) =>
  typeof value === 'string' ? value : inWords(value.seconds, language)

/** The texts in English, for answers that are no pages. */
export const inEnglish = (wording: Wording): string =>
  typeof wording === 'string' ? wording : fillText(ENGLISH[wording.key], wording.values ?? {}, writtenIn('en'))

/** What templates write texts with. */
export interface Words extends Pick<Translation, 'language' | 'direction'> {
  /** Name or host of the application, in every text `{site}`. */
  readonly site: string
  /** A text of a view, without markup. */
  show(wording: Wording): string
  /** The text of a key, without markup. */
  say(key: TextKey, values?: TextValues): string
  /** What stands before and after the placeholder in the text of a key. */
  around(key: TextKey, placeholder: string): readonly [before: string, after: string]
  /** The text of a key as HTML, in which values stand out. A template must not escape it again. */
  mark(key: TextKey, values?: TextValues): string
}

/** @param site name or host of the application; null if neither is known */
export function wordsFor(translation: Translation, site: string | null): Words {
  const { language, direction, say, mark } = translation
  const named = site ?? say(pageText('site.unknown'))
  const withSite = (key: TextKey, values?: TextValues) => pageText(key, { site: named, ...values })
  return {
    language,
    direction,
    site: named,
    show: (wording) => (typeof wording === 'string' ? wording : say(withSite(wording.key, wording.values))),
    say: (key, values) => say(withSite(key, values)),
    around(key, placeholder) {
      const [before = '', after = ''] = say(pageText(key)).split(`{${placeholder}}`)
      return [before, after]
    },
    mark: (key, values) => mark(withSite(key, values)),
  }
}

const UNITS = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
] as const

/**
 * A lifetime in words, in the largest unit of which it has at least two. It is rounded down, so that no link expires
 * before the time that a mail or a page names.
 *
 * @param round `Math.ceil` for the time that somebody has to wait
 */
export function inWords(seconds: number, language: string, round = Math.floor): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= 2 * size) ?? ['second', 1]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(round(seconds / size))
}

/** Writes dates, and times with their zone: nobody knows where the reader is. */
export const dateFormat = (language: string, acceptLanguage: string | undefined) => {
  // Made at the first date: most pages have none.
  const formats: { [Style in 'date' | 'time']?: Intl.DateTimeFormat } = {}
  // With the digits of the numbers in texts, which are the same in every region.
  const of = { dateStyle: 'medium', timeZone: 'UTC', numberingSystem: 'latn' } as const
  return (date: Date, hasTime = false): string => {
    if (hasTime) {
      formats.time ??= new Intl.DateTimeFormat(tagFor(language, acceptLanguage), { ...of, timeStyle: 'short' })
      return `${formats.time.format(date)} UTC`
    }
    formats.date ??= new Intl.DateTimeFormat(tagFor(language, acceptLanguage), of)
    return formats.date.format(date)
  }
}

/** Columns of a line in plain text (RFC 5322 §2.1.1 recommends at most 78 characters). */
const LINE = 76

/** Characters that take two columns: Chinese, Japanese and Korean ones. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g

const columnsOf = (text: string): number => text.length + (text.match(WIDE)?.length ?? 0)

/**
 * A text in lines that every mail program shows as they are. Lines are broken between words, also in languages without
 * spaces.
 */
export function wrap(text: string, language: string): string {
  const lines: string[] = []
  let line = ''
  for (const piece of piecesOf(text, language)) {
    if (line !== '' && columnsOf((line + piece).trimEnd()) > LINE) {
      lines.push(line.trimEnd())
      line = piece.trimStart()
    } else line += piece
  }
  return [...lines, line.trimEnd()].join('\n')
}

/** The words of a text, each with what follows it up to the next word: no line begins with a comma or a full stop. */
function piecesOf(text: string, language: string): readonly string[] {
  const pieces: string[] = []
  for (const { segment, isWordLike } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) {
    const last = pieces.at(-1)
    const isNew = last === undefined || (isWordLike === true && (/\s$/.test(last) || WIDE_END.test(last)))
    if (isNew) pieces.push(segment)
    else pieces[pieces.length - 1] = last + segment
  }
  return pieces
}

const WIDE_END = new RegExp(`${WIDE.source}$`)
