import type { MaybePromise } from '../kernel/awaitable.js'
import type { CookieChange, CookieSpec } from '../kernel/cookies.js'
import { TRACED, traced } from '../kernel/diagnostics.js'
import type { RequestContext } from '../kernel/request-context.js'
import { type Authentication, actShown, joined } from './authentication.js'
import { cookieLifetimes, createLifetime, textOfTime } from './lifetime.js'
import { type Access, createUseRule, isRecent, type Over, type Usable, type UserRules } from './may-be-used.js'
import { nobody, principalOf, type Session, type SessionReading } from './session.js'
import { checkSessionCallback, sessionParams, warnOfOtherUserId } from './session-callback.js'
import type { LifetimeChoice } from './session-claim.js'
import {
  clearLeftoverPieces,
  clearSessionCookie,
  clearTwins,
  forEachSession,
  writeSessionCookie,
} from './session-cookie.js'
import { createSessionLists } from './session-list.js'
import type { CookieSessions, SessionStart } from './session-manager.js'
import type { FoundSession, SessionSettings, SessionStore, SessionVerb } from './session-store.js'

/** What the manager needs beside the store. */
export interface LifecycleSettings extends SessionSettings {
  readonly cookie: CookieSpec
  readonly users: UserRules
}

/** A use of a session, and what it is called in an error. */
interface Task extends Access {
  readonly verb: SessionVerb
  readonly looksAnew?: true
}

const READ: Task = { verb: 'read', mayWrite: false }
/** For what gives somebody another way in: another process may have ended the session, or this copy of it, a moment ago. */
const READ_ANEW: Task = { ...READ, looksAnew: true }
/** Nearly every failure of a renewal is one of its look-up, so the message of the error says that it could not read. */
const RENEW: Task = { verb: 'read', mayWrite: true }

