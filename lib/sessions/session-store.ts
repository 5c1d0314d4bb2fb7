import type { AdapterUser, ProviderSession } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import type { JWT } from '../kernel/claims.js'
import type { Log } from '../kernel/logger.js'
import type { RequestContext } from '../kernel/request-context.js'
import type { User } from '../providers/user.js'
import type { Authentication } from './authentication.js'
import type { Expiry, FoundTimes, SessionTimes, TimeAbilities } from './lifetime.js'
import type { SessionReading } from './session.js'
import type { SessionCallback, SessionCallbackParams } from './session-callback.js'
import type { LifetimeChoice } from './session-claim.js'
import type { SessionIndex } from './session-index.js'
import type { AddedAccount, IssuedToken, SessionEnd, SessionStart } from './session-manager.js'

/** What sessions depend on, wherever they are kept. */
export interface SessionSettings {
  readonly times: SessionTimes
  /** Undefined if the application has none: then the usual members are shown. */
  readonly sessionCallback: SessionCallback | undefined
  /** Whether a session may come in the header `Authorization`. */
  readonly acceptsBearer: boolean
  /** The most seconds that may have passed since the sign-in of a user who issues a token. */
  readonly recentAuthAge: number
  /** At least one. The first makes new tokens, all of them count. */
  readonly secrets: readonly string[]
  /** Without methods where nothing is stored. */
  readonly store: Store
  /** Name of the instance, if several instances share the store. */
  readonly instance: string | undefined
  /** Whether browser and network of a client are kept for the list of sessions. */
  readonly keepsDevices: boolean
  readonly logger: Log
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A session as its store holds it. */
export interface FoundSession
  extends FoundTimes,
    Pick<SessionReading, 'userId' | 'claims' | 'kind' | 'providerSession' | 'personDigest' | 'authentication'> {
  /** Public id of the session. A renewal or an update keeps it. It is no credential. */
  readonly id: string
  /** The user of a row, who was read with it. */
  readonly user?: AdapterUser
  /** Id of the user whose address was unconfirmed when the session began: its confirmation ends the session. */
  readonly unconfirmed?: string | undefined
  /** What the session is for; null or absent if it is not restricted. */
  readonly scope?: string | null | undefined
}

/** What the token of a new session says. */
interface ClaimsAtStart {
  /** What the `jwt` callback gave. */
  readonly claims: JWT
  /** When the user was read, milliseconds since the epoch; undefined if users are not read again. */
  readonly refreshedAt: number | undefined
}

/** A session that begins. All times are milliseconds since the epoch. */
export interface SessionBeginning {
  readonly start: SessionStart
  /** What the `jwt` callback gave; null for nobody. A store without claims ignores this. */
  readonly claims: JWT | null
  /** When the user was read for a store with claims; undefined if that was not done. */
  readonly refreshedAt: number | undefined
  readonly authenticatedAt: number
  readonly lifetime: LifetimeChoice | undefined
  readonly issuedAt: number
  readonly expires: number
  /** Where the session began; undefined if that is not known. */
  readonly providerSession: ProviderSession | undefined
}

/** What a session is raised to. */
export interface Raised extends Pick<FoundTimes, 'lifetime'> {
  readonly authenticatedAt: number
  readonly authentication: Authentication | undefined
}

/** The session of an issued token, which begins. All times are milliseconds since the epoch. */
export interface TokenBeginning {
  /** The claims of the session in which it is issued; only for a store with claims. */
  readonly claims: JWT | undefined
  readonly scope: string | null
  readonly name: string | null
  readonly issuedAt: number
  readonly expires: number
}

/** What a client wants to change; undefined if the session is only read. */
export type SessionUpdate = { readonly data: unknown } | undefined

/** What the callback of a token's claims is told of beside them. */
export interface ClaimsChange {
  readonly update?: SessionUpdate
  /** What was added to the user of the session. */
  readonly added?: AddedAccount
  /** The user as they are from now on, if that is known without a look at the store. */
  readonly user?: User
}

/**
 * Where sessions are kept. A store finds, saves and ends sessions, and says what it can do. The session manager
 * decides whether a session counts and when it is renewed.
 */
export interface SessionStore<Found extends FoundSession> extends TimeAbilities {
  readonly name: 'jwt' | 'database'
  /**
   * The session of a request, expired or not; null when there is none. The result is no promise if nothing is awaited.
   *
   * @param looksAnew whether no earlier look-up counts: what this process knows may be older than what another one has changed
   */
  load(request: RequestContext, time?: number, looksAnew?: boolean): MaybePromise<Found | null>
  /** Whether the browser keeps its cookie when {@link load} found nothing: the cookie may be good for another process. */
  keepsCookie(request: RequestContext): boolean
  /**
   * Whether a session that was loaded is known to have ended: in this process, or in another one if the store of
   * revocations said so when it was loaded. Then it does not count, even if the store still has it (SESS-14).
   */
  hasEnded(found: Found): boolean
  /**
   * Records from time to time that a session was used, for the list of sessions. It never throws, and nobody waits for what
   * it writes. Absent if no list is kept.
   */
  noteUse?(request: RequestContext, found: Found): void
  /** Whose session it is, as the list of sessions has it; null if no list has it. Absent if no list is kept. */
  ownerIn?(found: Found): string | null
  /** Deletes what is left of an expired session. It never throws. */
  deleteExpired(request: RequestContext, found: Found): Promise<void>

