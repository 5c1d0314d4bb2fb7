import type { MaybePromise } from '../awaitable.js'
import type { JWT } from '../crypto/jwt.js'
import type { LifetimeChoice } from '../crypto/lifetime-choice.js'
import type { CookieChange } from '../http/cookies.js'
import type { RequestContext } from '../http/request-context.js'
import type { Expiry, RecordTimes, TimeAbilities } from './lifetime.js'
import type { DefaultSession, SessionCallbackParams, SessionEnd, SessionStart } from './session.js'

/** A session as its store holds it. */
export interface SessionRecord extends RecordTimes {
  /** Public id of the session. A renewal or an update keeps it. It is no credential. */
  readonly id: string
  /** Null if the session names no user. */
  readonly userId: string | null
  /** The claims of a token; only in a store with claims. */
  readonly claims?: JWT
  /** Id of the user whose address was unconfirmed when the session began: its confirmation revokes the session. */
  readonly unconfirmed?: string | undefined
  /**
   * Changes that delete pieces of an earlier cookie, which the browser still has beside a whole one. Send them with the
   * answer, unless it sets the cookie anew, which deletes the pieces as well.
   */
  readonly leftoverPieces: readonly CookieChange[]
}

/** A session that begins. All times are milliseconds since the epoch. */
export interface SessionBeginning {
  readonly start: SessionStart
  /** What the `jwt` callback gave; null for nobody. A store without claims ignores this. */
  readonly claims: JWT | null
  readonly authenticatedAt: number | null
  readonly lifetime: LifetimeChoice | undefined
  readonly issuedAt: number
  readonly expires: number
}

/** What a client wants to change; undefined if the session is only read. */
export type SessionUpdate = { readonly data: unknown } | undefined

/**
 * Where sessions are kept. A store finds, saves and revokes sessions, and says what it can do. The session manager
 * decides whether a session counts and when it is renewed.
 */
export interface SessionStore<Found extends SessionRecord> extends TimeAbilities {
  readonly name: 'jwt' | 'database'
  /**
   * The session of a request, expired or not; null when there is none. The result is no promise if nothing is awaited.
   */
  load(request: RequestContext): MaybePromise<Found | null>
  /** Cookies to send when {@link load} found nothing. */
  cookiesWithoutSession(request: RequestContext): readonly CookieChange[]
  /**
   * Whether a session was revoked in this process. Then it does not count, even if the store still has it (SESS-14).
   */
  isRevoked(found: Found): boolean
  /** Deletes what is left of an expired session. It never throws. */
  discard(found: Found): Promise<void>

  /** The claims of a new session, which the `jwt` callback decides; only in a store with claims. */
  claimsAtStart?(start: SessionStart): MaybePromise<JWT | null>
  /**
   * The session with the claims that the `jwt` callback gives; null for nobody. Only if there is such a callback.
   */
  updateClaims?(found: Found, update: SessionUpdate): Promise<Found | null>
  /** What is shown if the application has no `session` callback. */
  show(found: Found, expires: number): DefaultSession
  /** The arguments of the `session` callback that depend on the store. */
  callbackParams(
    found: Found,
    expires: number,
  ): { session: object } & Partial<Pick<SessionCallbackParams, 'token' | 'user'>>

  /**
   * Moves the expiry of a session that is due for a renewal. Gives the expiry that the session has afterwards. That is the
   * old one if the renewal failed, or another one if another request has renewed it before.
   */
  renew(found: Found, expiry: Expiry): MaybePromise<Expiry>
  /** Saves a session that was renewed or changed. */
  save(request: RequestContext, found: Found, expiry: Expiry, mayWrite: boolean): MaybePromise<readonly CookieChange[]>
  /**
   * Saves a new session, and revokes the session of the request: its cookie may have been planted, or copied (SESS-02).
   *
   * @throws when it is not known whether the request has a session: then the sign-in could not end that session
   */
  create(request: RequestContext, beginning: SessionBeginning): Promise<readonly CookieChange[]>
  /**
   * Saves a new session in place of one to which something was added. Gives no cookie, and leaves no new session, unless
   * it is this call that ends the previous session: it may have ended since it was loaded, and a revocation wins (SESS-14).
   */
  replace(request: RequestContext, previous: Found, beginning: SessionBeginning): Promise<readonly CookieChange[]>
  /** Revokes the session of a request. It never throws. */
  revoke(request: RequestContext): Promise<Omit<SessionEnd, 'cookies'>>
  /** The error that is thrown for a fault. */
  faultOf(verb: SessionVerb, error: unknown): Error
}

/** What failed, for the message of an error. */
export type SessionVerb = 'read' | 'update' | 'start'
