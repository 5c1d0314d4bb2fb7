import type { AdapterSession, AdapterUser, ProviderSession } from '../adapters/adapter.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import { type JWT, ownClaims } from '../kernel/claims.js'
import type { CookieChange } from '../kernel/cookies.js'
import type { RequestContext } from '../kernel/request-context.js'
import type { Account, Awaitable, Profile, User } from '../providers/provider.js'
import type { DefaultSession, Session } from './default-session.js'
import type { ListedSession } from './listed-session.js'
import type { EndedElsewhere, LogoutCounts, ProviderLogout, SignOutMessage } from './logout.js'
import type { LifetimeChoice } from './session-claim.js'

export type { DefaultSession, Session } from './default-session.js'
export type { SignOutMessage } from './logout.js'

/**
 * The session as code of the application reads it, with `getSession` for example. It has two members that browsers do not
 * get: its `id`, and the `id` of its user. What the `session` callback puts under these names is there in their place.
 *
 * @typeParam Shown what the `session` callback gives
 */
export type CurrentSession<Shown extends DefaultSession = Session> = Shown &
  SessionId<Shown> &
  UserId<Shown> &
  SessionScope<Shown>

/**
 * The id of the session. It stays the same when the session is renewed or updated. It is no credential: nobody can sign in
 * with it.
 */
type SessionId<Shown> = 'id' extends keyof Shown ? unknown : { readonly id: string }

/** The id of the user, if there is a user and the session names one. */
type UserId<Shown extends DefaultSession> = 'id' extends keyof NonNullable<Shown['user']>
  ? unknown
  : { readonly user?: { readonly id?: string } }

/** What the session is for (RFC 6749 §3.3), if it is that of an issued token with a scope. */
type SessionScope<Shown> = 'scope' extends keyof Shown ? unknown : { readonly scope?: string }

/** The argument of the `jwt` callback. */
export interface JWTCallbackParams {
  /** On sign-in: `name`, `email`, `picture` and `sub`. Later: all claims of the token. */
  token: JWT
  /** On sign-in: the user. With `trigger: 'refresh'`: the user as it is now, from the adapter or the `refreshUser` callback. */
  user?: User
  /** On sign-in: the account, with the provider's tokens. */
  account?: Account | null
  /** On sign-in with OAuth or OpenID Connect: the provider's profile. */
  profile?: Profile
  /** `refresh` if `session.refreshUser` has read the user again. Then `name`, `email` and `picture` of the token are new. */
  trigger?: 'signIn' | 'signUp' | 'update' | 'refresh'
  /** @deprecated use `trigger === 'signUp'` */
  isNewUser?: boolean
  /** On an update: what the client sent. Not to be trusted more than any other input. */
  // biome-ignore lint/suspicious/noExplicitAny: the client sends what it likes
  session?: any
}

/**
 * The argument of the `session` callback. Token sessions have `token`, and stored sessions have `user`. The types have
 * both, because an application knows which sessions it uses.
 */
export interface SessionCallbackParams {
  /** With stored sessions: the row itself, whose `expires` is a Date and whose `sessionToken` is a digest. */
  session: Session & { user: User & Partial<AdapterUser> } & Partial<Pick<AdapterSession, 'sessionToken' | 'userId'>>
  /** The token's claims. */
  token: JWT
  /** The stored user. */
  user: AdapterUser
  /** On an update: what the client sent. Not to be trusted more than any other input. */
  // biome-ignore lint/suspicious/noExplicitAny: the client sends what it likes
  newSession?: any
  trigger?: 'update'
}

/** The argument of the `session` callback. Each strategy gives its own members. */
export const sessionParams = (
  params: Partial<Pick<SessionCallbackParams, 'token' | 'user'>> & { session: object; update?: { data: unknown } },
): SessionCallbackParams => {
  const { update, ...own } = params
  const asked = update ? { newSession: update.data, trigger: 'update' } : {}
  return { ...own, ...asked } as SessionCallbackParams
}

/** Decides what a token holds; null ends the session. */
export type JWTCallback = (params: JWTCallbackParams) => Awaitable<JWT | null>
/** Decides what clients and routes see of a session. */
export type SessionCallback = (params: SessionCallbackParams) => Awaitable<Session | DefaultSession | null>

/** The argument of the `session` event. */
export interface SessionMessage {
  session: Session
  token?: JWT
}

