import type { AdapterSession, AdapterUser } from '../adapters/adapter.js'
import type { AdapterCalls } from '../adapters/adapter-calls.js'
import { type MaybePromise, whenReady } from '../awaitable.js'
import { storedForm } from './stored-token.js'

/** The adapter methods that stored sessions need. */
export const SESSION_METHODS = ['createSession', 'getSessionAndUser', 'updateSession', 'deleteSession'] as const

/** A stored session and its user. */
export interface Found {
  readonly session: AdapterSession
  readonly user: AdapterUser
}

/** The rows of sessions, found and deleted by the token that is in the cookie. */
export interface SessionRows {
  /** Null when there is no session, or no user. There is no promise where the store answers at once. */
  find(token: string): MaybePromise<Found | null>
  /** Ends the session, after a move of its row that is under way; none begins meanwhile. Gives what the adapter says it deleted. */
  end(token: string): Promise<AdapterSession | null>
}

/**
 * The rows in an adapter's store. They are kept under a digest of the token; rows that Auth.js wrote have the token itself, and are moved.
 *
 * @param now milliseconds since the epoch
 */
export function createSessionRows(
  adapter: AdapterCalls<(typeof SESSION_METHODS)[number]>,
  now: () => number,
): SessionRows {
  const moves = new Map<string, Promise<Found | null>>()

  const lookUp = (sessionToken: string): MaybePromise<Found | null> =>
    whenReady(adapter.getSessionAndUser(sessionToken), withEnd)

  /** Requests of one browser come together, and a row can be moved one time only. One that is being deleted is moved no more. */
  const moveInOnce = (token: string, stored: string): Promise<Found | null> => {
    const running = moves.get(stored)
    if (running) return running
    const move = moveIn(token, stored).finally(() => {
      if (moves.get(stored) === move) moves.delete(stored)
    })
    moves.set(stored, move)
    return move
  }

  /** A row that Auth.js wrote has the token itself. It is honoured, and rewritten so that the store keeps only the digest. */
  const moveIn = async (token: string, stored: string): Promise<Found | null> => {
    const plain = await lookUp(token)
    // One of the two rows is there at any time, so what was moved between the look-ups is found by a third.
    if (!plain) return lookUp(stored)
    const { userId, expires } = plain.session
    if (expires.getTime() <= now()) return plain
    try {
      await adapter.createSession({ sessionToken: stored, userId, expires })
    } catch (error) {
      // Another process is moving it.
      const moved = await lookUp(stored)
      if (moved || !(await lookUp(token))) return moved
      throw error
    }
    // Who makes the new row deletes the old one. That somebody else has done so is a sign-out, and a delete wins (SESS-14).
    if ((await adapter.deleteSession(token)) === null) {
      await adapter.deleteSession(stored)
      return null
    }
    return { ...plain, session: { ...plain.session, sessionToken: stored } }
  }

  const orMoveIn = async (found: Promise<Found | null>, token: string, stored: string): Promise<Found | null> =>
    (await found) ?? moveInOnce(token, stored)

  const end = (token: string): Promise<AdapterSession | null> => {
    const stored = storedForm(token)
    const before = moves.get(stored) ?? Promise.resolve(null)
    const ending = before.catch(() => null).then(() => deleteBoth(token))
    const settled = ending.then(
      () => null,
      () => null,
    )
    moves.set(stored, settled)
    return ending.finally(() => {
      if (moves.get(stored) === settled) moves.delete(stored)
    })
  }

  /** Deletes the row, whichever form it has. Gives what the adapter says it deleted. */
  const deleteBoth = async (token: string): Promise<AdapterSession | null> => {
    const forms = [storedForm(token), token]
    const outcomes = await Promise.allSettled(forms.map((form) => adapter.deleteSession(form)))
    for (const outcome of outcomes) {
      // Some adapters throw when there is nothing to delete: a failure counts when there is.
      if (outcome.status === 'rejected' && (await isStored(forms))) throw outcome.reason
    }
    return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : null)).find(Boolean) ?? null
  }

  const isStored = async (forms: readonly string[]): Promise<boolean> => {
    for (const form of forms) if (await adapter.getSessionAndUser(form)) return true
    return false
  }

  return {
    find(token) {
      const stored = storedForm(token)
      const found = lookUp(stored)
      return found instanceof Promise ? orMoveIn(found, token, stored) : (found ?? moveInOnce(token, stored))
    },
    end,
  }
}

function withEnd(found: Found | null): Found | null {
  if (!found) return null
  const { session, user } = found
  const expires = endOf(session)
  return expires === session.expires ? found : { session: { ...session, expires }, user }
}

/**
 * The end of a stored session, which some adapters made for Auth.js give as text or as a number.
 *
 * @throws {TypeError} when it is no moment: that is a fault of the store, and neither a session without an end nor one that is over
 */
function endOf({ expires }: { readonly expires: Date | string | number }): Date {
  const end = expires instanceof Date ? expires : new Date(expires ?? Number.NaN)
  if (Number.isNaN(end.getTime())) throw new TypeError('The adapter gave a session whose `expires` is no date.')
  return end
}