  /** The claims of a new session, which the `jwt` callback decides; null for nobody. Only in a store with claims. */
  claimsAtStart?(start: SessionStart): MaybePromise<ClaimsAtStart | null>
  /**
   * The session with the claims that it has now: those of a user who was read again, and those that the `jwt` callback
   * gives; null for nobody. Undefined, without a promise, if nothing has to be asked. Only if there is such a callback, or
   * users are read again.
   */
  updateClaims?(found: Found, change: ClaimsChange): Promise<Found | null> | undefined
  /** The user that is shown if the application has no `session` callback. */
  userShown(found: Found): User
  /** The arguments of the `session` callback that depend on the store. Without a `session`, it is that which is shown. */
  callbackParams(
    found: Found,
    expires: number,
  ): Partial<Pick<SessionCallbackParams, 'token' | 'user'>> & { session?: object }

  /**
   * Moves the expiry of a session that is due for a renewal. Gives the expiry that the session has afterwards. That is the
   * old one if the renewal failed, or another one if another request has renewed it before.
   */
  renew(request: RequestContext, found: Found, expiry: Expiry): MaybePromise<Expiry>
  /** Saves a session that was renewed or changed. Gives the value of its cookie; null if the cookie stays as it is. */
  save(request: RequestContext, found: Found, expiry: Expiry, mayWrite: boolean): MaybePromise<string | null>
  /**
   * Saves a new session, and gives the value of its cookie; null if the `jwt` callback says that nobody is signed in. It ends the
   * session of the request: its cookie may have been planted, or copied (SESS-02).
   *
   * @throws when it is not known whether the request has a session: then the sign-in could not end that session
   */
  create(request: RequestContext, beginning: SessionBeginning): Promise<string | null>
  /**
   * From when a session counts that is raised: what is given, or a moment later, so that the earlier credential can be told from the
   * next one.
   *
   * @param time milliseconds since the epoch
   */
  timeOfProof(found: Found, time: number): number
  /**
   * Saves a session of which more is known now, under another credential, and gives the value of its cookie. The earlier
   * credential never says it. Null if the session has ended meanwhile.
   */
  raise(request: RequestContext, raised: Found & Raised, expiry: Expiry): Promise<string | null>
  /** Ends the session of a request. It never throws. */
  end(request: RequestContext): Promise<Omit<SessionEnd, 'cookies'>>
  /** Throws if the store cannot keep what makes a session an issued token. Absent if it always can. */
  requireTokens?(): void
  /**
   * Saves the session of an issued token, for the user of another session. Nobody has the token before it is returned.
   * Null, and nothing is left, if that other session has ended meanwhile: a revocation of all sessions wins (SESS-14).
   *
   * @throws when the store, or the codec of the application, does not keep what makes it a token
   */
  issueToken(request: RequestContext, found: Found, beginning: TokenBeginning): Promise<IssuedToken | null>
  /**
   * Lists the sessions of users, and ends them.
   *
   * @throws {InvalidConfiguration} if sessions in tokens are in no store
   * @throws {MissingAdapterMethods} if the adapter cannot list sessions
   */
  index(): SessionIndex
  /** The error that is thrown for a fault. */
  faultOf(verb: SessionVerb, error: unknown): Error
}

/** What failed, for the message of an error. */
export type SessionVerb = 'read' | 'update' | 'start' | 'list' | 'end'

/** The message of the error for a fault. */
export function faultText(verb: SessionVerb, what: 'a token session' | 'a stored session'): string {
  if (verb === 'list') return 'Could not list the sessions of a user.'
  if (verb === 'end') return 'Could not end every session that was to end. Call the function again: it ends the rest.'
  return `Could not ${verb} ${what}.`
}
