import type { Store } from '../../adapters/gateway.js'
import { InvalidConfiguration, RequestRefused } from '../../kernel/errors.js'
import type { Theme } from '../../pages/theme.js'
import type { ResolvedCredentialsProvider, ResolvedEmailProvider } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import { readerOf } from '../../sign-in/language.js'
import { createMailer, type MailedLinks, type Mailer } from '../../sign-in/mailed-links.js'
import type { Visit } from '../../sign-in/visit.js'
import type { SignUpMode } from '../../users/ask-sign-up.js'
import { createWaysIn, type LoggedFor, type RemovalOptions } from '../../users/ways-in.js'
import { createBreachCheck } from './breached.js'
import { PasswordRefused } from './errors.js'
import { hashPassword } from './hash.js'
import { createPasswordLinks, type PasswordLink } from './links.js'
import { MIN_LENGTH, type PasswordPolicy, type Refusal, refusalOf } from './policy.js'
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
  readonly links: MailedLinks<PasswordLink>
  readonly policy: PasswordPolicy
  /**
   * Stores a password for code of the application.
   *
   * @throws {PasswordRefused} with the reason
   */
  set(given: NewPassword): Promise<void>
  /** Why somebody must choose another password; null if this one may be used. Whoever gave a temporary one knows it. */
  refusalFor(
    password: string,
    person: {
      readonly userId: string | null
      readonly email: string
      readonly name: string | null | undefined
    },
  ): Promise<Refusal | 'same' | null>
  /**
   * Removes the password of a user.
   *
   * @throws {RequestRefused} 404 if they have none; 409 if they could not sign in without it (ACCT-03), or have changed it meanwhile
   */
  remove(userId: string, options: RemovalOptions & LoggedFor): Promise<void>
  /** Id of the provider of the passwords. */
  readonly provider: string
  /** Id of the e-mail provider that mails the links. */
  readonly sender: string
  readonly addressOf: Mailer['addressOf']
  /**
   * Mails a link with which somebody chooses a password.
   *
   * @param link `isKnown`: whether somebody has the address
   * @throws as `Mailer.send` does
   */
  sendLink(visit: Visit, email: string, link: { readonly url: string; readonly isKnown: boolean }): Promise<void>
}

const ONE_TEXT = 'setPassword() takes a `password` or a `hash`, one of them, as a text.'

/** The passwords of one configuration, whose mails the given provider sends. */
export function createPasswords(
  { id, password: settings }: ResolvedCredentialsProvider,
  sender: ResolvedEmailProvider,
  parts: Parts<{ readonly theme: Theme; readonly signUp: SignUpMode }>,
): PasswordService {
  const { store, secrets, now, logger, options } = parts
  const ways = createWaysIn(parts)
  const mailer = createMailer(sender, parts)
  const { minLength = MIN_LENGTH, words = [], importers = [], breached } = settings ?? {}
  const passwords = createStoredPasswords(importers, { store, secrets, now })
  const isBreached = breached === undefined ? null : createBreachCheck(breached, logger)
  // Whoever reads the mail has the address, and may know that nobody here does.
  const leadNew = options.signUp === 'open' ? 'mail.password.lead' : 'mail.leadInvited'
  const policy = { minLength, words: [...words, options.theme.name ?? ''], isBreached }
  return {
    store,
    passwords,
    links: createPasswordLinks({ store, secrets, now }),
    policy,
    async set({ userId, password, hash, mustChange }) {
      if ((typeof password === 'string') === (typeof hash === 'string') || password?.isWellFormed() === false)
        throw new InvalidConfiguration(ONE_TEXT)
      const user = typeof userId === 'string' && userId !== '' ? await store.getUser(userId) : null
      if (!user) throw new PasswordRefused('unknown-user')
      // Otherwise whoever has signed up with the address of somebody else could sign in once its owner has confirmed it.
      if (!user.emailVerified) throw new PasswordRefused('unconfirmed-address')
      if (hash !== undefined && !passwords.canRead(hash)) throw new PasswordRefused('unknown-hash')
      const refusal = password === undefined ? null : await refusalOf(password, user, policy)
      if (refusal !== null) throw new PasswordRefused(refusal)
      const stored = { hash: hash ?? (await hashPassword(password ?? '')), mustChange: Boolean(mustChange) }
      if (!(await passwords.put(userId, stored))) throw new PasswordRefused('unknown-user')
    },
    async remove(userId, { signsInOtherwise = false, source }) {
      // First, so that what is looked at below is no older.
      const version = await passwords.versionOf(userId)
      if (!(await passwords.has(userId))) throw new RequestRefused(404, 'There is no password.')
      // One that cannot be read opens nothing, and is not put back.
      const present = await passwords.find(userId)
      const requireLeft = async () => {
        if (!signsInOtherwise) await ways.requireLeft(userId)
      }
      await requireLeft()
      if (!(await passwords.putAfter(version, userId, null)))
        throw new RequestRefused(409, 'The password was changed meanwhile.', {}, 'changed')
      // One that its owner has chosen since stays.
      await ways.putBackUnless(
        'A password',
        source,
        requireLeft,
        async () => present && passwords.putAfter(version + 1, userId, present),
      )
    },
    async refusalFor(password, { userId, ...person }) {
      const isTemporary = userId !== null && (await passwords.isTemporary(userId, password))
      return isTemporary ? 'same' : refusalOf(password, person, policy)
    },
    provider: id,
    sender: mailer.sender,
    addressOf: mailer.addressOf,
    sendLink: (visit, email, { url, isKnown }) =>
      mailer.sendLink(readerOf(visit), email, {
        kind: 'password-link',
        url,
        texts: {
          subject: 'mail.password.subject',
          lead: isKnown ? 'mail.password.leadKnown' : leadNew,
          button: 'mail.password.button',
          ignore: 'mail.ignore',
        },
      }),
  }
}
