import type { Adapter, AdapterSession, AdapterUser, SessionDetails } from '../adapters/adapter.js'
import { isTimeout, unwantedError } from '../adapters/failures.js'
import type { Store } from '../adapters/gateway.js'
import type { IsWanted } from '../adapters/methods.js'
import { type MaybePromise, whenReady } from '../kernel/awaitable.js'
import { AdapterError, SessionTokenError, withoutDetails } from '../kernel/errors.js'
import type { Log } from '../kernel/logger.js'
import { membersOf } from '../kernel/objects.js'
import { createRecentCache } from '../kernel/recent-cache.js'
import { storedForm } from './stored-token.js'

/** The adapter methods that stored sessions need. */
export const SESSION_METHODS = ['createSession', 'getSessionAndUser', 'updateSession', 'deleteSession'] as const

/**
 * Whether an adapter stores the time of the sign-in, as `authenticatedAt` of a session. By the contract, an adapter
 * with `deleteSessionsByUserId` does. Other adapters do not get the member, because an unknown member may make them fail.
 */
export const keepsSignInTime = ({ deleteSessionsByUserId }: Adapter): boolean =>
  typeof deleteSessionsByUserId === 'function'

/** A stored session and its user. The token of the session is the one under which the row is stored. */
export interface RowAndUser {
  readonly session: AdapterSession
  readonly user: AdapterUser
}

/** What the rows need to know. */
export interface SessionRowsSettings {
  readonly store: Pick<Store, (typeof SESSION_METHODS)[number] | 'changeSessionToken' | 'has'>
  /** Name of the instance, if there are several. Then rows of Auth.js do not count, because they name no instance. */
  readonly instance: string | undefined
  readonly logger: Log
}

export type SessionRows = ReturnType<typeof createSessionRows>

/**
 * The rows of sessions in an adapter's store, found and deleted by the token of the cookie. They are stored under a digest of it.
 * Rows that Auth.js wrote have the token itself. They get the digest if the adapter can do that in one step; otherwise they stay
 * as they are until they expire.
 */
export function createSessionRows({ store, instance, logger }: SessionRowsSettings) {
  /** The look-up is not made if every request that waited for it has left, or has waited too long. */
  const lookUp = (sessionToken: string, isWanted?: IsWanted): MaybePromise<RowAndUser | null> => {
    if (!isWanted) return store.getSessionAndUser(sessionToken)
    return isWanted() ? store.getSessionAndUser(sessionToken, { isWanted }) : Promise.reject(unwantedError())
  }

  /** Digests of tokens in other forms that were found: such a row never has the token itself again. */
  const digested = createRecentCache<string, true>(KNOWN_DIGESTS)

  /** Under the token, where a row of Auth.js is. */
  const findPlain = async (token: string, stored: string, isWanted: IsWanted | undefined) => {
    const plain = await lookUp(token, isWanted)
    return plain && store.has('changeSessionToken') ? giveDigest(plain, stored) : plain
  }

  /** Under the token first: so the row of Auth.js is found, whenever another request gives it the digest. */
  const findOther = async (token: string, stored: string, isWanted: IsWanted | undefined) => {
    const plain = await findPlain(token, stored, isWanted)
    if (plain) return plain
    const found = await lookUp(stored, isWanted)
    if (found) digested.set(stored, true)
    return found
  }

  const giveDigest = async (plain: RowAndUser, stored: string): Promise<RowAndUser | null> => {
    try {
      const changed = await store.changeSessionToken(plain.session.sessionToken, stored)
      // If the adapter changed no row, another request has changed it, or has ended the session.
      return changed
        ? { ...plain, session: { ...membersOf(plain.session), sessionToken: stored } }
        : await lookUp(stored)
    } catch (error) {
      // The session is still valid, and the next request tries again.
      const cause = { err: withoutDetails(error) }
      logger.error(new SessionTokenError('A session of Auth.js could not be given the digest of its token.', cause))
      return plain
    }
  }

  const deleteAll = (forms: readonly string[]) => Promise.all(forms.map(deleteOne))

  const deleteOne = async (form: string) => {
    try {
      return { deleted: (await store.deleteSession(form)) || null, error: null }
    } catch (error) {
      return { deleted: null, error: error as AdapterError }
    }
  }

  const isStored = async (forms: readonly string[]): Promise<boolean> => {
    for (const form of forms) if (await lookUp(form)) return true
    return false
  }

  /**
   * Finds a session; null when there is no session, or no user. The result is no promise if the adapter gives none.
   *
   * @param isWanted called before each look-up; if it gives false, the look-up is not made. Absent: every look-up is made
   */
  const find = (token: string, isWanted?: IsWanted): MaybePromise<RowAndUser | null> => {
    const stored = storedForm(token, instance)
    if (instance !== undefined) return lookUp(stored, isWanted)
    if (!OWN_FORM.test(token))
      return digested.get(stored) ? lookUp(stored, isWanted) : findOther(token, stored, isWanted)
    return whenReady(lookUp(stored, isWanted), (found) => found ?? findPlain(token, stored, isWanted))
  }

  /** Deletes the session, whichever form of its token the row has. Afterwards the row does not exist any more. */
  const deleteRow = async (token: string) => {
    const stored = storedForm(token, instance)
    const forms = instance === undefined ? [stored, token] : [stored]
    const outcomes = await deleteAll(forms)
    // After a timeout the store is not called again, because each call would take as long.
    const timeout = outcomes.find(({ error }) => isTimeout(error))
    if (timeout) throw timeout.error
    // If the row got its digest between the two deletions, neither of them found it (SESS-14).
    if (store.has('changeSessionToken') && !outcomes.some(({ deleted }) => deleted))
      outcomes.push(...(await deleteAll([stored])))
    // Some adapters throw when there is nothing to delete. So a failure counts only if a row is still stored.
    const failure = outcomes.find(({ error }) => error !== null)
    const ended = outcomes.find(({ deleted }) => deleted)?.deleted ?? null
    // If nothing was returned, it is not known whether a row was deleted: some adapters always return nothing.
    if ((failure || !ended) && (await isStored(forms))) throw failure?.error ?? new AdapterError(NOT_DELETED)
    return ended
  }

  return {
    find,

    /**
     * Deletes the session. Gives the row that was deleted; null if the adapter gave none.
     *
     * @throws {AdapterError} when the row may still exist
     */
    async end(token: string): Promise<AdapterSession | null> {
      const ended = await deleteRow(token)
      return ended && withDigest(ended, token, instance)
    },

    /**
     * Deletes the session that is stored under a digest.
     *
     * @throws {AdapterError} when the row may still exist
     */
    async endStored(stored: string): Promise<void> {
      const { deleted, error } = await deleteOne(stored)
      if (isTimeout(error)) throw error
      if (!deleted && (await lookUp(stored))) throw error ?? new AdapterError(NOT_DELETED)
    },
  }
}

