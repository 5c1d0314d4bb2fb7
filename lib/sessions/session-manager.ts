import type { MaybePromise } from '../awaitable.js'
import type { CookieChange, CookieSpec } from '../http/cookies.js'
import type { RequestContext } from '../http/request-context.js'
import { clearSessionCookie, clearTwins } from '../http/session-cookie.js'
import type { Log, LogSource } from '../logger.js'
import { isTraced, traced } from '../logging/diagnostics.js'
import { forEachSession } from './bearer-context.js'
import { createLifetime, type SessionTimes } from './lifetime.js'
import {
  type AddedAccount,
  type CookieSessions,
  nobody,
  principalOf,
  type Session,
  type SessionCallback,
  type SessionReading,
  type SessionStart,
  sessionParams,
} from './session.js'
import { createSessionLists } from './session-list.js'
import type { SessionRecord, SessionStore, SessionUpdate, SessionVerb } from './session-store.js'
import { checkSessionCallback, warnOfOtherUserId } from './shown-session.js'

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
  /** Whether the address of a user is still unconfirmed; false if the user was deleted. Null if no users are stored. */
  readonly isStillUnconfirmed: ((userId: string, source: LogSource | undefined) => Promise<boolean>) | null
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
  { cookie, times, sessionCallback, isStillUnconfirmed, logger, now }: SessionManagerSettings,
): CookieSessions {
  const lifetime = createLifetime(times, store)
  const callSession = sessionCallback && checkSessionCallback(sessionCallback, logger)
  const hasSteps = (found: Found) =>
    callSession !== undefined || (store.updateClaims !== undefined && store.isUpToDate?.(found) !== true)
  const { resolution } = store
  const timeNow = () => Math.floor(now() / resolution) * resolution

  const show = (request: RequestContext, access: Access): MaybePromise<SessionReading> =>
    isTraced('latchkey:session-read')
      ? traced(
          'latchkey:session-read',
          () => ({ renews: access.mayWrite }),
          () => showUntraced(request, access),
          ({ session }) => ({ found: session !== null }),
        )
      : showUntraced(request, access)

  const showUntraced = (request: RequestContext, access: Access): MaybePromise<SessionReading> => {
    try {
      const loaded = store.load(request)
      const reading = loaded instanceof Promise ? null : showAtOnce(request, loaded, access)
      return reading ?? showInSteps(request, loaded, access).catch(rejectFor(access.verb))
    } catch (error) {
      return rejectFor(access.verb)(error)
    }
  }

  const rejectFor = (verb: SessionVerb) => (error: unknown) => Promise.reject(store.faultOf(verb, error))

  /**
   * The shortcut that nearly every request takes, without a promise and its cost. It is for a session for which nothing
   * has to be asked or written. Null for any other session.
   */
  const showAtOnce = (request: RequestContext, found: Found | null, access: Access): SessionReading | null => {
    if (found === null) return nobody(store.cookiesWithoutSession(request))
    if (hasSteps(found) || needsConfirmation(found) || store.isRevoked(found)) return null
    const time = timeNow()
    if (lifetime.isExpired(found, time)) return null
    const expiry = lifetime.expiryOf(found, time, access)
    if (expiry.isRenewed) return null
    store.noteUse?.(request, found)
    return readingOf(found, store.show(found, expiry.expires), found.leftoverPieces)
  }

  const showInSteps = async (
    request: RequestContext,
    loaded: MaybePromise<Found | null>,
    access: Access,
  ): Promise<SessionReading> => {
    // Find.
    const found = await loaded
    if (found === null) return nobody(store.cookiesWithoutSession(request))

    // Validate.
    // The cookie stays: when this answer arrives, the browser may already have the cookie of a newer sign-in.
    if (store.isRevoked(found)) return nobody([])
    if (lifetime.isExpired(found, timeNow())) {
      await store.discard(request, found)
      return nobody(clearSessionCookie(request.cookies, cookie))
    }
    // Somebody may have signed up with the address of another person. When that person confirms the address, the
    // session of the other one ends (ACCT-05).
    if (needsConfirmation(found) && !(await isStillUnconfirmed?.(found.unconfirmed, request.source))) return nobody([])
    const current = store.updateClaims ? await store.updateClaims(found, access) : found
    if (current === null) return nobody(clearSessionCookie(request.cookies, cookie))

    // Renew.
    const planned = lifetime.expiryOf(current, timeNow(), access)
    const expiry = planned.isRenewed ? await store.renew(request, current, planned) : planned

    // Show.
    const { expires } = expiry
    // Nobody sees the session of an answer that only adds something.
    const session =
      callSession && !access.added
        ? await callSession(sessionParams({ ...store.callbackParams(current, expires), update: access.update }))
        : store.show(current, expires)
    const changes = await store.save(request, current, expiry, access.mayWrite)
    // If the visitor signed out meanwhile, the sign-out wins (SESS-14).
    if (store.isRevoked(current)) return nobody([])
    if (!session) return nobody(changes)
    store.noteUse?.(request, current)
    const shown = { owner: store.ownerIn?.(current) ?? null, userId: current.userId, session }
    warnOfOtherUserId(shown, logger, request.source)
    return readingOf(current, session, changes)
  }

  const needsConfirmation = (found: Found): found is Found & { readonly unconfirmed: string } =>
    found.unconfirmed !== undefined && isStillUnconfirmed !== null

  const readingOf = (found: Found, session: Session, changes: readonly CookieChange[]): SessionReading => ({
    session,
    cookies: changes,
    message: found.claims === undefined ? { session } : { session, token: found.claims },
    authenticatedAt: found.authenticatedAt,
    userId: found.userId,
    id: found.id,
    scope: found.scope ?? null,
    kind: found.kind,
    isRemembered: found.lifetime?.remember,
    providerSession: found.providerSession,
    personDigest: found.personDigest,
  })

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
    addAccount: async (request, added) => (await show(request, { verb: 'update', added, mayWrite: true })).cookies,
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
