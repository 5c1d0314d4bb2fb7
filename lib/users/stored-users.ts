import type { AdapterUser } from '../adapters/adapter.js'
import { AccessDenied, AdapterError, RequestRefused, withoutDetails } from '../kernel/errors.js'
import type { LogSource } from '../kernel/logger.js'
import { membersOf } from '../kernel/objects.js'
import { usableId } from '../providers/profile-mapping.js'
import { type Account, hasProvider } from '../providers/provider.js'
import { isDisabled, requireEnabled } from '../sessions/may-be-used.js'
import type { UserDependencies } from './dependencies.js'
import { createStoredWays } from './ways-in.js'

/** Accounts of one user, the one of each passkey among them. */
export const MOST_ACCOUNTS = 100

export type StoredUsers = ReturnType<typeof createStoredUsers>

/** Finds users in an adapter. */
export function createStoredUsers({
  store,
  providers,
  refusesDisabledUsers,
  logger,
}: Pick<UserDependencies, 'store' | 'providers' | 'refusesDisabledUsers' | 'logger'>) {
  /** Whether visitors can sign in with a mailed link. Then the owner of an address can confirm it at any time. */
  const mailsLinks = hasProvider(providers, 'email')

  // Adapters made for Auth.js may return undefined in place of null, and undefined must not pass for a user.
  const byId = async (id: string): Promise<AdapterUser | null> => (await store.getUser(id)) ?? null

  const { accountsOf } = createStoredWays({ store, providers })

  /**
   * Whether a user's address was confirmed, or the user was deleted, since the user was read. If so, another person has done
   * that, and all access to the user was revoked. What was added to the user meanwhile must be removed.
   *
   * @param user as it was read. If its address was confirmed then, or it had no address, the result is false
   */
  const wasConfirmedSince = async (user: AdapterUser): Promise<boolean> => {
    if (!user.email || user.emailVerified) return false
    const current = await byId(user.id)
    return current === null || Boolean(current.emailVerified)
  }

  return {
    mailsLinks,
    byId,
    byAccount: async ({
      provider,
      providerAccountId,
    }: Pick<Account, 'provider' | 'providerAccountId'>): Promise<AdapterUser | null> =>
      (await store.getUserByAccount({ provider, providerAccountId })) ?? null,
    byEmail: async (email: string): Promise<AdapterUser | null> => (await store.getUserByEmail(email)) ?? null,
    /** Stores when the address of a user was confirmed, or null. Gives the user with it. */
    async setEmailVerified(user: AdapterUser, emailVerified: Date | null): Promise<AdapterUser> {
      let stored: AdapterUser
      try {
        stored = await store.updateUser({ id: user.id, emailVerified })
      } catch (error) {
        throw (await byId(user.id)) ? error : new AccessDenied('The user was deleted while somebody signed in.')
      }
      // Some adapters give only what they were given, and null for the rest.
      const given = Object.entries(membersOf(stored ?? {})).filter(([, value]) => value !== null && value !== undefined)
      return { ...membersOf(user), emailVerified, ...Object.fromEntries(given) }
    },
    wasConfirmedSince,
    /**
     * Whether nobody has signed in as a user who was created a moment ago. The owner of the address can, with a mailed link.
     */
    isStillNew: async (created: AdapterUser): Promise<boolean> => !(mailsLinks && (await wasConfirmedSince(created))),
    /**
     * Refuses to add an account to a user who has as many as one may have, where the adapter can list them.
     *
     * @throws {RequestRefused} 409
     */
    async requireRoom({ id }: AdapterUser): Promise<void> {
      if ((await accountsOf(id)).length < MOST_ACCOUNTS) return
      throw new RequestRefused(
        409,
        `A user has at most ${MOST_ACCOUNTS} accounts and passkeys. Remove one of them first.`,
        {},
        'full',
      )
    },
    /** Whether the user has an account at a provider; false where the adapter cannot list accounts, or fails: then it is logged. */
    hasAccountAt: async (
      user: AdapterUser | null,
      provider: string,
      source: LogSource | undefined,
    ): Promise<boolean> => {
      if (user === null) return false
      const report = (error: unknown) => void logger.error(withoutDetails(error), source)
      const found = await accountsOf(user.id).catch(report)
      return (found ?? []).some((row) => row.provider === provider)
    },
    /** Whether the user is disabled, and the application wants disabled users to be refused. */
    isDisabled: (user: AdapterUser): boolean => refusesDisabledUsers && isDisabled(user),
    /**
     * Refuses a disabled user before anything is stored for them.
     *
     * @throws {AccessDenied} when the user is disabled, and the application wants disabled users to be refused
     */
    requireEnabled: (user: AdapterUser): void => {
      if (refusesDisabledUsers) requireEnabled(user)
    },
  }
}

/** Whether two users have the same id. Some stores number their users, and some callers have the number as text. */
export const isSameUser = (one: { id: unknown }, other: { id: unknown }): boolean => String(one.id) === String(other.id)

/**
 * Requires that the adapter gave a user with a usable id. Stores may have ids of any form, but all users without an id would
 * count as one user.
 *
 * @throws {AdapterError} when there is no user, or the id is missing or cannot be used
 */
export function requireUser(user: AdapterUser | null | undefined): AdapterUser {
  if (!user) throw new AdapterError('The user of an account is gone.')
  if (usableId(String(user.id)) === null) throw new AdapterError('The adapter gave a user without a usable id.')
  return user
}
