import { loadOnce } from '../kernel/awaitable.js'
import type { AccountNoticeKind, MailMessage } from '../providers/provider.js'
import { loadTemplates } from './loaded-assets.js'
import type { PageSettings } from './renderer.js'
import { createLanguageChoice, type TextKey } from './texts/text.js'
import { createTranslate, inWords, type Words, wordsFor, wrap } from './texts/words.js'
import { resolveTheme } from './theme.js'

/** What every mail needs. */
interface MailInput {
  /** The host of the application. It comes from the configuration or a trusted origin, never from a header. */
  readonly host: string
  /** The header of the request that caused the mail; undefined for none. */
  readonly acceptLanguage?: string | undefined
}

/** Writes mails. */
export type MailRenderer = ReturnType<typeof createMailRenderer>

/** Makes the writer of mails in the application's theme. Nothing is loaded before the first one. */
export function createMailRenderer({ theme }: PageSettings) {
  const look = resolveTheme(theme)
  const languageOf = createLanguageChoice(theme)
  const prepare = loadOnce(async () => {
    const templates = await loadTemplates(theme.views)
    return { templates, translate: createTranslate(theme.texts, templates.escape) }
  })
  /** The mail of two templates, which say the same. */
  const write = async ({ host, acceptLanguage }: MailInput, name: string, compose: (words: Words) => MailTexts) => {
    const { templates, translate } = await prepare()
    const words = wordsFor(await translate(languageOf(acceptLanguage)), look.name ?? host)
    const texts = compose(words)
    const data = { ...texts, ...words, wrap: (text: string) => wrap(text, words.language), theme: look }
    return {
      subject: texts.subject,
      html: templates.render(`mail/${name}`, data),
      text: templates.render(`mail/${name}.txt`, data),
    }
  }
  return {
    /**
     * The mail with a sign-in link: HTML and plain text that say the same. The person who requested it typed nothing of it:
     * it does not even contain the address.
     */
    signIn: (input: MailInput & { readonly url: string; readonly lifetimeSeconds: number }): Promise<MailMessage> =>
      write(input, 'signin', ({ say, language }) => ({
        subject: say('mail.signIn.subject'),
        url: input.url,
        lifetime: inWords(input.lifetimeSeconds, language),
      })),
    /**
     * The mail that tells the owner of an account of a way to sign in that was added or removed. Nothing of it is secret, and a
     * visitor typed nothing of it. A passkey has no name of a provider.
     */
    notice: (
      input: MailInput & { readonly kind: AccountNoticeKind; readonly providerName: string | null },
    ): Promise<MailMessage> =>
      write(input, 'notice', ({ say }) => {
        const { kind, providerName } = input
        const provider = providerName ?? say('mail.notice.unknownProvider')
        const [titleKey, whatKey] = NOTICES[kind]
        const title = say(titleKey)
        const subject = say('mail.notice.subject', { title })
        return { subject, title, what: say(whatKey, { provider }), advice: say('mail.notice.advice') }
      }),
  }
}

/** The title of each notice, and the sentence that says what has happened. */
const NOTICES: Readonly<Record<AccountNoticeKind, readonly [title: TextKey, what: TextKey]>> = {
  'account-linked': ['mail.notice.added', 'mail.notice.accountLinked'],
  'account-unlinked': ['mail.notice.removed', 'mail.notice.accountUnlinked'],
  'passkey-added': ['mail.notice.added', 'mail.notice.passkeyAdded'],
  'passkey-removed': ['mail.notice.removed', 'mail.notice.passkeyRemoved'],
}

/** What a template of a mail shows, beside the texts that it names itself. */
type MailTexts = Readonly<Record<string, string>> & { readonly subject: string }
