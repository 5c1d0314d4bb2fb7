import type { Store } from '../adapters/gateway.js'
import { within } from '../kernel/awaitable.js'
import { type JWT, ownClaims } from '../kernel/claims.js'
import { describeValue, isRecord } from '../kernel/describe-value.js'
import { JWTSessionError, withoutDetails } from '../kernel/errors.js'
import type { Awaitable, User } from '../providers/provider.js'
import { createRecentLookups } from './lookups.js'
import { isDisabled, UserNotAdmitted } from './may-be-used.js'
import { userIdOf } from './session-claim.js'
import type { SessionStart } from './session-manager.js'

interface UserReading {
  /** Null if the user is deleted or disabled. */
  readonly user: User | null
  readonly isDeleted: boolean
  /** When the reading began, milliseconds since the epoch. */
  readonly readAt: number
}

/** What is needed of a token session whose user is read. */
interface Reader {
  readonly claims: JWT
  readonly sessionClaim: { readonly id: string; readonly refreshedAt?: number }
}

export type FreshUsers = ReturnType<typeof createFreshUsers>

interface FreshUsersSettings {
  /** Seconds for which a reading is used; 0 reads the user for every request; `Infinity` only once. */
  readonly seconds: number
  /** If undefined, the adapter is asked, which has `getUser` then. */
  readonly callback: RefreshUserCallback | undefined
  readonly store: Store
  /** Seconds that a call may take. */
  readonly storeTimeout: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A user can have many members, so fewer results are kept than of other look-ups. */
const CAPACITY = 20_000

/** Reads the users of token sessions again after some seconds, from the callback or the adapter. */
export function createFreshUsers(settings: FreshUsersSettings) {
  const { seconds, callback, now } = settings
  const find = callback ? userFromCallback(callback, settings.storeTimeout * 1000) : userFromAdapter(settings.store)

  const lookUp = async (userId: string, claims: JWT): Promise<UserReading> => {
    const readAt = now()
    const user = await find({ userId, token: { ...ownClaims(claims) } })
    return { user: user !== null && !isDisabled(user) ? user : null, isDeleted: user === null, readAt }
  }

  const recent = createRecentLookups((_key, { userId, claims }: Asked) => lookUp(userId, claims), {
    seconds,
    now,
    capacity: CAPACITY,
  })
  // The callback sees the token, and may decide by its claims. So two sessions of one user share no result of it.
  const keyOf = callback ? (_userId: string, session: { id: string }) => session.id : (userId: string) => String(userId)

  return {
    /** Whether tokens should record the time of the reading. If not, every request reads the user. */
    isRecorded: seconds > 0,

    /** Whether the last reading for a token was so long ago that the user has to be read again. */
    isDue({ sessionClaim: { refreshedAt } }: Pick<Reader, 'sessionClaim'>): boolean {
      if (refreshedAt === undefined) return true
      const age = now() - refreshedAt
      // A clock that was set back makes a reading old, not young.
      return age < 0 || age >= seconds * 1000
    },

    /**
     * Reads the user of a token, or gives what this process has read a short time ago.
     *
     * @throws when the store or the callback fails, takes too long, or gives nonsense
     */
    async read({ claims, sessionClaim }: Reader): Promise<UserReading> {
      const userId = userIdOf(claims)
      if (userId === null) return { user: null, isDeleted: true, readAt: now() }
      return recent.get(keyOf(userId, sessionClaim), { userId, claims })
    },

    /**
     * Reads the user of a session that begins, in any case. Gives when the reading began, milliseconds since the epoch.
     *
     * @throws {AccessDenied} when the user is deleted or disabled
     * @throws {JWTSessionError} when the claims name no user, or a store has no user with the id that `authorize()` gave
     */
    async admit(start: SessionStart, claims: JWT): Promise<number> {
      const userId = userIdOf(claims)
      if (userId === null) throw new JWTSessionError(NO_SUBJECT)
      const { user, isDeleted, readAt } = await lookUp(userId, claims)
      if (user === null) {
        if (isDeleted && !callback && start.account.type === 'credentials') throw new JWTSessionError(NO_STORED_USER)
        throw new UserNotAdmitted('The user is disabled, or there is no such user.')
      }
      // This process may have read the user a short time ago, when the user was disabled.
      if (!callback) recent.forget(String(userId))
      return readAt
    },
  }
}

interface Asked {
  readonly userId: string
  readonly claims: JWT
}

const NO_SUBJECT =
  'With session.refreshUser, a session needs the id of its user: the jwt callback must keep the claim `sub`.'

const NO_STORED_USER =
  'authorize() gave the id of no stored user. With session.refreshUser it must give a user that the adapter has, with its id; or set callbacks.refreshUser, which is asked in place of the adapter.'

/** The argument of the `refreshUser` callback. */
export interface RefreshUserParams {
  /** Id of the user: the claim `sub`. */
  userId: string
  /** The claims of the token. It is a copy. */
  token: JWT
}

/** A user as the `refreshUser` callback gives it. With a `disabled` that is true, the session does not count. */
export type RefreshedUser = User & { disabled?: unknown }

/** Gives a user as it is now; null if there is no such user any more. */
export type RefreshUserCallback = (params: RefreshUserParams) => Awaitable<RefreshedUser | null>

/** Finds a user as it is now. Null means that there is none. Everything that is not known for certain is an error. */
type UserSource = (asked: RefreshUserParams) => Promise<User | null>

/** Asks the store. Adapters made for Auth.js may give undefined in place of null. */
const userFromAdapter =
  (store: Pick<Store, 'getUser'>): UserSource =>
  async ({ userId }) =>
    (await store.getUser(userId)) ?? null

/**
 * Asks the callback of the application.
 *
 * @param milliseconds how long it may take; `Infinity` for no limit
 */
function userFromCallback(callback: RefreshUserCallback, milliseconds: number): UserSource {
  const noAnswer = () => new Error(`It gave no answer within ${milliseconds} ms, the time of storeTimeout.`)
  return async (asked) => {
    const { userId } = asked
    try {
      const answer = (async () => callback(asked))()
      return requireUser(await within(answer, milliseconds, noAnswer), userId)
    } catch (error) {
      throw new JWTSessionError('callbacks.refreshUser failed.', { err: withoutDetails(error) })
    }
  }
}

/**
 * What the callback gave.
 *
 * @throws {TypeError} when it is neither a user nor null: a forgotten `return` must neither let somebody in nor sign
 *   somebody out
 */
function requireUser(given: unknown, userId: string): User | null {
  if (given === null) return null
  if (!isRecord(given)) {
    throw new TypeError(`It gave ${describeValue(given)}. It gives the user, or null if there is no such user.`)
  }
  const { id } = given
  if (id === undefined || String(id) === String(userId)) return given as User
  throw new TypeError('It gave a user with another id than it was asked for.')
}
