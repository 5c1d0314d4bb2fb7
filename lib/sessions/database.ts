import type { AdapterSession, AdapterUser } from '../adapters/adapter.js'
import type { AdapterCalls } from '../adapters/adapter-calls.js'
import { SessionTokenError, withoutDetails } from '../errors.js'
import type { CookieChange, CookieSpec, RequestCookies } from '../http/cookies.js'
import { setCookie } from '../http/cookies.js'
import type { LoggerInstance } from '../logger.js'
import { extensionInterval, nobody, type SessionTimes } from './lifetime.js'
import { clearPieces, clearSessionCookie } from './session-cookie.js'
import { isStoredForm, storedForm } from './stored-token.js'
import {
  type Session,
  type SessionCallback,
  type SessionReading,
  type SessionStart,
  type SessionStrategy,
  sessionParams,
} from './strategy.js'

/** The adapter methods that stored sessions need. */
export const SESSION_METHODS = ['createSession', 'getSessionAndUser', 'updateSession', 'deleteSession'] as const

/** What stored sessions need to know. */
export interface DatabaseSessionSettings {
  readonly cookie: CookieSpec
  readonly adapter: AdapterCalls<(typeof SESSION_METHODS)[number]>
  /** Whether the store keeps when somebody signed in. Others are not handed it, since they may refuse what they do not know. */
  readonly keepsSignInTime: boolean
  readonly times: SessionTimes
  readonly generateSessionToken: () => string
  readonly session: SessionCallback
  readonly logger: LoggerInstance
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

interface Found {
  readonly session: AdapterSession
  readonly user: AdapterUser
}

/** How long an extension is remembered, so that requests that read the row before it do not extend it again. */
const EXTENSION_MEMORY_MS = 10_000

/** Keeps sessions in the adapter's store; the cookie holds a random token, and the store its digest. */
export function createDatabaseSessions(settings: DatabaseSessionSettings): SessionStrategy {
  const { cookie, adapter, keepsSignInTime, times, generateSessionToken, logger, now } = settings
  const maxAgeMs = times.maxAge * 1000
  const updateAgeMs = extensionInterval(times) * 1000
  const maxLifetimeMs = times.maxLifetime * 1000
  const extensions = new Map<string, Promise<Date | null>>()
  const moves = new Map<string, Promise<Found | null>>()

  const tokenOf = (cookies: RequestCookies) => {
    const value = cookies.get(cookie.name)
    return value && !isStoredForm(value) ? value : null
  }

  /** When a session is over whatever happens. One whose beginning is not known is not extended past its present end. */
  const limitOf = ({ authenticatedAt, expires }: Pick<AdapterSession, 'authenticatedAt' | 'expires'>): number => {
    if (maxLifetimeMs === Number.POSITIVE_INFINITY) return maxLifetimeMs
    const began = momentOf(authenticatedAt)
    return began === null ? expires.getTime() : began.getTime() + maxLifetimeMs
  }

  const lookUp = async (sessionToken: string): Promise<Found | null> => {
    const found = await adapter.getSessionAndUser(sessionToken)
    return found ? { ...found, session: { ...found.session, expires: endOf(found.session) } } : null
  }

  const find = async (token: string): Promise<Found | null> => {
    const stored = storedForm(token)
    return (await lookUp(stored)) ?? moveInOnce(token, stored)
  }

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

  /**
   * The new end of a session that is due, or null when there is nothing new to say: the row is gone, or the store failed, in which case the
   * session in hand is still good until its present end.
   */
  const extend = (sessionToken: string, expires: Date, later: Date): Promise<Date | null> => {
    const key = `${sessionToken} ${expires.getTime()}`
    const running = extensions.get(key)
    if (running) return running
    const extension = adapter.updateSession({ sessionToken, expires: later }).then(
      (row) => (row === null ? null : later),
      (error: unknown) => {
        extensions.delete(key)
        logger.error(new SessionTokenError('A session could not be extended.', { err: withoutDetails(error) }))
        return null
      },
    )
    extensions.set(key, extension)
    setTimeout(() => extensions.delete(key), EXTENSION_MEMORY_MS).unref()
    return extension
  }

  const live = async (cookies: RequestCookies): Promise<(Found & { readonly token: string }) | null> => {
    const token = tokenOf(cookies)
    const found = token === null ? null : await find(token)
    if (token === null || !found) return null
    if (Math.min(found.session.expires.getTime(), limitOf(found.session)) > now()) return { ...found, token }
    try {
      await adapter.deleteSession(found.session.sessionToken)
    } catch (error) {
      // It is over all the same. Another request may have deleted it, and some adapters throw when there is nothing to delete.
      logger.error(new SessionTokenError('An expired session could not be deleted.', { err: withoutDetails(error) }))
    }
    return null
  }

  const present = async (
    cookies: RequestCookies,
    { update, mayExtend }: { update?: { data: unknown }; mayExtend: boolean },
  ): Promise<SessionReading> => {
    const found = await live(cookies)
    if (!found) return nobody(clearSessionCookie(cookies, cookie))
    const { session: row, user, token } = found
    const end = row.expires.getTime()
    const target = Math.min(now() + maxAgeMs, limitOf(row))
    const isDue = mayExtend && target > end && end - maxAgeMs + updateAgeMs <= now()
    const later = isDue ? await extend(storedForm(token), row.expires, new Date(target)) : null
    const expires = later ?? row.expires
    const shown = await settings.session(sessionParams({ session: { ...row, user, expires }, user, update }))
    const changes = later ? write(cookies, token, later) : leftovers(cookies)
    if (!shown) return nobody(changes)
    return {
      session: shown as Session,
      cookies: changes,
      message: { session: shown as Session },
      authenticatedAt: momentOf(row.authenticatedAt),
    }
  }

  const leftovers = (cookies: RequestCookies) => clearPieces(cookies, cookie)

  const write = (cookies: RequestCookies, token: string, expires: Date): readonly CookieChange[] => [
    ...leftovers(cookies),
    setCookie(cookie, token, { expires }),
  ]

  /** Ends the session of a cookie, after a move of its row that is under way; none begins meanwhile. */
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
    name: 'database',
    read: (cookies) => faultsAs('read', () => present(cookies, { mayExtend: true })),
    peek: (cookies) => faultsAs('read', () => present(cookies, { mayExtend: false })),
    update: (cookies, data) => faultsAs('update', () => present(cookies, { update: { data }, mayExtend: true })),
    async holder(cookies) {
      const found = await faultsAs('read', () => live(cookies))
      return found && { id: found.user.id, authenticatedAt: momentOf(found.session.authenticatedAt) }
    },
    issue: (start: SessionStart, cookies) =>
      faultsAs('start', async () => {
        const token = generateSessionToken()
        const authenticatedAt = start.authenticatedAt === undefined ? new Date(now()) : start.authenticatedAt
        const longest = new Date(now() + maxAgeMs)
        const expires = new Date(Math.min(longest.getTime(), limitOf({ authenticatedAt, expires: longest })))
        const row = { sessionToken: storedForm(token), userId: start.user.id, expires }
        await adapter.createSession(keepsSignInTime ? { ...row, authenticatedAt } : row)
        // The session of before ends with the new one's beginning: nobody gains by having planted it (SESS-02).
        const before = tokenOf(cookies)
        if (before !== null) await end(before)
        return write(cookies, token, expires)
      }),
    async revoke(cookies) {
      const token = tokenOf(cookies)
      const cleared = clearSessionCookie(cookies, cookie)
      if (token === null) return { cookies: cleared, ended: null }
      try {
        return { cookies: cleared, ended: { session: await end(token) } }
      } catch (error) {
        // Whoever signs out on a shared machine must not stay signed in there because a store is down.
        logger.error(new SessionTokenError('A session could not be deleted.', { err: withoutDetails(error) }))
        return { cookies: cleared, ended: null }
      }
    },
  }
}

/**
 * The end of a stored session, which some adapters made for Auth.js give as text or as a number.
 *
 * @throws {TypeError} when it is no moment: that is a fault of the store, and neither a session without an end nor one that is over
 */
function endOf({ expires }: { readonly expires: Date | string | number }): Date {
  const end = new Date(expires ?? Number.NaN)
  if (Number.isNaN(end.getTime())) throw new TypeError('The adapter gave a session whose `expires` is no date.')
  return end
}

/** When somebody signed in, as adapters give it; null when they keep no such thing. */
function momentOf(value: Date | string | number | null | undefined): Date | null {
  const moment = new Date(value ?? Number.NaN)
  return Number.isNaN(moment.getTime()) ? null : moment
}

/** Whatever fails is a session fault that keeps the cookie. */
async function faultsAs<T>(verb: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new SessionTokenError(`Could not ${verb} a stored session.`, { err: withoutDetails(error) })
  }
}
