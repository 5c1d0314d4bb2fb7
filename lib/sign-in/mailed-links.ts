import { within } from '../kernel/awaitable.js'
import { EmailSignInError, UntrustedHost, withoutDetails } from '../kernel/errors.js'
import type { LogSource } from '../kernel/logger.js'
import { isVouchedFor } from '../kernel/origin.js'
import { createMailWriter } from '../pages/mail.js'
import type { TextKey } from '../pages/texts/text.js'
import { inWords } from '../pages/texts/words.js'
import { type Theme, themeOfMails } from '../pages/theme.js'
import { addressOrNull } from '../providers/mail/identifier.js'
import type { NotificationKind, ResolvedEmailProvider } from '../providers/provider.js'
import { type AccountChange, ENDING_CHANGES } from './account-change.js'
import type { Parts } from './feature.js'
import { createSecretRecords, deleteRecordsOf } from './records.js'
import type { Visit } from './visit.js'

/** An hour at most (PWD-08, ACCT-04). */
export const LINK_LIFETIME_SECONDS = 60 * 60

/**
 * Mailed links of one kind, each of which counts once, for an hour. Keeps a record for each.
 *
 * @param kind as that of {@link createSecretRecords}
 */
export function createMailedLinks<Link extends object>(kind: string, parts: Pick<Parts, 'store' | 'secrets' | 'now'>) {
  const { make, look, take, takeAlone, give, countTry } = createSecretRecords<Link>(kind, parts)
  return {
    /** Makes what counts as such a link without a mail, and not for longer. Gives its token. */
    make: (owner: string, link: Link, seconds: number) => make(owner, link, Math.min(seconds, LINK_LIFETIME_SECONDS)),
    /** Makes a link, and mails it. If that fails, the link counts no more: its mail may have come, and nobody else is told of it. */
    async mail(
      { config, source }: Pick<Visit, 'config' | 'source'>,
      owner: string | null,
      link: Link,
      send: (token: string) => Promise<void>,
    ): Promise<void> {
      const token = await make(owner, link, LINK_LIFETIME_SECONDS)
      try {
        await send(token)
      } catch (error) {
        try {
          await take(token)
        } catch (fault) {
          config.logger.error(withoutDetails(fault), source)
        }
        throw error
      }
    },
    /** What a link is for, without using it up; null if it does not count. */
    look,
    /** The same, and uses it up: of several requests only one gets it. */
    take,
    takeAlone,
    /** Puts something else in its place for a user, for as long as it had left. */
    give,
    /** Counts a try: which one it is. */
    countTry,
    /** Ends the links of a user after a change of their account: its owner may want to stop somebody. */
    async endAfter({ kind: change, userId }: AccountChange): Promise<void> {
      if (ENDING_CHANGES.has(change)) await deleteRecordsOf(parts.store, kind, userId)
    },
  }
}

/** A mail that a visitor has asked for. */
interface AskedMail {
  readonly kind: NotificationKind
  /** The link in it, or the public URL of the application. */
  readonly url: string
  /** Names its templates. */
  readonly template: 'signin' | 'notice'
  /** Gives its texts. */
  readonly compose: Parameters<ReturnType<typeof createMailWriter>>[2]
}

/** A mail whose button leads on. */
interface LinkMail extends Pick<AskedMail, 'kind' | 'url'> {
  readonly texts: Readonly<Record<'subject' | 'lead' | 'button' | 'ignore', TextKey>>
  /** How long what it offers counts: an hour by default. */
  readonly lifetimeSeconds?: number
}

/** Milliseconds that sending a mail may take. */
const SEND_TIMEOUT_MS = 30_000

/** Sends what visitors ask for, with one e-mail provider. */
export type Mailer = ReturnType<typeof createMailer>

/** Where the application is, for whoever reads a mail, and what they understand. */
export interface MailReader {
  readonly origin: string
  readonly acceptLanguage: string | undefined
}

/** @param sender has `sendNotification` */
export function createMailer(
  sender: ResolvedEmailProvider,
  { origin, logger, options: { theme } }: Pick<Parts<{ readonly theme: Theme }>, 'origin' | 'logger' | 'options'>,
) {
  const writeMail = createMailWriter({ theme })
  const mailer = {
    /** Id of the provider. */
    sender: sender.id,
    /** The one form of an entered address, as the provider has it; null if it takes no such address. */
    addressOf: (entered: unknown, source?: LogSource): string | null =>
      addressOrNull(sender, entered, (fault) => logger.error(fault, source)),
    /**
     * Sends a mail to any address.
     *
     * @throws {UntrustedHost} when only the request says which host the link would lead to
     * @throws {EmailSignInError} when the mail could not be sent
     */
    async send(at: MailReader, email: string, { kind, url, template, compose }: AskedMail): Promise<void> {
      if (!isVouchedFor(at.origin, origin)) {
        throw new UntrustedHost(
          `No link was mailed, since only the request says that ${at.origin} is this application. Set \`url\` or AUTH_URL, or \`hosts\`.`,
        )
      }
      const input = { host: new URL(at.origin).host, acceptLanguage: at.acceptLanguage }
      const message = await writeMail(input, template, compose)
      const { source, id } = sender
      try {
        const params = { identifier: email, message, provider: source, theme: themeOfMails(theme), kind, url }
        const sending = (async () => source.sendNotification?.(params))()
        await within(sending, SEND_TIMEOUT_MS, () => new Error(`no answer within ${SEND_TIMEOUT_MS} ms`))
      } catch (error) {
        const cause = { err: withoutDetails(error), provider: id, isFault: true }
        throw new EmailSignInError(`Provider "${id}": the mail could not be sent.`, cause)
      }
    },
    /** The same, for a mail whose button leads on. */
    sendLink: (
      at: MailReader,
      email: string,
      { kind, url, texts, lifetimeSeconds = LINK_LIFETIME_SECONDS }: LinkMail,
    ): Promise<void> =>
      mailer.send(at, email, {
        kind,
        url,
        template: 'signin',
        compose({ say, language }) {
          const lifetime = inWords(lifetimeSeconds, language)
          const lead = say(texts.lead, { lifetime })
          const [subject, button, ignore] = [say(texts.subject), say(texts.button), say(texts.ignore)]
          return { subject, url, lifetime, preview: lead, lead, button, ignore }
        },
      }),
  }
  return mailer
}
