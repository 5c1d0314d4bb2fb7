import type { AdapterUser } from '../adapters/adapter.js'
import { keyedDigest } from '../kernel/digest.js'
import { AdapterError, EmailNotConfirmed, withoutDetails } from '../kernel/errors.js'
import type { LogSource } from '../kernel/logger.js'
import { isRecentHere } from '../sessions/may-be-used.js'
import { askToConfirm } from './ask-confirmation.js'
import type { UserDependencies } from './dependencies.js'
import { type Identity, isAddressTrusted, type PrincipalReader } from './identity.js'
import { isSameUser, type StoredUsers } from './stored-users.js'
import type { UserAccess } from './user-access.js'

export type EmailConfirmation = ReturnType<typeof createEmailConfirmation>

/** Whose address is confirmed, and the kinds of what they could sign in with until then. */
interface Confirmed {
  readonly user: AdapterUser
  readonly revoked: readonly string[]
}

/** Confirms addresses that nobody has confirmed yet. */
export function createEmailConfirmation(
  dependencies: UserDependencies & { readonly users: StoredUsers; readonly access: UserAccess },
) {
  const { users, access, store, confirmEmail, recentAuthAge, emit, logger, now } = dependencies
  const markers = createConfirmationMarkers(dependencies)

  const isSignedInAs = async (user: AdapterUser, readPrincipal: PrincipalReader): Promise<boolean> => {
    const principal = await readPrincipal()
    // An old session proves little, and a session that an attacker planted in this browser looks the same (ACCT-05).
    return principal !== null && isSameUser(principal, user) && isRecentHere(principal, recentAuthAge, now)
  }

  /** The count is logged, since users will ask the operator of the application why an account is gone. */
  const revokeAccess = async ({ id }: AdapterUser, source: LogSource | undefined): Promise<readonly string[]> => {
    const revoked = await access.revoke(id, source)
    if (revoked === null) return []
    logger.warn('accounts-ended', revoked, source)
    return Object.keys(revoked).filter((kind) => revoked[kind])
  }

  const storeConfirmed = (user: AdapterUser): Promise<AdapterUser> => users.setEmailVerified(user, new Date(now()))

  const storeUnconfirmed = async (user: AdapterUser, source: LogSource | undefined): Promise<void> => {
    try {
      await users.setEmailVerified(user, null)
    } catch (error) {
      logger.error(new AdapterError('A confirmation could not be taken back.', { err: withoutDetails(error) }), source)
    }
  }

  /**
   * Call this once an address is stored as confirmed. It was stored by the id of the user, who may have got another address by then:
   * nobody has proved that one (ACCT-05).
   *
   * @param user as before: with the address that is confirmed
   * @param work what must succeed as well
   * @throws what fails; then the address counts as unconfirmed again
   */
  const complete = async <T>(user: AdapterUser, source: LogSource | undefined, work: () => Promise<T>): Promise<T> => {
    try {
      const current = store.has('getUser') ? await users.byId(user.id) : user
      if (current?.email !== user.email) throw new EmailNotConfirmed('The user got another address meanwhile.')
      return await work()
    } catch (error) {
      await storeUnconfirmed(user, source)
      throw error
    }
  }

  /**
   * The second half, after the address is stored as confirmed. A concurrent sign-in that was about to add an account has added it by
   * now, or will find the address confirmed and remove the account itself.
   */
  const revokeRest = async (user: AdapterUser, source: LogSource | undefined): Promise<readonly string[]> => {
    const revoked = await complete(user, source, async () => {
      const rest = await revokeAccess(user, source)
      const remaining = await access.remaining(user.id)
      if (remaining.length > 0) await askToConfirm(confirmEmail, { user, remaining })
      return rest
    })
    await markers.drop(user)
    return revoked
  }

  return {
    /**
     * Confirms the address for a visitor who follows a mailed link. All access to the user is revoked first, since another person may
     * have signed up with the address (ACCT-05). A visitor who is signed in as that user, recently and in this browser, keeps all access.
     *
     * @returns the user as stored, and what was revoked
     * @throws {EmailNotConfirmed} when access would remain, or the application refuses; nothing has changed then
     * @throws {AdapterError} when the store fails; the address is not confirmed then, and another link completes the confirmation
     */
    async byLink(user: AdapterUser, readPrincipal: PrincipalReader, source: LogSource | undefined): Promise<Confirmed> {
      if (await isSignedInAs(user, readPrincipal)) {
        // An incomplete confirmation by an earlier link is dropped: the owner is known and keeps all access.
        await markers.drop(user)
        if (!dependencies.sessionsNeedUser) await access.revokeSessions(user.id)
        const confirmed = await storeConfirmed(user)
        await complete(user, source, async () => {})
        return { user: confirmed, revoked: [] }
      }
      await askToConfirm(confirmEmail, { user, remaining: await access.remaining(user.id) })
      const revoked = await revokeAccess(user, source)
      // Before the address is stored as confirmed: the store may answer too late for this process, and confirm all the same.
      // Then the marker makes the next link revoke the access again.
      await markers.put(user)
      const confirmed = await storeConfirmed(user)
      return { user: confirmed, revoked: [...new Set([...revoked, ...(await revokeRest(user, source))])] }
    },

    /**
     * Completes an earlier confirmation, for a visitor who follows a mailed link to an address that is stored as confirmed. The store
     * may have stored it late, or the process may have died. All access to the user is revoked then. Does nothing when no confirmation
     * is incomplete.
     *
     * @returns as {@link byLink}
     * @throws {EmailNotConfirmed} when access would remain, or the application refuses
     * @throws {AdapterError} when the store fails; another link completes the confirmation then
     */
    async resume(user: AdapterUser, source: LogSource | undefined): Promise<Confirmed> {
      return { user, revoked: (await markers.find(user)) ? await revokeRest(user, source) : [] }
    },

    /**
     * Confirms the address of a user who signs in with an account whose provider has verified that address, if this account is the only
     * access to the user.
     *
     * @returns the user as stored; unchanged when the address is not confirmed by this
     */
    async byProvider(user: AdapterUser, identity: Identity): Promise<AdapterUser> {
      const { account, user: described, source } = identity
      const isVerified = isAddressTrusted(identity) && user.email !== null && user.email === described.email
      if (user.emailVerified || !isVerified || !store.has('updateUser')) return user
      if (!(await access.isOnlyAccess(account, user.id))) return user
      const confirmed = await storeConfirmed(user)
      // Other access may have been added before the address was stored as confirmed.
      const isOnly = await complete(user, source, async () => {
        if (!(await access.isOnlyAccess(account, user.id))) return false
        await access.revokeSessions(user.id)
        return true
      })
      if (!isOnly) {
        await storeUnconfirmed(user, source)
        return user
      }
      await emit('updateUser', { user: confirmed }, source)
      return confirmed
    },
  }
}

