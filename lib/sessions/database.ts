import type { AdapterSession, AdapterUser } from '../adapters/adapter.js'
import { isUnwanted } from '../adapters/wanted.js'
import { type MaybePromise, rescue, whenReady } from '../awaitable.js'
import { RequestRefused, SessionTokenError, withoutDetails } from '../errors.js'
import type { Client } from '../http/client.js'
import type { CookieChange, CookieSpec, RequestCookies } from '../http/cookies.js'
import { setCookie } from '../http/cookies.js'
import { createSessionEnding, type SessionEndingSettings } from './ending.js'
import { createSessionExtension } from './extension.js'
import { extensionInterval, nobody, type SessionTimes, textOfTime } from './lifetime.js'
import {
  PEEK,
  type Presenting,
  principalOf,
  READ,
  type Session,
  type SessionManager,
  type SessionReading,
  type SessionStart,
  sessionParams,
} from './session.js'
import { clearPieces, clearSessionCookie } from './session-cookie.js'
import { createSessionRows, type Found, type SessionRowsSettings, withDigest } from './session-rows.js'
import { shareLookups } from './shared-lookups.js'
import type { CheckedSessionCallback } from './shown-session.js'
import { isSessionToken, requireSessionToken, storedForm } from './stored-token.js'

/** What stored sessions need to know. */
export interface DatabaseSessionSettings extends SessionRowsSettings, SessionEndingSettings {
  readonly cookie: CookieSpec
  /** Whether the store keeps when somebody signed in. Others are not handed it, since they may refuse what they do not know. */
  readonly keepsSignInTime: boolean
  readonly times: SessionTimes
  /** Seconds that a request waits for its session, where the store does not answer at once. */
  readonly storeTimeout: number
  readonly generateSessionToken: () => string
  /** Null when the application has none: then the usual members of the user are shown. */
  readonly session: CheckedSessionCallback | null
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Keeps sessions in the adapter's store; the cookie holds a random token, and the store its digest. */
export function createDatabaseSessions(settings: DatabaseSessionSettings): SessionManager {
  const { cookie, adapter, keepsSignInTime, times, generateSessionToken, logger, now } = settings
  const maxAgeMs = times.maxAge * 1000
  const updateAgeMs = extensionInterval(times) * 1000
  const maxLifetimeMs = times.maxLifetime * 1000
  const rows = createSessionRows(settings)
  const findShared = shareLookups((token) => rows.find(token), settings.storeTimeout * 1000)
  const { extend } = createSessionExtension(settings)
  const { isEnding, signOut, replace } = createSessionEnding(rows, settings)

  const tokenOf = (cookies: RequestCookies) => {
    const value = cookies.get(cookie.name)
    return value && isSessionToken(value) ? value : null
  }

  /** When a session is over whatever happens. One whose beginning is not known is not extended past its present end. */
  const limitOf = ({ authenticatedAt, expires }: Pick<AdapterSession, 'authenticatedAt' | 'expires'>): number => {
    if (maxLifetimeMs === Number.POSITIVE_INFINITY) return maxLifetimeMs
    const began = momentOf(authenticatedAt)
    return began === null ? expires.getTime() : began + maxLifetimeMs
  }

  /** The rows of a session that is not over. */
  const live = (token: string | null, client: Client | undefined): MaybePromise<Found | null> => {
    // The store is not asked: the sign-out wins, and whoever has a copy does not wait for a store that is down.
    if (token === null || isEnding(token)) return null
    const found = findShared(token, client)
    return found instanceof Promise ? found.then(unlessOver) : unlessOver(found)
  }

  const unlessOver = (found: Found | null): MaybePromise<Found | null> => {
    if (!found) return null
    return Math.min(found.session.expires.getTime(), limitOf(found.session)) > now() ? found : sweep(found)
  }

  const sweep = async ({ session }: Found): Promise<null> => {
    try {
      await adapter.deleteSession(session.sessionToken)
    } catch (error) {
      // It is over all the same. Another request may have deleted it, and some adapters throw when there is nothing to delete.
      logger.error(new SessionTokenError('An expired session could not be deleted.', { err: withoutDetails(error) }))
    }
    return null
  }

  // What follows is in functions that make no closure where nothing is waited for: each would be garbage of every request.
  const present = (cookies: RequestCookies, how: Presenting, client?: Client): MaybePromise<SessionReading> => {
    try {
      const token = tokenOf(cookies)
      const found = live(token, client)
      const reading =
        found instanceof Promise ? lookLater(cookies, token, found, how) : look(cookies, token, found, how)
      return reading instanceof Promise ? reading.catch((error: unknown) => failed(how.verb, error)) : reading
    } catch (error) {
      return failed(how.verb, error)
    }
  }

  const lookLater = (cookies: RequestCookies, token: string | null, found: Promise<Found | null>, how: Presenting) =>
    found.then((found) => look(cookies, token, found, how))

  const look = (
    cookies: RequestCookies,
    token: string | null,
    found: Found | null,
    how: Presenting,
  ): MaybePromise<SessionReading> => {
    if (!found || token === null || isEnding(token)) return nobody(clearSessionCookie(cookies, cookie))
    const { session: row } = found
    const end = row.expires.getTime()
    const target = Math.min(now() + maxAgeMs, limitOf(row))
    const isDue = how.mayWrite && target > end && end - maxAgeMs + updateAgeMs <= now()
    return isDue ? extendAndShow(cookies, token, found, how, new Date(target)) : show(cookies, token, found, how, null)
  }

  const extendAndShow = async (
    cookies: RequestCookies,
    token: string,
    found: Found,
    how: Presenting,
    target: Date,
  ): Promise<SessionReading> => show(cookies, token, found, how, await extend(found.session, target))

  /** @param later the new end of a session that was extended; null for one that was not */
  const show = (
    cookies: RequestCookies,
    token: string,
    found: Found,
    how: Presenting,
    later: Date | null,
  ): MaybePromise<SessionReading> => {
    const { session: row, user } = found
    const expires = later ?? row.expires
    const changes = later ? write(cookies, token, later) : leftovers(cookies)
    if (!settings.session) return told(found, token, usualSession(user, expires), changes)
    const session = { ...withDigest(row, token, settings.instance), user, expires }
    return dress(found, token, settings.session(sessionParams({ session, user, update: how.update })), changes)
  }

  /** The `session` callback says what clients see. */
  const dress = (found: Found, token: string, shown: MaybePromise<Session | null>, changes: readonly CookieChange[]) =>
    whenReady(shown, (shown) => told(found, token, shown, changes))

  const told = (
    { session: row, user }: Found,
    token: string,
    session: Session | null,
    changes: readonly CookieChange[],
  ): SessionReading => {
    // Signed out while it was extended, or the callback was at work: the sign-out wins (SESS-14).
    if (isEnding(token)) return nobody([])
    return session
      ? {
          session,
          cookies: changes,
          message: { session },
          authenticatedAt: momentOf(row.authenticatedAt),
          userId: user.id,
        }
      : nobody(changes)
  }

  const leftovers = (cookies: RequestCookies) => clearPieces(cookies, cookie)

  const write = (cookies: RequestCookies, token: string, expires: Date): readonly CookieChange[] => [
    ...leftovers(cookies),
    setCookie(cookie, token, { expires }),
  ]

  return {
    name: 'database',
    renew: ({ cookies, client }) => present(cookies, READ, client),
    read: ({ cookies, client }) => present(cookies, PEEK, client),
    update: ({ cookies, client }, data) =>
      present(cookies, { verb: 'update', update: { data }, mayWrite: true }, client),
    readPrincipal: async ({ cookies }) => principalOf(await present(cookies, PEEK)),
    issue: async ({ cookies }, start: SessionStart) =>
      faultsAs('start', async () => {
        const before = tokenOf(cookies)
        // What was added to a session goes on with it, and not when it was signed out meanwhile (SESS-14).
        if (before !== null && start.authenticatedAt !== undefined && isEnding(before)) {
          return clearSessionCookie(cookies, cookie)
        }
        const token = requireSessionToken(generateSessionToken())
        const moment = start.authenticatedAt === undefined ? now() : start.authenticatedAt
        const authenticatedAt = moment === null ? null : new Date(moment)
        const longest = new Date(now() + Math.min(maxAgeMs, maxLifetimeMs))
        const expires = new Date(Math.min(longest.getTime(), limitOf({ authenticatedAt, expires: longest })))
        const row = { sessionToken: storedForm(token, settings.instance), userId: start.user.id, expires }
        await adapter.createSession(keepsSignInTime ? { ...row, authenticatedAt } : row)
        // The session of before ends with the new one's beginning: nobody gains by having planted it (SESS-02).
        if (before !== null) await replace(before, row.sessionToken)
        return write(cookies, token, expires)
      }),
    async revoke({ cookies }) {
      const token = tokenOf(cookies)
      const cleared = clearSessionCookie(cookies, cookie)
      if (token === null) return { cookies: cleared, ended: null }
      try {
        return { cookies: cleared, ended: { session: await signOut(token) } }
      } catch (error) {
        return { cookies: cleared, ended: null, fault: withoutDetails(error), isRetried: true }
      }
    },
  }
}

/** A stored user may have members that are nobody's business, so only the usual ones are shown. */
const usualSession = ({ name, email, image }: AdapterUser, expires: Date): Session => ({
  user: { name, email, image },
  expires: textOfTime(expires.getTime()),
})

/** When somebody signed in, of what adapters give; null when they keep no such thing. */
function momentOf(value: Date | string | number | null | undefined): number | null {
  if (value == null) return null
  const moment = value instanceof Date ? value.getTime() : new Date(value).getTime()
  return Number.isNaN(moment) ? null : moment
}

/** Whatever fails is a session fault that keeps the cookie. */
const faultsAs = <T>(verb: Verb, work: () => MaybePromise<T>): MaybePromise<T> =>
  rescue(work, (error) => failed(verb, error))

const failed = (verb: Verb, error: unknown): Promise<never> =>
  Promise.reject(
    // No fault: nobody gets the answer.
    isUnwanted(error)
      ? new RequestRefused(503, 'Whoever asked has left.')
      : new SessionTokenError(`Could not ${verb} a stored session.`, { err: withoutDetails(error) }),
  )

type Verb = 'read' | 'update' | 'start'
