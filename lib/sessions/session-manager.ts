import type { ProviderSession } from '../adapters/adapter.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import type { JWT } from '../kernel/claims.js'
import type { CookieChange } from '../kernel/cookies.js'
import type { AuthError } from '../kernel/errors.js'
import type { LogSource } from '../kernel/logger.js'
import type { RequestContext } from '../kernel/request-context.js'
import type { Account, Profile, User } from '../providers/provider.js'
import type { Authentication } from './authentication.js'
import type { Principal, SessionReading } from './session.js'
import type { LifetimeChoice } from './session-claim.js'

/** Sessions as they are kept in cookies. {@link SessionManager} adds those in the header `Authorization`. */
export type CookieSessions = Omit<SessionManager, 'issueToken'>

/**
 * The lifecycle of sessions: the only contract that the rest of the package sees. A result is no promise if nothing is
 * awaited. Every method throws an {@link AuthError} when a callback or a store fails: a fault never means that nobody
 * is signed in.
 */
export interface SessionManager {
  readonly name: 'jwt' | 'database'
  /** How administrators act as users; absent where nobody may. */
  readonly acting?: ActingSessions
  /** Reads the session of a request without renewing it, for callers that cannot send a cookie. */
  read(request: RequestContext): MaybePromise<SessionReading>
  /** Reads the session, and moves its expiry when that is due. The caller sends the cookies. */
  renew(request: RequestContext): MaybePromise<SessionReading>
  /** Renews the session, and passes what a client wants to change to the callbacks. */
  update(request: RequestContext, data: unknown): MaybePromise<SessionReading>
  /**
   * Tells the `jwt` callback what was added to the user of a session, as at a sign-in. The session stays, and nothing of it
   * counts as proved again. Gives the cookies of its token if the callback changed it.
   */
  addAccount(request: RequestContext, added: AddedAccount): Promise<readonly CookieChange[]>
  /** Shows the user of the session as they are from now on. Gives the cookies of its token; a stored session needs none. */
  showUser(request: RequestContext, user: User): Promise<readonly CookieChange[]>
  /** The principal of a request, as the store has their session at this moment. Null when nobody is signed in. */
  readPrincipal(request: RequestContext): Promise<Principal | null>
  /** Begins a new session, and ends the previous one. Gives no cookie if the `jwt` callback gives null. */
  issue(request: RequestContext, start: SessionStart): Promise<readonly CookieChange[]>
  /**
   * Lets the session of a request go on with more proved, by something that its user has shown now. If the rest was shown recently,
   * they proved now who they are.
   * It gets another credential, because somebody may have a copy of the earlier one. Its absolute limit stays; its public id may
   * change.
   *
   * @param proved null for nothing: only the credential changes
   * @returns the cookies; null if nobody is signed in, or the session has ended meanwhile
   * @throws {RequestRefused} 403 when the request comes with a bearer token
   * @throws {MissingAdapterMethods} when the adapter cannot keep it
   */
  raise(request: RequestContext, proved: Authentication | null): Promise<readonly CookieChange[] | null>
  /**
   * Ends the session. The cookie is deleted in every case: a visitor who signs out on a shared machine must not stay
   * signed in there because a store is down.
   */
  revoke(request: RequestContext): Promise<SessionEnd>
  /** The sessions of the user of a request, the newest first. Null when nobody is signed in. */
  list(request: RequestContext): Promise<readonly ListedSession[] | null>
  /**
   * The same of any user, none of them as that of a request.
   *
   * @throws {InvalidConfiguration} when the configuration keeps no list; {@link MissingAdapterMethods} when the adapter does not
   */
  listOf(userId: string): Promise<readonly ListedSession[]>
  /**
   * Ends another session of the user of a request, and gives of which kind it was, or false if there was none; {@link revoke}
   * ends that of the request itself, whose cookies go with it. A session of another user, or of another instance, counts as
   * unknown. Null when nobody is signed in.
   */
  revokeById(request: RequestContext, id: string): Promise<ListedSession['kind'] | false | null>
  /** Ends all sessions of the user of a request but this one. Gives how many; null when nobody is signed in. */
  revokeOthers(request: RequestContext): Promise<number | null>
  /** Ends all sessions of a user, in every browser and program. Gives how many were known. */
  revokeAllOf(userId: string): Promise<number>
  /** Ends the sessions that a logout at a provider is about. Calls `onEnd` for each. */
  revokeAllAt(logout: ProviderLogout, onEnd: (ended: EndedElsewhere) => void): Promise<LogoutCounts>
  /**
   * Begins a session for a program of the user of a request, whose token goes into the header `Authorization`.
   *
   * @throws {InvalidConfiguration} if the configuration does not accept such tokens
   * @throws {RequestRefused} 401 when nobody is signed in, 403 when the request comes with such a token itself
   * @throws {RecentSignInRequired} when the user has not signed in recently
   */
  issueToken(request: RequestContext, wanted: TokenRequest): Promise<IssuedToken>
}

/** The sessions in which administrators act as users. */
export interface ActingSessions {
  /** Whether a request has the cookie of such a session, good or bad. */
  isBrought(request: Pick<RequestContext, 'cookies' | 'header'>): boolean
  /** @throws {RequestRefused} 403 while the visitor acts as a user */
  refuse(request: RequestContext): Promise<void>
  /**
   * Begins a session in which the visitor acts as a user, in place of an earlier one. Their own goes on beside it.
   *
   * @param actor whose own session it is
   * @returns the cookies, and the id of the user as whom they acted until now; null for nobody
   * @throws {SessionTokenError} when the adapter does not keep who acts
   */
  begin(
    request: RequestContext,
    start: SessionStart,
    actor: { readonly userId: string; readonly sessionId: string },
  ): Promise<{ readonly cookies: readonly CookieChange[]; readonly replaced: string | null }>
  /** Ends it, and their own goes on. Nobody can show it again. */
  end(request: RequestContext): Promise<SessionEnd>
}

