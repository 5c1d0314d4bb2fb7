import type { Store } from '../../adapters/gateway.js'
import { within } from '../../kernel/awaitable.js'
import { EmailSignInError, InvalidConfiguration, UntrustedHost, withoutDetails } from '../../kernel/errors.js'
import { isVouchedFor } from '../../kernel/origin.js'
import { createMailWriter } from '../../pages/mail.js'
import { inWords } from '../../pages/texts/words.js'
import { type Theme, themeOfMails } from '../../pages/theme.js'
import { readIdentifier } from '../../providers/mail/identifier.js'
import type { PasswordSettings, ResolvedEmailProvider } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import type { Visit } from '../../sign-in/visit.js'
import { PasswordRefused } from './errors.js'
import { hashPassword } from './hash.js'
import { createPasswordLinks, LINK_LIFETIME_SECONDS, type PasswordLinks } from './links.js'
import { MIN_LENGTH, type PasswordPolicy, refusalOf } from './policy.js'
import { createStoredPasswords, type StoredPasswords } from './stored-passwords.js'

/** A password that code of the application stores: itself, or a hash that Latchkey or an importer reads. */
export type NewPassword = ({ password: string; hash?: never } | { hash: string; password?: never }) & {
  /** As in `session.user.id`. */
  userId: string
  /** Whether it only lets its owner choose another one, and gives no session. */
  mustChange?: boolean
}

/** What passwords work with. */
export interface PasswordService {
  readonly store: Store
  readonly passwords: StoredPasswords
  readonly links: PasswordLinks
  readonly policy: PasswordPolicy
  /** Whether sessions can be ended: those that are in tokens alone cannot. */
  readonly endsSessions: boolean
  /**
   * Stores a password for code of the application.
   *
   * @throws {PasswordRefused} with the reason
   */
  set(given: NewPassword): Promise<void>
  /** Id of the e-mail provider that mails the links. */
  readonly sender: string
  /** The one form of an entered address, as that provider has it; null if it takes no such address. */
  addressOf(entered: unknown): string | null
  /**
   * Mails a link with which somebody chooses a password.
   *
   * @param link `isKnown`: whether somebody has the address
   * @throws {UntrustedHost} when only the request says which host the link would lead to
   * @throws {EmailSignInError} when the mail could not be sent
   */
  sendLink(visit: Visit, email: string, link: { readonly url: string; readonly isKnown: boolean }): Promise<void>
}

/** Milliseconds that sending a mail may take. */
const SEND_TIMEOUT_MS = 30_000

const ONE_TEXT = 'setPassword() takes a `password` or a `hash`, one of them, as a text.'

/** The passwords of one configuration, whose mails the given provider sends. */
export function createPasswords(
  settings: PasswordSettings,
  sender: ResolvedEmailProvider,
  { store, sessionStore, secrets, now, origin, options: { theme } }: Parts<{ readonly theme: Theme }>,
): PasswordService {
  const writeMail = createMailWriter({ theme })
  const { minLength = MIN_LENGTH, words = [], importers = [] } = settings
  const passwords = createStoredPasswords(importers, { store, secrets, now })
  const policy = { minLength, words: [...words, theme.name ?? ''] }
  return {
    store,
    passwords,
    links: createPasswordLinks({ store, secrets, now }),
    policy,
    endsSessions: sessionStore !== null,
    async set({ userId, password, hash, mustChange }) {
      if ((typeof password === 'string') === (typeof hash === 'string')) throw new InvalidConfiguration(ONE_TEXT)
      const user = typeof userId === 'string' && userId !== '' ? await store.getUser(userId) : null
      if (!user) throw new PasswordRefused('unknown-user')
      // Otherwise whoever has signed up with the address of somebody else could sign in once its owner has confirmed it.
      if (!user.emailVerified) throw new PasswordRefused('unconfirmed-address')
      if (hash !== undefined && !passwords.canRead(hash)) throw new PasswordRefused('unknown-hash')
      const refusal = password === undefined ? null : await refusalOf(password, user, policy)
      if (refusal !== null) throw new PasswordRefused(refusal)
      await passwords.put(userId, {
        hash: hash ?? (await hashPassword(password ?? '')),
        mustChange: Boolean(mustChange),
      })
    },
    sender: sender.id,
    addressOf(entered) {
      try {
        return readIdentifier(sender, entered)
      } catch {
        return null
      }
    },
    async sendLink({ origin: at, incoming }, email, { url, isKnown }) {
      if (!isVouchedFor(at, origin)) {
        throw new UntrustedHost(
          `No link was mailed, since only the request says that ${at} is this application. Set \`url\` or AUTH_URL, or \`hosts\`.`,
        )
      }
      const message = await writeMail(
        { host: new URL(at).host, acceptLanguage: incoming.header('accept-language') },
        'signin',
        ({ say, language }) => {
          const lifetime = inWords(LINK_LIFETIME_SECONDS, language)
          const lead = say(isKnown ? 'mail.password.leadKnown' : 'mail.password.lead', { lifetime })
          return {
            subject: say('mail.password.subject'),
            url,
            lifetime,
            preview: lead,
            lead,
            button: say('mail.password.button'),
          }
        },
      )
      try {
        const sending = (async () =>
          sender.source.sendNotification?.({
            identifier: email,
            message,
            provider: sender.source,
            theme: themeOfMails(theme),
            kind: 'password-link',
            url,
          }))()
        await within(sending, SEND_TIMEOUT_MS, () => new Error(`no answer within ${SEND_TIMEOUT_MS} ms`))
      } catch (error) {
        const cause = { err: withoutDetails(error), provider: sender.id, isFault: true }
        throw new EmailSignInError(`Provider "${sender.id}": the link could not be sent.`, cause)
      }
    },
  }
}
