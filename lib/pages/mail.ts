import { loadOnce } from '../kernel/awaitable.js'
import type { MailMessage } from '../providers/provider.js'
import { loadTemplates } from './loaded-assets.js'
import type { PageSettings } from './renderer.js'
import { createLanguageChoice } from './texts/text.js'
import { createTranslate, dateFormat, type Words, wordsFor, wrap } from './texts/words.js'
import { resolveTheme } from './theme.js'

/** What every mail needs. */
export interface MailInput {
  /** The host of the application. It comes from the configuration or a trusted origin, never from a header. */
  readonly host: string
  /** The header of the request that caused the mail; undefined for none. */
  readonly acceptLanguage?: string | undefined
}

/** What a template of a mail shows, beside the texts that it names itself. */
type MailTexts = Readonly<Record<string, string>> & { readonly subject: string }

/** What mails write texts with, and dates as pages do. */
export interface MailWords extends Words {
  date(date: Date, hasTime?: boolean): string
}

/**
 * Writes the mail of the two templates of a name, HTML and plain text, which say the same.
 *
 * @param compose gives the texts in the language of the reader
 */
export type MailWriter = (
  input: MailInput,
  name: string,
  compose: (words: MailWords) => MailTexts,
) => Promise<MailMessage>

/** Makes the writer of mails in the application's theme. Nothing is loaded before the first one. */
export function createMailWriter({ theme }: PageSettings): MailWriter {
  const look = resolveTheme(theme)
  const languageOf = createLanguageChoice(theme)
  const prepare = loadOnce(async () => {
    const templates = await loadTemplates(theme.views)
    return { templates, translate: createTranslate(theme.texts, templates.escape) }
  })
  return async ({ host, acceptLanguage }, name, compose) => {
    const { templates, translate } = await prepare()
    const language = languageOf(acceptLanguage)
    const date = dateFormat(language, acceptLanguage)
    const words = { ...wordsFor(await translate(language), look.name ?? host), date }
    const texts = compose(words)
    const data = { ...texts, ...words, wrap: (text: string) => wrap(text, words.language), theme: look }
    return {
      subject: texts.subject,
      html: templates.render(`mail/${name}`, data),
      text: templates.render(`mail/${name}.txt`, data),
    }
  }
}