/** What an issued token is to be. */
export interface TokenRequest {
  /** Seconds from now to the end of the token, which nothing moves. */
  readonly maxAge: number
  /** What the token is for: words with one blank between them (RFC 6749 §3.3). Without it, the token is not restricted. */
  readonly scope?: string
  /** What the user calls it, for the list of sessions: 1 to 100 characters. */
  readonly name?: string
}

/** A token for a script or a mobile app, which is a session of its own. */
export interface IssuedToken {
  /** The secret. It is in no store and cannot be found out again. */
  readonly token: string
  /** Public id of its session. */
  readonly id: string
  readonly expires: Date
}

/** A session that begins: who has just signed in. */
export interface SessionStart {
  readonly user: User & { id: string }
  readonly account: Account
  readonly profile?: Profile
  /** Undefined if no users are stored. */
  readonly isNewUser: boolean | undefined
  /** Whether `authorize()` gave no id, so that the user has another id at each sign-in. */
  readonly isIdMadeUp?: boolean
  /** Whether the user has an unconfirmed address: then a token session ends when somebody confirms it. */
  readonly isUnconfirmed?: boolean
  /** What the sign-in decided about the lifetime of the session. */
  readonly lifetime?: LifetimeChoice | undefined
  /** Where the session begins. */
  readonly providerSession?: ProviderSession
  /** How the user has proved who they are; undefined if nothing is known beyond one factor. */
  readonly authentication?: Authentication | undefined
}

/** An account or a passkey that was added to the user of a session. */
export type AddedAccount = Pick<SessionStart, 'user' | 'account' | 'profile'>

/** The result of a sign-out. */
export interface SessionEnd {
  readonly cookies: readonly CookieChange[]
  /** The argument of the `signOut` event; null when no session could be read. */
  readonly ended: SignOutMessage | null
  /** Why the session could not be ended: somebody with a copy of the cookie is still signed in. */
  readonly fault?: Error
  /** Whether the deletion is tried again in the background. */
  readonly isRetried?: boolean
}

/** One session in the list that its user sees. */
export interface ListedSession {
  /** Public id of the session. */
  readonly id: string
  /** Whether it is the session of the request. */
  readonly isCurrent: boolean
  /** `token` if the application issued it for a program. */
  readonly kind: 'browser' | 'token'
  /** The name that the application gave an issued token; null if it has none. */
  readonly name: string | null
  /** What an issued token is for (RFC 6749 §3.3); null if it is not restricted. */
  readonly scope: string | null
  /** Id of the provider at which it began; null if that is not known. */
  readonly provider: string | null
  /** When it began, or in a token, when its user proved last who they are; null if that is not known. */
  readonly createdAt: Date | null
  /** When it was last used, to a quarter of an hour; null if that is not known. */
  readonly lastSeenAt: Date | null
  readonly expires: Date
  /** The `User-Agent` header of the browser; null if it is not known. */
  readonly userAgent: string | null
  /** Name and version of the browser, such as `Firefox 141`; null if it is not known. */
  readonly browser: string | null
  /** The system that the browser runs on, such as `Windows` or `iOS 18`; null if it is not known. */
  readonly system: string | null
  /** The network of the client, with the host bits cut off, such as `203.0.113.0/24`; null if it is not known. */
  readonly network: string | null
}

/** What came of a request to end a session by its id. */
export interface SessionRevocation {
  /** Whether there was such a session of this user, which has ended now. */
  readonly isRevoked: boolean
  /** Cookies to send: if it was the session of the request, they sign the browser out, also if there is a fault. */
  readonly cookies: readonly CookieChange[]
  /** Why the session of the request is gone from the browser only, and a copy of it may still work; it is in the log. */
  readonly fault?: AuthError
}

/** The argument of the `signOut` event: the token's claims, or the stored session. */
export type SignOutMessage = { token: JWT | null } | { session: unknown }

/** A logout at a provider: which sessions end here. */
export interface ProviderLogout {
  readonly at: ProviderSession
  /**
   * Sessions that began later stay, milliseconds since the epoch: they are not of the sign-in that has ended. Sessions with the
   * `sid` of `at` end in any case: a session that has ended at the provider cannot have begun after that.
   */
  readonly beganUntil: number
  /**
   * Who the subject is here; null if that is not known. Of some of their sessions
   * nobody knows where they began. They may have begun at this provider, so they end too if the logout names no `sid`.
   */
  readonly userId: string | null
  /** The same for a subject whose user is not stored, as {@link SessionIndex.list} knows them. */
  readonly owner: string | null
  /** The request that brought it, as it came, which lines of the log are about. */
  readonly source?: LogSource | undefined
}

/** What a logout at a provider has done. */
export interface LogoutCounts {
  readonly ended: number
  /** Sessions that fit, and stay: they began after the logout. */
  readonly left: number
}

/** A session that has ended without a request of its browser. */
export interface EndedElsewhere {
  readonly userId: string
  /** The `sub` of the session at the provider, as its row says; absent if that is not known. */
  readonly subject?: string
  /** The argument of the `signOut` event. */
  readonly message: SignOutMessage
}

/** A logout whose sessions here have ended. */
export interface EndedAt extends ProviderSession {
  /** Whether sessions of the same people stay, which began after it. Then the stored tokens may be theirs. */
  readonly hasNewer?: boolean
}