/**
 * The marker must live as long as any access that is left, so it should not expire. Tables need a date, so the date is far
 * away. The type `timestamp` of MySQL and MariaDB has no dates after January 2038.
 */
const LIFETIME_MS = 10 * 365 * 24 * 60 * 60 * 1000
const LAST_EXPIRY = Date.UTC(2038, 0, 1)

/**
 * Markers of confirmations that have begun and are not complete, kept as verification tokens. A marker means: check this user's
 * access again. The address may be stored as confirmed while some access remains, because the store stored it late, or the process
 * died before it looked again.
 *
 * The methods throw what the store throws: without a marker nothing is confirmed.
 */
function createConfirmationMarkers({ store, secrets, now }: Pick<UserDependencies, 'store' | 'secrets' | 'now'>) {
  const rowsOf = (user: Pick<AdapterUser, 'id'>) => secrets.map((secret) => markerOf(user, secret))

  const use = async (user: Pick<AdapterUser, 'id'>): Promise<boolean> => {
    let isThere = false
    for (const row of rowsOf(user)) if (await store.useVerificationToken(row)) isThere = true
    return isThere
  }

  const put = async (user: Pick<AdapterUser, 'id'>): Promise<void> => {
    const row = () => ({
      ...markerOf(user, secrets[0] ?? ''),
      expires: new Date(Math.min(now() + LIFETIME_MS, LAST_EXPIRY)),
    })
    try {
      await store.createVerificationToken(row())
    } catch {
      // Most stores refuse a second row with the same texts, and the error of some cannot be distinguished from a fault.
      await use(user)
      await store.createVerificationToken(row())
    }
  }

  return {
    /** Stores the marker of a user. A user has one marker at most. */
    put,
    /**
     * Whether a user has a marker, which stays. After a fault there is no marker that was not there before: it would cost the owner of
     * an address that was confirmed long ago their passkeys and their password.
     */
    async find(user: Pick<AdapterUser, 'id'>): Promise<boolean> {
      if (store.has('getVerificationToken')) {
        for (const row of rowsOf(user)) if (await store.getVerificationToken(row)) return true
        return false
      }
      // Such a store gives a row only to whoever uses it up. Where it cannot be stored again, the confirmation goes on.
      if (!(await use(user))) return false
      await put(user).catch(() => {})
      return true
    },
    async drop(user: Pick<AdapterUser, 'id'>): Promise<void> {
      await use(user)
    },
  }
}

/** The row of a marker: two digests of the user's id, which nobody can make without the secret. */
function markerOf({ id }: Pick<AdapterUser, 'id'>, secret: string): { identifier: string; token: string } {
  const subject = [String(id)]
  return {
    identifier: `confirming:${keyedDigest(secret, 'confirming')(subject)}`,
    token: keyedDigest(secret, 'confirming-of-user')(subject),
  }
}
