import type { Adapter, AdapterAccount, AdapterUser } from '../adapters/adapter.js'
import { type AdapterCalls, adapterCalls } from '../adapters/adapter-calls.js'
import { isTimeout } from '../adapters/timeouts.js'
import { rescue } from '../awaitable.js'
import {
  AccountNotLinked,
  AdapterError,
  OAuthAccountNotLinked,
  RecentSignInRequired,
  withoutDetails,
} from '../errors.js'
import type { LoggerInstance } from '../logger.js'
import { usableId } from '../providers/profile-mapping.js'
import type { Account, ProviderType, User } from '../providers/provider.js'
import { isRecent } from '../sessions/recent-auth.js'
import type { Principal } from '../sessions/session.js'
import type { ConfirmEmailCallback } from './confirm-email.js'
import type { Identity, PrincipalReader, ResolvedUser } from './identity.js'

/** The adapter methods that users and accounts need. */
const USER_METHODS = [
  'createUser',
  'createUserWithAccount',
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'updateUser',
  'linkAccount',
] as const

/** Those that take back what was stored in vain. */
const REMOVALS = ['unlinkAccount', 'deleteAuthenticator', 'deleteUser'] as const

/** What the resolver needs of a configuration. */
export interface ResolverSettings {
  readonly adapter: Adapter
  /** Whether sessions are rows that point to a stored user, as with the database strategy. */
  readonly sessionsNeedUser: boolean
  /** The configured providers. */
  readonly providers: readonly { readonly id: string; readonly type: ProviderType }[]
  /** Asked before an address is confirmed; null when the application does not ask to be. */
  readonly confirmEmail: ConfirmEmailCallback | null
  /** Seconds since the sign-in, at most, for whoever adds a way to sign in. */
  readonly recentAuthAge: number
  /** Seconds that a sign-in waits for another one with the same account; `Infinity` waits for ever. */
  readonly storeTimeout: number
  /** Tells an event. */
  readonly emit: {
    createUser(user: User): Promise<void>
    updateUser(user: User): Promise<void>
    linkAccount(user: User, account: Account, profile: User): Promise<void>
  }
  readonly logger: LoggerInstance
  /** At least one; the newest first. */
  readonly secrets: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Whoever is signed in, as stored. */
export interface SignedInUser {
  readonly user: AdapterUser
  /** When they signed in; null when that is not known. */
  readonly authenticatedAt: number | null
  /** Whether that was recently enough to add a way to sign in. */
  readonly isRecent: boolean
}

/** The stored users and their accounts, as the resolution of every kind of identity needs them. */
export interface Directory {
  readonly users: AdapterCalls<(typeof USER_METHODS)[number]>
  byAccount(account: Account): Promise<AdapterUser | null>
  byEmail(email: string): Promise<AdapterUser | null>
  /** Null when nobody is signed in. */
  signedInUser(readPrincipal: PrincipalReader): Promise<SignedInUser | null>
  /**
   * Links the account of a identity. Gives whose it is: another user when a parallel sign-in was quicker.
   *
   * @param account what {@link accountToStore} made of the identity
   * @param isStillGood asked once it is linked; when it says no, the account is taken back and the identity refused
   */
  link(
    identity: Identity,
    user: AdapterUser | null,
    account: Account,
    isStillGood: () => Promise<boolean>,
  ): Promise<AdapterUser>
  /**
   * Whether somebody whose session was read before something was added to them still has it. The owner of their address may have confirmed it meanwhile,
   * which ends sessions; what is added after that would stay for ever.
   */
  isStillHeld(user: AdapterUser, readPrincipal: PrincipalReader): Promise<boolean>
  /** Whether nobody has come in as a user who was made a moment ago, as the owner of the address may by a mailed link. */
  isStillNew(made: AdapterUser): Promise<boolean>
  /** Takes an account back that was linked in vain. That the adapter cannot, or fails, is not what went wrong, and is logged. */
  unlink(account: Account): Promise<void>
  /** The same for a passkey. */
  removePasskey(credentialID: string): Promise<void>
  /** The same for a user, unless somebody else has come in as that user meanwhile. Says whether the user is gone. */
  removeUser(made: AdapterUser): Promise<boolean>
  /**
   * The same for a user with the account, and the passkey if there is one, by which they signed up. The user goes first, with all that is theirs: one who stayed without the account could never sign
   * in. Where somebody has come in as that user, or nobody knows, the account and the passkey go alone.
   */
  removeSignUp(made: AdapterUser, account: Account, credentialID: string | null): Promise<void>
  /**
   * The outcome for a user.
   *
   * @throws {AdapterError} when there is none any more
   */
  resolved(identity: Identity, user: AdapterUser | null, isNewUser: boolean): ResolvedUser
  /** The outcome for an account that was added to whoever is signed in: it proves nothing new of them, so their sign-in is no younger. */
  added(identity: Identity, signedIn: SignedInUser): ResolvedUser
}

/** The directory over an adapter. */
export function createDirectory(settings: ResolverSettings): Directory {
  const { adapter, providers, emit, logger, recentAuthAge, now } = settings
  const users = adapterCalls(adapter, USER_METHODS, 'keeping users', logger)
  // Then somebody else can come in as a user who was made a moment ago, and has no account yet.
  const hasMailedLinks = providers.some(({ type }) => type === 'email')

  // Adapters made for Auth.js may say nothing in place of null, and nobody must be taken for somebody.
  const byAccount = async ({ provider, providerAccountId }: Account): Promise<AdapterUser | null> =>
    (await users.getUserByAccount({ provider, providerAccountId })) ?? null

  /**
   * Whether a user's address was confirmed, or the user deleted, since they were read: by somebody else then, who ended all that they could come in by. What
   * was added to them meanwhile must be taken back.
   */
  const wasConfirmed = async (user: AdapterUser): Promise<boolean> => {
    if (!isUnconfirmed(user)) return false
    const now = (await users.getUser(user.id)) ?? null
    return now === null || Boolean(now.emailVerified)
  }

  /** What the work gives; undefined when it failed. */
  const orLogged = async <T>(message: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      logger.error(new AdapterError(message, { err: withoutDetails(error) }))
      return undefined
    }
  }