/** The result of reading a session. */
export interface SessionReading {
  /** Null when nobody is signed in. */
  readonly session: Session | null
  /** Cookies to send: those of a renewed session, or the deletions for a session that has ended. */
  readonly cookies: readonly CookieChange[]
  /** The claims of the token, which may be frozen; absent with stored sessions, and when nobody is signed in. */
  readonly claims?: JWT | undefined
  /**
   * When the visitor last proved who they are, milliseconds since the epoch; null when nobody is signed in, or when the
   * time is not known.
   */
  readonly authenticatedAt: number | null
  /** Id of the user whose session it is; null when nobody is signed in, or the token names no user. */
  readonly userId: string | null
  /** Public id of the session; null when nobody is signed in. */
  readonly id: string | null
  /** What the session is for; null if it is not restricted, or nobody is signed in. */
  readonly scope: string | null
  /** `token` if the application issued the session for a program. */
  readonly kind?: 'token' | undefined
  /** A digest that is the same in all sessions of one person, if the session is a token; `sessions/jwt-claims.ts` makes it. */
  readonly personDigest?: string | null | undefined
  /**
   * The session of a token that is restricted to a scope. Present only if all other members say that nobody is signed in:
   * code that does not know of scopes must not let such a session do anything.
   */
  readonly restricted?: SessionReading | undefined
  /** Whether the visitor asked at the sign-in to stay signed in. */
  readonly isRemembered?: boolean | undefined
  /** Where the session began; absent when that is not known, or nobody is signed in. */
  readonly providerSession?: ProviderSession | undefined
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
}

/** An account or a passkey that was added to the user of a session. */
export type AddedAccount = Pick<SessionStart, 'user' | 'account' | 'profile'>

/** The signed-in user of a request. */
export interface Principal {
  readonly id: string
  /** When they last proved who they are, milliseconds since the epoch; null when it is not known. */
  readonly authenticatedAt: number | null
  /** Public id of their session; absent or null where it is not known. */
  readonly sessionId?: string | null
  /** Whether the browser shows that they signed in there: a sibling host can plant a session, but not this. */
  readonly signedInHere?: boolean
}

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

/** The reading where nobody is signed in, with cookies to send. */
export const nobody = (cookies: readonly CookieChange[] = []) => ({
  session: null,
  cookies,
  authenticatedAt: null,
  userId: null,
  id: null,
  scope: null,
})

/** The argument of the `session` event; null when nobody is signed in. */
export const messageOf = ({ session, claims }: SessionReading): SessionMessage | null =>
  session && (claims === undefined ? { session } : { session, token: ownClaims(claims) })

/** The principal of a session that was read. */
export const principalOf = ({ userId, authenticatedAt, id }: SessionReading): Principal | null =>
  userId === null ? null : { id: userId, authenticatedAt, sessionId: id }

/** Sessions as they are kept in cookies. {@link SessionManager} adds those in the header `Authorization`. */
export type CookieSessions = Omit<SessionManager, 'issueToken'>

/**
 * The lifecycle of sessions: the only contract that the rest of the package sees. A result is no promise if nothing is
 * awaited. Every method throws an {@link AuthError} when a callback or a store fails: a fault never means that nobody
 * is signed in.
 */
export interface SessionManager {
  readonly name: 'jwt' | 'database'
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
  /** The principal of a request, read as by {@link read}. Null when nobody is signed in. */
  readPrincipal(request: RequestContext): Promise<Principal | null>
  /** Begins a new session, and ends the previous one. Gives no cookie if the `jwt` callback gives null. */
  issue(request: RequestContext, start: SessionStart): Promise<readonly CookieChange[]>
  /**
   * Ends the session. The cookie is deleted in every case: a visitor who signs out on a shared machine must not stay
   * signed in there because a store is down.
   */
  revoke(request: RequestContext): Promise<SessionEnd>
  /** The sessions of the user of a request, the newest first. Null when nobody is signed in. */
  list(request: RequestContext): Promise<readonly ListedSession[] | null>
  /**
   * Ends another session of the user of a request, and gives whether there was one; {@link revoke} ends that of the request
   * itself, whose cookies go with it. A session of another user, or of another instance, counts as unknown. Null when nobody
   * is signed in.
   */
  revokeById(request: RequestContext, id: string): Promise<boolean | null>
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
