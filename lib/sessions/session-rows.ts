import type { Adapter, AdapterSession, AdapterUser } from '../adapters/adapter.js'
import type { AdapterCalls } from '../adapters/adapter-calls.js'
import { unwantedError } from '../adapters/failures.js'
import type { IsWanted } from '../adapters/look-up-options.js'
import { isTimeout } from '../adapters/timeouts.js'
import { type MaybePromise, whenReady } from '../awaitable.js'
import { AdapterError, SessionTokenError, withoutDetails } from '../errors.js'
import type { LoggerInstance } from '../logger.js'
import { storedForm } from './stored-token.js'

/** The adapter methods that stored sessions need. */
export const SESSION_METHODS = ['createSession', 'getSessionAndUser', 'updateSession', 'deleteSession'] as const

/**
 * Whether an adapter keeps when a user signed in, as `authenticatedAt` of a session. One with `deleteSessionsByUserId` does, by
 * the contract; others are not given it, since they may refuse unknown members.
 */
export const keepsSignInTime = ({ deleteSessionsByUserId }: Adapter): boolean =>
  typeof deleteSessionsByUserId === 'function'

/** A stored session and its user. The session has the token that its row is kept under. */
export interface Found {
  readonly session: AdapterSession
  readonly user: AdapterUser
}

/** What the rows need to know. */
export interface SessionRowsSettings {
  readonly adapter: AdapterCalls<(typeof SESSION_METHODS)[number] | 'changeSessionToken'>
  /** Whether the adapter has `changeSessionToken`. */
  readonly changesTokens: boolean
  /** Name of the instance, where there are several. Rows of Auth.js, which say nothing of an instance, are then none. */
  readonly instance: string | undefined
  readonly logger: LoggerInstance
}

/** The rows of sessions, found and deleted by the token that is in the cookie. */
export interface SessionRows {
  /**
   * Null when there is no session, or no user. There is no promise where the store answers at once.
   *
   * @param isWanted asked before each look-up; absent for a look-up that is always made
   */
  find(token: string, isWanted?: IsWanted): MaybePromise<Found | null>
  /** Ends the session. Gives what the adapter says it deleted. */
  end(token: string): Promise<AdapterSession | null>
  /**
   * Ends the session that is kept under a digest.
   *
   * @throws {AdapterError} when it may be there still
   */
  endStored(stored: string): Promise<void>
}

/**
 * The rows in an adapter's store. They are kept under a digest of the token. Rows that Auth.js wrote have the token itself: they are given the digest where
 * the adapter can do that in one step, and otherwise stay as they are until they end.
 */
export function createSessionRows({ adapter, changesTokens, instance, logger }: SessionRowsSettings): SessionRows {
  /** A look-up is not made once all who wait for it have left, or waited too long. */
  const lookUp = (sessionToken: string, isWanted?: IsWanted): MaybePromise<Found | null> => {
    if (!isWanted) return whenReady(adapter.getSessionAndUser(sessionToken), withExpiry)
    if (!isWanted()) return Promise.reject(unwantedError())
    return whenReady(adapter.getSessionAndUser(sessionToken, { isWanted }), withExpiry)
  }

  const findPlain = async (token: string, stored: string, isWanted: IsWanted | undefined): Promise<Found | null> => {
    if (instance !== undefined) return null
    const plain = await lookUp(token, isWanted)
    if (!changesTokens) return plain
    // Where another request gave it the digest between the two look-ups, a third finds it.
    return plain ? giveDigest(plain, stored) : lookUp(stored, isWanted)
  }

  const giveDigest = async (plain: Found, stored: string): Promise<Found | null> => {
    try {
      const changed = await adapter.changeSessionToken(plain.session.sessionToken, stored)
      // Nothing means that another request has done it, or has ended the session.
      return changed ? { ...plain, session: { ...plain.session, sessionToken: stored } } : await lookUp(stored)
    } catch (error) {
      // It is good all the same, and the next request tries again.
      const cause = { err: withoutDetails(error) }
      logger.error(new SessionTokenError('A session of Auth.js could not be given the digest of its token.', cause))
      return plain
    }
  }

  const deleteAll = (forms: readonly string[]) => Promise.all(forms.map(deleteOne))

  const deleteOne = async (form: string) => {
    try {
      return { deleted: (await adapter.deleteSession(form)) || null, error: null }
    } catch (error) {
      return { deleted: null, error: error as AdapterError }
    }
  }

  const isStored = async (forms: readonly string[]): Promise<boolean> => {
    for (const form of forms) if (await lookUp(form)) return true
    return false
  }

  return {
    find(token, isWanted) {
      const stored = storedForm(token, instance)
      return whenReady(lookUp(stored, isWanted), (found) => found ?? findPlain(token, stored, isWanted))
    },

    async end(token) {
      const stored = storedForm(token, instance)
      const forms = instance === undefined ? [stored, token] : [stored]
      const outcomes = await deleteAll(forms)
      // A store that gives no answer is not asked again: each time would take as long.
      const timeout = outcomes.find(({ error }) => isTimeout(error))
      if (timeout) throw timeout.error
      // A row that was given its digest between the two deletions was met by neither (SESS-14).
      if (changesTokens && !outcomes.some(({ deleted }) => deleted)) outcomes.push(...(await deleteAll([stored])))
      // Some adapters throw when there is nothing to delete: a failure counts when there is.
      const failure = outcomes.find(({ error }) => error !== null)
      const ended = outcomes.find(({ deleted }) => deleted)?.deleted ?? null
      // Some delete and say nothing, and some say nothing and delete nothing.
      if ((failure || !ended) && (await isStored(forms))) throw failure?.error ?? new AdapterError(NOT_DELETED)
      return ended && withDigest(ended, token, instance)
    },

    async endStored(stored) {
      const { deleted, error } = await deleteOne(stored)
      if (isTimeout(error)) throw error
      if (!deleted && (await lookUp(stored))) throw error ?? new AdapterError(NOT_DELETED)
    },
  }
}

const NOT_DELETED = "The adapter's deleteSession() deleted nothing: the session is still there."

/** A row as callbacks and events see it: one that has the token itself would hand it to whatever they do with it (SESS-13). */
export const withDigest = (session: AdapterSession, token: string, instance: string | undefined): AdapterSession =>
  session.sessionToken === token ? { ...session, sessionToken: storedForm(token, instance) } : session

/** What was found, with an expiry that is a date. The calls of an adapter check that it is what was asked for. */
function withExpiry(found: Found | null | undefined): Found | null {
  if (!found) return null
  const expires = expiryOf(found.session)
  return expires === found.session.expires ? found : { session: { ...found.session, expires }, user: found.user }
}

/**
 * The expiry of a stored session. Some adapters made for Auth.js give it as text or as a number.
 *
 * @throws {TypeError} when it is no date: that is a fault of the store, and means neither that the session has no expiry
 *   nor that it has expired
 */
function expiryOf({ expires }: { readonly expires: Date | string | number }): Date {
  const expiry = expires instanceof Date ? expires : new Date(expires ?? Number.NaN)
  if (Number.isNaN(expiry.getTime())) throw new TypeError('The adapter gave a session whose `expires` is no date.')
  return expiry
}