  const removals = adapterCalls(adapter, REMOVALS, 'taking back what was stored in vain', logger)

  const unlink = async ({ provider, providerAccountId }: Account): Promise<void> => {
    const work = async () => removals.unlinkAccount({ provider, providerAccountId })
    await orLogged('An account that was linked in vain stays.', work)
  }

  const removePasskey = async (credentialID: string): Promise<void> => {
    await orLogged('A passkey that was stored in vain stays.', async () => removals.deleteAuthenticator(credentialID))
  }

  const removeUser = async (made: AdapterUser): Promise<boolean> => {
    const work = async () => {
      // The owner of the address may have come in as this user meanwhile.
      if (await wasConfirmed(made)) return false
      await removals.deleteUser(made.id)
      return true
    }
    return (await orLogged('A user who was made in vain could not be removed.', work)) ?? false
  }

  const resolved = ({ account }: Identity, user: AdapterUser | null, isNewUser: boolean): ResolvedUser => {
    if (!user) throw new AdapterError('The user of an account is gone.')
    requireId(user)
    return {
      user,
      account: { ...account, userId: user.id },
      isNewUser,
      // Without an address, too: the application may add one, and its owner confirm it.
      ...(hasMailedLinks && !user.emailVerified && { isUnconfirmed: true }),
    }
  }

