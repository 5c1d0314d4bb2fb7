import type { MaybePromise } from '../awaitable.js'
import type { JWT } from '../crypto/jwt.js'
import type { CookieChange } from '../http/cookies.js'
import type { RequestContext } from '../http/request-context.js'
import type { Expiry, RecordTimes, TimeAbilities } from './lifetime.js'
import type { DefaultSession, SessionCallbackParams, SessionEnd, SessionMessage, SessionStart } from './session.js'

/** What is known of a session without a look-up. */
export interface SessionKey {
  /** Milliseconds since the epoch; null for none. Absent where it takes a look-up to know. */
  readonly expires?: number | null
}

/** A session as its store holds it. */
export interface SessionRecord extends RecordTimes {
  /** Null where the session names no user. */
  readonly userId: string | null
  /** Id of the user whose address was unconfirmed when the session began: its confirmation revokes the session. */
  readonly unconfirmed?: string | undefined
  /** Deletes pieces of the cookie that lie beside a whole one. The answer sends it, unless the cookie is written anew. */
  readonly leftoverPieces: readonly CookieChange[]
}

/** A session that begins. All times are milliseconds since the epoch. */
export interface SessionBeginning<Key> {
  readonly start: SessionStart
  /** What the `jwt` callback gave; null when it refused. A store without claims ignores it. */
  readonly claims: JWT | null
  /** The session that the new one takes the place of. */
  readonly previous: Key | null
  readonly authenticatedAt: number | null
  readonly issuedAt: number
  readonly expires: number
}

/** What a client wants changed; undefined where the session is only read. */
export type SessionUpdate = { readonly data: unknown } | undefined

/**
 * Where sessions are kept. A store finds, saves and revokes, and says what it can do; whether a session counts, and when it is
 * renewed, the session manager decides.
 *
 * @typeParam Key by which the store knows a session; it stays the same when the session is renewed
 */
export interface SessionStore<Key extends SessionKey, Found extends Key & SessionRecord> extends TimeAbilities {
  readonly name: 'jwt' | 'database'
  /** The session of a request, expired or not; null when there is none. There is no promise where nothing is waited for. */
  load(request: RequestContext): MaybePromise<Found | null>
  /** Cookies to send when {@link load} found nothing. */
  cookiesWithoutSession(request: RequestContext): readonly CookieChange[]
  /** Whether a session was revoked in this process, whatever the cookie or the database says (SESS-14). */
  isRevoked(key: Key): boolean
  /** Deletes what is left of an expired session. It never throws. */
  discard(found: Found): Promise<void>

  /** What a new session is to hold, by the `jwt` callback; only where sessions have claims. */
  claimsAtStart?(start: SessionStart): MaybePromise<JWT | null>
  /** The session with what the `jwt` callback makes of its claims; null when it refuses. Only where there is such a callback. */
  updateClaims?(found: Found, update: SessionUpdate): Promise<Found | null>
  /** What is shown where the application has no `session` callback. */
  show(found: Found, expires: number): DefaultSession
  /** The arguments of the `session` callback that depend on the store. */
  callbackParams(
    found: Found,
    expires: number,
  ): { session: object } & Partial<Pick<SessionCallbackParams, 'token' | 'user'>>
  /** What the `session` event is given. */
  messageOf(found: Found, session: DefaultSession): SessionMessage

  /** Moves the expiry of a session that is due. Gives the expiry that it has now: a renewal may fail, or come too late. */
  renew(found: Found, expiry: Expiry): MaybePromise<Expiry>
  /** Saves what was renewed or changed. */
  save(request: RequestContext, found: Found, expiry: Expiry, mayWrite: boolean): MaybePromise<readonly CookieChange[]>
  /** The session that a new one would take the place of. One that cannot be read counts as none. */
  findPrevious(request: RequestContext): MaybePromise<Key | null>
  /** Saves a new session, and revokes the previous one: its cookie may have been planted, or copied (SESS-02). */
  create(request: RequestContext, beginning: SessionBeginning<Key>): Promise<readonly CookieChange[]>
  /** Revokes the session of a request. It never throws. */
  revoke(request: RequestContext): Promise<Omit<SessionEnd, 'cookies'>>
  /** The error that is thrown for a fault. */
  faultOf(verb: SessionVerb, error: unknown): Error
}

/** What failed, for the message of an error. */
export type SessionVerb = 'read' | 'update' | 'start'
