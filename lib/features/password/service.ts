import { InvalidConfiguration, RequestRefused } from '../../kernel/errors.js'
import type { Theme } from '../../pages/theme.js'
import type { ResolvedCredentialsProvider, ResolvedEmailProvider } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import { readerOf } from '../../sign-in/language.js'
import { createMailedLinks, createMailer } from '../../sign-in/mailed-links.js'
import type { Visit } from '../../sign-in/visit.js'
import type { SignUpMode } from '../../users/ask-sign-up.js'
import { createWaysIn, type LoggedFor, type RemovalOptions } from '../../users/ways-in.js'
import { createBreachCheck } from './breached.js'
import { PasswordRefused } from './errors.js'
import { hashPassword } from './hash.js'
import { MIN_LENGTH, type Refusal, refusalOf } from './policy.js'
import { createStoredPasswords } from './stored-passwords.js'

/** A password that code of the application stores: itself, or a hash that Latchkey or an importer reads. */
export type NewPassword = ({ password: string; hash?: never } | { hash: string; password?: never }) & {
  /** As in `session.user.id`. */
  userId: string
  /** Whether it only lets its owner choose another one, and gives no session. */
  mustChange?: boolean
}

/** Who may choose a password with a link, or with the form that follows a temporary password. */
export interface PasswordLink {
  /** The address that it was mailed to. */
  readonly email: string
  /** Whether a temporary password was right, and no mail was sent. */
  readonly isAfterTemporary?: true
  /** Id of the user who has the address; null for nobody: then the link makes a user. */
  readonly userId: string | null
  /** The state of their password, as `StoredPasswords.versionOf` gives it: the link counts for no other one. */
  readonly version: number
}

/** What passwords work with. */
export type PasswordService = ReturnType<typeof createPasswords>

const ONE_TEXT = 'setPassword() takes a `password` or a `hash`, one of them, as a text.'

/** The passwords of one configuration, whose mails the given provider sends. */
export function createPasswords(
  { id, password: settings }: ResolvedCredentialsProvider,
  sender: ResolvedEmailProvider,
  parts: Parts<{ readonly theme: Theme; readonly signUp: SignUpMode }>,
) {
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
    links: createMailedLinks<PasswordLink>('password-link', parts),
    policy,
    /**
     * Stores a password for code of the application.
     *
     * @throws {PasswordRefused} with the reason
     */
    async set({ userId, password, hash, mustChange }: NewPassword): Promise<void> {
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
    /**
     * Removes the password of a user.
     *
     * @throws {RequestRefused} 404 if they have none; 409 if they could not sign in without it (ACCT-03), or have changed it meanwhile
     */
    async remove(userId: string, { signsInOtherwise = false, source }: RemovalOptions & LoggedFor): Promise<void> {
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
    /** Why somebody must choose another password; null if this one may be used. Whoever gave a temporary one knows it. */
    async refusalFor(
      password: string,
      { userId, ...person }: { readonly userId: string | null } & Parameters<typeof refusalOf>[1],
    ): Promise<Refusal | 'same' | null> {
      const isTemporary = userId !== null && (await passwords.isTemporary(userId, password))
      return isTemporary ? 'same' : refusalOf(password, person, policy)
    },
    /** Id of the provider of the passwords. */
    provider: id,
    sender: mailer.sender,
    addressOf: mailer.addressOf,
    /**
     * Mails a link with which somebody chooses a password. Throws as `Mailer.send` does.
     *
     * @param link `isKnown`: whether somebody has the address
     */
    sendLink: (
      visit: Visit,
      email: string,
      { url, isKnown }: { readonly url: string; readonly isKnown: boolean },
    ): Promise<void> =>
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
