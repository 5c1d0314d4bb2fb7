import type { Store } from '../adapters/gateway.js'
import { within } from '../awaitable.js'
import type { JWT } from '../crypto/jwt.js'
import { JWTSessionError, withoutDetails } from '../errors.js'
import type { Awaitable, User } from '../providers/provider.js'
import { describeValue, isRecord } from '../shapes/describe-value.js'

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
export type UserSource = (asked: RefreshUserParams) => Promise<User | null>

/** Asks the store. Adapters made for Auth.js may give undefined in place of null. */
export const userFromAdapter =
  (store: Pick<Store, 'getUser'>): UserSource =>
  async ({ userId }) =>
    (await store.getUser(userId)) ?? null

/**
 * Asks the callback of the application.
 *
 * @param milliseconds how long it may take; `Infinity` for no limit
 */
export function userFromCallback(callback: RefreshUserCallback, milliseconds: number): UserSource {
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