/** The lifecycle of sessions, the same for every store: a session is found, validated, renewed and shown. */
export function createCookieSessions<Found extends FoundSession>(
  store: SessionStore<Found>,
  { cookie, times, sessionCallback, users, recentAuthAge, logger, now }: LifecycleSettings,
): CookieSessions {
  const lifetime = createLifetime(times, store)
  const { resolution } = store
  const timeNow = () => Math.floor(now() / resolution) * resolution
  const mayBeUsed = createUseRule(store, lifetime, users, timeNow)
  const callSession = sessionCallback && checkSessionCallback(sessionCallback, logger)
  const cookieFor = cookieLifetimes(cookie, times.rememberedMaxAge !== undefined)

  const show = (request: RequestContext, access: Task): MaybePromise<SessionReading> =>
    TRACED['latchkey:session-read'].hasSubscribers
      ? traced(
          'latchkey:session-read',
          () => ({ renews: access.mayWrite }),
          () => find(request, access),
          ({ session }) => ({ found: session !== null }),
        )
      : find(request, access)

  // Without a promise where nothing has to be waited for, as for nearly every request of a guard.
  const find = (request: RequestContext, access: Task): MaybePromise<SessionReading> => {
    try {
      const time = timeNow()
      const found = store.load(request, time, access.looksAnew)
      const reading =
        found instanceof Promise
          ? found.then((found) => validate(request, found, access, timeNow()))
          : validate(request, found, access, time)
      return reading instanceof Promise ? reading.catch(rejectFor(access.verb)) : reading
    } catch (error) {
      return rejectFor(access.verb)(error)
    }
  }

  const rejectFor = (verb: SessionVerb) => (error: unknown) => Promise.reject(store.faultOf(verb, error))

  const validate = (
    request: RequestContext,
    found: Found | null,
    access: Task,
    time: number,
  ): MaybePromise<SessionReading> => {
    if (found === null) return nobody(store.keepsCookie(request) ? [] : clearSessionCookie(request.cookies, cookie))
    const usable = mayBeUsed.now(request, found, access, time)
    if (usable instanceof Promise) return usable.then((usable) => use(request, found, usable, access))
    return use(request, found, usable, access)
  }

  const use = (
    request: RequestContext,
    found: Found,
    usable: Usable<Found> | Over,
    access: Task,
  ): MaybePromise<SessionReading> => {
    if (typeof usable === 'string') return end(request, found, usable)
    const { session, expiry } = usable
    if (expiry.isRenewed || callSession !== undefined || session !== found) return save(request, usable, access)
    store.noteUse?.(request, found)
    return readingOf(found, shown(found, expiry.expires), clearLeftoverPieces(request.cookies, cookie))
  }

  const end = (request: RequestContext, found: Found, why: Over): MaybePromise<SessionReading> => {
    if (why === 'ended') return nobody()
    const reading = nobody(clearSessionCookie(request.cookies, cookie))
    return why === 'expired' ? store.deleteExpired(request, found).then(() => reading) : reading
  }

  const shown = (found: Found, expires: number): Session => ({
    user: store.userShown(found),
    expires: textOfTime(expires),
    ...(found.authentication && actShown(found.authentication)),
  })

  const save = async (
    request: RequestContext,
    { session: found, expiry: planned }: Usable<Found>,
    access: Task,
  ): Promise<SessionReading> => {
    const expiry = planned.isRenewed ? await store.renew(request, found, planned) : planned
    const { expires } = expiry
    const { update, added, mayWrite } = access
    // Nobody sees the session of an answer that only adds something.
    const session =
      callSession && !added
        ? await callSession(
            sessionParams({ session: shown(found, expires), ...store.callbackParams(found, expires) }, update),
          )
        : shown(found, expires)
    const value = await store.save(request, found, expiry, mayWrite)
    const changes =
      value === null
        ? clearLeftoverPieces(request.cookies, cookie)
        : cookiesWith(request, value, found.lifetime, expires)
    // If the visitor signed out meanwhile, the sign-out wins (SESS-14).
    if (store.hasEnded(found)) return nobody()
    if (!session) return nobody(changes)
    store.noteUse?.(request, found)
    const owned = { owner: store.ownerIn?.(found) ?? null, userId: found.userId, session }
    warnOfOtherUserId(owned, logger, request.source)
    return readingOf(found, session, changes)
  }

  const cookiesWith = (
    { cookies }: RequestContext,
    value: string,
    choice: LifetimeChoice | undefined,
    expires: number,
  ) => {
    const { spec, until } = cookieFor(choice, expires)
    return writeSessionCookie(cookies, spec, value, until)
  }

  const readingOf = (found: Found, session: Session, changes: readonly CookieChange[]): SessionReading => ({
    session,
    cookies: changes,
    claims: found.claims,
    authenticatedAt: found.authenticatedAt,
    userId: found.userId,
    id: found.id,
    scope: found.scope ?? null,
    kind: found.kind,
    isRemembered: found.lifetime?.remember,
    providerSession: found.providerSession,
    personDigest: found.personDigest,
    authentication: found.authentication,
  })

  const isOver = async (request: RequestContext): Promise<boolean> => {
    const found = await store.load(request)
    return found === null || typeof mayBeUsed.asLoaded(request, found, READ, timeNow()) === 'string'
  }

  const begin = async (request: RequestContext, start: SessionStart): Promise<readonly CookieChange[]> => {
    // Before the previous session is looked at: the callback may take long.
    const { claims = null, refreshedAt } = (await store.claimsAtStart?.(start)) ?? {}
    const [authenticatedAt, issuedAt] = [now(), timeNow()]
    const { lifetime: choice, providerSession } = start
    const expires = lifetime.firstExpiry({ authenticatedAt, lifetime: choice }, issuedAt)
    const times = { authenticatedAt, lifetime: choice, issuedAt, expires, providerSession }
    const value = await store.create(request, { start, claims, refreshedAt, ...times })
    const [, ...others] = forEachSession(request, cookie)
    for (const other of others) await store.end(other)
    // Twins first, for consumers that know a cookie by its name alone: then the last change counts.
    const changes =
      value === null ? clearSessionCookie(request.cookies, cookie) : cookiesWith(request, value, choice, expires)
    return [...clearTwins(request, cookie), ...changes]
  }

  const raise = async (
    request: RequestContext,
    proved: Authentication | null,
  ): Promise<readonly CookieChange[] | null> => {
    const found = await store.load(request)
    const usable = found && (await mayBeUsed.now(request, found, READ, timeNow()))
    if (usable === null || typeof usable === 'string') return null
    const { session } = usable
    const issuedAt = timeNow()
    // A code alone says nothing of who has the rest: where that was shown long ago, the sign-in becomes no more recent.
    const provesNow = proved && isRecent({ authenticatedAt: session.authenticatedAt }, recentAuthAge, now)
    // Where nobody knows when that was, it was long ago, or any time is recent.
    const earlier = session.authenticatedAt ?? (proved ? now() - (recentAuthAge + 1) * 1000 : now())
    const authenticatedAt = store.timeOfProof(session, provesNow ? now() : earlier)
    const left = Math.max(1, Math.floor((lifetime.untilLimit(session, issuedAt) + issuedAt - authenticatedAt) / 1000))
    // It counts from the time of the sign-in, and stays where it is.
    const choice = Number.isFinite(left) ? { ...session.lifetime, maxLifetime: left } : session.lifetime
    const authentication = proved ? joined(session.authentication, proved) : session.authentication
    const raised = { ...session, authenticatedAt, authentication, lifetime: choice }
    const expires = lifetime.firstExpiry(raised, issuedAt)
    const value = await store.raise(request, raised, { issuedAt, expires, isRenewed: true })
    return value === null ? null : cookiesWith(request, value, choice, expires)
  }

  return {
    name: store.name,
    ...createSessionLists({
      openIndex: store.index,
      read: async (request) => show(request, READ),
      faultOf: store.faultOf,
      logger,
    }),
    read: (request) => show(request, READ),
    renew: (request) => show(request, RENEW),
    update: (request, data) => show(request, { verb: 'update', update: { data }, mayWrite: true }),
    async addAccount(request, added) {
      const { cookies } = await show(request, { verb: 'update', added, mayWrite: true })
      // The session may have ended while the `jwt` callback ran, and the browser may have the cookie of a newer sign-in.
      return cookies.length > 0 && (await isOver(request)) ? [] : cookies
    },
    showUser: async (request, user) => (await show(request, { verb: 'update', user, mayWrite: true })).cookies,
    readPrincipal: async (request) => principalOf(await show(request, READ_ANEW)),
    issue: (request, start) => begin(request, start).catch(rejectFor('start')),
    raise: (request, proved) => raise(request, proved).catch(rejectFor('update')),
    revoke: async (request) => ({
      cookies: [...clearTwins(request, cookie), ...clearSessionCookie(request.cookies, cookie)],
      ...(await store.end(request)),
    }),
  }
}