  return {
    users,
    byAccount,
    byEmail: async (email) => (await users.getUserByEmail(email)) ?? null,

    async signedInUser(readPrincipal) {
      const held = await readPrincipal()
      const user = held && ((await users.getUser(held.id)) ?? null)
      if (!user) return null
      const mayAdd = isRecent(held, recentAuthAge, now) && !beganBeforeConfirmation(held, user)
      return { user, authenticatedAt: held.authenticatedAt, isRecent: mayAdd }
    },

    async isStillHeld(user, readPrincipal) {
      if (!hasMailedLinks) return true
      if (await wasConfirmed(user)) return false
      const held = await readPrincipal()
      return held !== null && isSame(held, user)
    },

    isStillNew: async (made) => !(hasMailedLinks && (await wasConfirmed(made))),

    async link(identity, user, account, isStillGood) {
      if (!user) throw new AdapterError('The user to link an account to is gone.')
      requireId(user)
      let isOurs = true
      try {
        await users.linkAccount({ ...account, userId: user.id } as AdapterAccount)
      } catch (error) {
        const owner = await byAccount(identity.account)
        if (!owner) throw error
        if (!isSame(owner, user)) return owner
        // It was linked all the same: by this call, whose answer did not come, or by a parallel sign-in, which tells of it.
        isOurs = isTimeout(error)
      }
      try {
        if (!(await isStillGood())) throw notLinked(identity.account)
      } catch (error) {
        await unlink(account)
        throw error
      }
      if (isOurs) await emit.linkAccount(user, account, identity.user)
      return user
    },

    unlink,

    removePasskey,
    removeUser,

    async removeSignUp(made, account, credentialID) {
      const isGone = await rescue(
        async () => {
          if (!adapter.deleteUser || (await wasConfirmed(made))) return false
          await adapter.deleteUser(made.id)
          return true
        },
        () => false,
      )
      if (isGone) return
      if (credentialID !== null) await removePasskey(credentialID)
      await unlink(account)
      await removeUser(made)
    },

    resolved,

    added: (identity, { user, authenticatedAt }) => ({ ...resolved(identity, user, false), authenticatedAt }),
  }
}

/** A store may keep ids in a form of its own; one that is none would be that of every user who has none. */
function requireId({ id }: AdapterUser): void {
  if (usableId(String(id)) === null) throw new AdapterError('The adapter gave a user without a usable id.')
}

/** Stores round times; within a second nobody can emit which was first. */
const ROUNDING_MS = 1000

/**
 * Whether a session began before its user's address was confirmed. It may be that of somebody who had the address before its owner did: a token session goes
 * on where the application has changed the address, and must add nothing that stays.
 */
const beganBeforeConfirmation = ({ authenticatedAt }: Principal, { emailVerified }: AdapterUser): boolean =>
  authenticatedAt !== null && emailVerified ? new Date(emailVerified).getTime() > authenticatedAt + ROUNDING_MS : false

/** Some stores number their users, and some callers have the number as text. */
export const isSame = (one: { id: unknown }, other: { id: unknown }) => String(one.id) === String(other.id)

/** Whether a user has an address that nobody has confirmed yet. */
export const isUnconfirmed = ({ email, emailVerified }: Pick<AdapterUser, 'email' | 'emailVerified'>) =>
  Boolean(email) && !emailVerified

/** Whoever comes cannot be let in as whom they come. */
export const notLinked = ({ type, provider }: Account) => {
  const message = `The account at "${provider}" cannot be linked: it, or its e-mail address, belongs to another user.`
  return type === 'webauthn' ? new AccountNotLinked(message) : new OAuthAccountNotLinked(message)
}

/** Whoever is signed in has to prove who they are once more. */
export const signInAgain = ({ provider }: Account) =>
  new RecentSignInRequired(
    `Something of "${provider}" was to be added to a user who signed in longer ago than session.recentAuthAge, or nobody knows when.`,
  )

/** The account as it is stored and told of: what the provider's `account()` keeps of the tokens, and whose it is there. Asked once for an account. */
export function accountToStore({ account, linking }: Identity): Account {
  const { provider, providerAccountId, type, userId: _, ...tokens } = account
  const kept = Object.entries(linking?.storedTokens(tokens) ?? {})
  const present = kept.filter(([name, value]) => name !== 'userId' && value !== undefined)
  return { ...Object.fromEntries(present), provider, providerAccountId, type }
}
