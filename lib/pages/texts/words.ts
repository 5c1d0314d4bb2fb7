import { pageText, type TextKey, type TextValues, type Wording } from './text.js'
import type { Translation } from './translation.js'

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