/** How many sessions whose token Auth.js or the application made are found by one look-up. */
const KNOWN_DIGESTS = 10_000

/** Auth.js makes no such tokens. What sign-ins have decided may follow: `tokenWithChoice` in `stored-token.ts`. */
const OWN_FORM = /^[0-9a-f]{64}(?:~|$)/

const NOT_DELETED = "The adapter's deleteSession() deleted nothing: the session is still there."

/**
 * A row as callbacks and events see it: with the digest in place of the token, so that no token leaks there (SESS-13).
 */
const withDigest = (session: AdapterSession, token: string, instance: string | undefined): AdapterSession =>
  session.sessionToken === token ? { ...membersOf(session), sessionToken: storedForm(token, instance) } : session

/**
 * A row as the `session` callback gets it. Many applications return what they get, and so show it to browsers. So it has
 * no details for the list of sessions, such as the network.
 */
export function forCallback(session: AdapterSession, token: string, instance: string | undefined): AdapterSession {
  const members = Object.entries(membersOf(withDigest(session, token, instance))).filter(([name]) => !DETAILS.has(name))
  return Object.fromEntries(members) as unknown as AdapterSession
}

const DETAILS: ReadonlySet<string> = new Set(
  Object.keys({
    createdAt: true,
    lastSeenAt: true,
    userAgent: true,
    network: true,
    kind: true,
    name: true,
    scope: true,
    instance: true,
    provider: true,
    subject: true,
    sid: true,
    lifetime: true,
    authentication: true,
  } satisfies Record<keyof SessionDetails | 'lifetime' | 'authentication', true>),
)

/**
 * The expiry of a stored session. Some adapters made for Auth.js give it as text or as a number.
 *
 * @throws {TypeError} when it is not a date. That is a fault of the store. It does not mean that the session has no
 *   expiry, or that it has expired
 */
export function expiryOf({ expires }: { readonly expires: Date | string | number }): Date {
  const expiry = expires instanceof Date ? expires : new Date(expires ?? Number.NaN)
  if (Number.isNaN(expiry.getTime())) throw new TypeError('The adapter gave a session whose `expires` is no date.')
  return expiry
}
