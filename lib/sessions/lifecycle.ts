import type { MaybePromise } from '../kernel/awaitable.js'
import type { CookieChange, CookieSpec } from '../kernel/cookies.js'
import { TRACED, traced } from '../kernel/diagnostics.js'
import type { Log } from '../kernel/logger.js'
import type { RequestContext } from '../kernel/request-context.js'
import { createLifetime, type Expiry, type SessionTimes } from './lifetime.js'
import { createUseRule, type Over, type UserRules } from './may-be-used.js'
import { nobody, principalOf, type Session, type SessionReading } from './session.js'
import { checkSessionCallback, type SessionCallback, sessionParams, warnOfOtherUserId } from './session-callback.js'
import { clearSessionCookie, clearTwins, forEachSession } from './session-cookie.js'
import { createSessionLists } from './session-list.js'
import type { AddedAccount, CookieSessions, SessionStart } from './session-manager.js'
import type { SessionRecord, SessionStore, SessionUpdate, SessionVerb } from './session-store.js'

/** What the lifecycle depends on with every store. */
export interface SessionDependencies {
  readonly times: SessionTimes
  /** Undefined if the application has none: then the usual members are shown. */
  readonly sessionCallback: SessionCallback | undefined
  readonly logger: Log
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** What the manager needs beside the store. */
export interface SessionManagerSettings extends SessionDependencies {
  readonly cookie: CookieSpec
  readonly users: UserRules
}

interface Access {
  readonly verb: SessionVerb
  readonly update?: SessionUpdate
  /** What was added to the user of the session. */
  readonly added?: AddedAccount
  /** Whether a cookie can be sent, and the session therefore be renewed. */
  readonly mayWrite: boolean
}

const READ: Access = { verb: 'read', mayWrite: false }
/** Nearly every failure of a renewal is one of its look-up, so the message of the error says that it could not read. */
const RENEW: Access = { verb: 'read', mayWrite: true }

/** The lifecycle of sessions, the same for every store: a session is found, validated, renewed and shown. */
export function createSessionManager<Found extends SessionRecord>(
  store: SessionStore<Found>,
  { cookie, times, sessionCallback, users, logger, now }: SessionManagerSettings,
): CookieSessions {
  const lifetime = createLifetime(times, store)
  const mayBeUsed = createUseRule(store, lifetime, users)
  const callSession = sessionCallback && checkSessionCallback(sessionCallback, logger)
  const { resolution } = store
  const timeNow = () => Math.floor(now() / resolution) * resolution

  const show = (request: RequestContext, access: Access): MaybePromise<SessionReading> =>
    TRACED['latchkey:session-read'].hasSubscribers
      ? traced(
          'latchkey:session-read',
          () => ({ renews: access.mayWrite }),
          () => find(request, access),
          ({ session }) => ({ found: session !== null }),
        )
      : find(request, access)

  // Without a promise where nothing has to be waited for, as for nearly every request of a guard.
  const find = (request: RequestContext, access: Access): MaybePromise<SessionReading> => {
    try {
      const time = timeNow()
      const found = store.load(request, time)
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
    access: Access,
    time: number,
  ): MaybePromise<SessionReading> => {
    if (found === null) return nobody(store.cookiesWithoutSession(request))
    const used = mayBeUsed(request, found, time, access)
    if (used instanceof Promise) return used.then((used) => use(request, found, used, access, timeNow()))
    return use(request, found, used, access, time)
  }

  const use = (
    request: RequestContext,
    found: Found,
    used: Found | Over,
    access: Access,
    time: number,
  ): MaybePromise<SessionReading> => {
    if (typeof used === 'string') return end(request, found, used)
    const expiry = lifetime.expiryOf(used, time, access)
    if (expiry.isRenewed || callSession !== undefined || used !== found) return save(request, used, expiry, access)
    store.noteUse?.(request, used)
    return readingOf(used, store.show(used, expiry.expires), store.leftovers(request))
  }

  const end = (request: RequestContext, found: Found, why: Over): MaybePromise<SessionReading> => {
    if (why === 'revoked') return nobody()
    const reading = nobody(clearSessionCookie(request.cookies, cookie))
    return why === 'expired' ? store.discard(request, found).then(() => reading) : reading
  }

  const save = async (
    request: RequestContext,
    found: Found,
    planned: Expiry,
    access: Access,
  ): Promise<SessionReading> => {
    const expiry = planned.isRenewed ? await store.renew(request, found, planned) : planned
    const { expires } = expiry
    // Nobody sees the session of an answer that only adds something.
    const session =
      callSession && !access.added
        ? await callSession(sessionParams({ ...store.callbackParams(found, expires), update: access.update }))
        : store.show(found, expires)
    const changes = await store.save(request, found, expiry, access.mayWrite)
    // If the visitor signed out meanwhile, the sign-out wins (SESS-14).
    if (store.isRevoked(found)) return nobody()
    if (!session) return nobody(changes)
    store.noteUse?.(request, found)
    const shown = { owner: store.ownerIn?.(found) ?? null, userId: found.userId, session }
    warnOfOtherUserId(shown, logger, request.source)
    return readingOf(found, session, changes)
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
  })

  const isOver = async (request: RequestContext): Promise<boolean> => {
    const found = await store.load(request, timeNow())
    return found === null || store.isRevoked(found)
  }

  const begin = async (request: RequestContext, start: SessionStart): Promise<readonly CookieChange[]> => {
    // Before the previous session is looked at: the callback may take long.
    const { claims = null, refreshedAt } = (await store.claimsAtStart?.(start)) ?? {}
    const [authenticatedAt, issuedAt] = [now(), timeNow()]
    const { lifetime: choice, providerSession } = start
    const expires = lifetime.firstExpiry({ authenticatedAt, lifetime: choice }, issuedAt)
    const times = { authenticatedAt, lifetime: choice, issuedAt, expires, providerSession }
    const changes = await store.create(request, { start, claims, refreshedAt, ...times })
    const [, ...others] = forEachSession(request, cookie)
    for (const other of others) await store.revoke(other)
    return changes
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
    readPrincipal: async (request) => principalOf(await show(request, READ)),
    // First, for consumers that know a cookie by its name alone: then the last change counts.
    issue: (request, start) =>
      begin(request, start).then((changes) => [...clearTwins(request, cookie), ...changes], rejectFor('start')),
    revoke: async (request) => ({
      cookies: [...clearTwins(request, cookie), ...clearSessionCookie(request.cookies, cookie)],
      ...(await store.revoke(request)),
    }),
  }
}
