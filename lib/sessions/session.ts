import type { AdapterSession, AdapterUser } from '../adapters/adapter.js'
import type { MaybePromise } from '../awaitable.js'
import type { JWT } from '../crypto/jwt.js'
import type { CookieChange } from '../http/cookies.js'
import type { RequestContext } from '../http/request-context.js'
import type { Account, Awaitable, Profile, User } from '../providers/provider.js'

/** What clients and routes see of a session. */
export interface DefaultSession {
  user?: User
  /** When the session ends, ISO 8601. */
  expires: string
}

/** The session; add members of your own by augmenting this interface, and in the `session` callback. */
export interface Session extends DefaultSession {}

/** What the `jwt` callback is given. */
export interface JWTCallbackParams {
  /** On sign-in `name`, `email`, `picture` and `sub`; later all that the token holds. */
  token: JWT
  /** On sign-in: the user. */
  user?: User
  /** On sign-in: the account, with the provider's tokens. */
  account?: Account | null
  /** On sign-in with OAuth or OpenID Connect: the provider's profile. */
  profile?: Profile
  trigger?: 'signIn' | 'signUp' | 'update'
  /** @deprecated use `trigger === 'signUp'` */
  isNewUser?: boolean
  /** On an update: what the client sent. Not to be trusted more than any other input. */
  // biome-ignore lint/suspicious/noExplicitAny: the client sends what it likes
  session?: any
}

/**
 * What the `session` callback is given. `token` is there with token sessions and `user` with stored ones; the types have both, since
 * an application knows which it has.
 */
export interface SessionCallbackParams {
  /** With stored sessions the row itself, whose `expires` is a Date and whose `sessionToken` is a digest. */
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

/** The arguments of the `session` callback, of which each strategy has its own. */
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

/** What the `session` event is given. */
export interface SessionMessage {
  session: Session
  token?: JWT
}

/** What the `signOut` event is given: the token's claims, or the stored session. */
export type SignOutMessage = { token: JWT | null } | { session: unknown }

/** A session as it was found. */
export interface SessionReading {
  /** Null when nobody is signed in. */
  readonly session: Session | null
  /** Cookies to send: a session that was extended, or one that is no more. */
  readonly cookies: readonly CookieChange[]
  /** For the `session` event; null when nobody is signed in. */
  readonly message: SessionMessage | null
  /** When the visitor last proved who they are, milliseconds since the epoch; null when nobody is signed in, or it is not known. */
  readonly authenticatedAt: number | null
  /** Id of the user whose session it is; null when nobody is signed in, or the token names no user. */
  readonly userId: string | null
}

/** Who has just signed in. */
export interface SessionStart {
  readonly user: User & { id: string }
  readonly account: Account
  readonly profile?: Profile
  /** Undefined when nobody keeps users. */
  readonly isNewUser: boolean | undefined
  /** Whether `authorize()` gave no id, so that the user's is another at each sign-in. */
  readonly isIdMadeUp?: boolean
  /** Whether the user has an address that nobody has confirmed yet: then a token session ends when somebody does. */
  readonly isUnconfirmed?: boolean
  /**
   * When they proved who they are, milliseconds since the epoch; absent for now. It is earlier where something was added to an account, and null where it
   * is not known.
   */
  readonly authenticatedAt?: number | null
}

/** The signed-in user of a request. */
export interface Principal {
  readonly id: string
  /** When they last proved who they are, milliseconds since the epoch; null when it is not known. */
  readonly authenticatedAt: number | null
}

/** What became of a session whose visitor signed out. */
export interface SessionEnd {
  readonly cookies: readonly CookieChange[]
  /** For the `signOut` event; null when there was none that could be read. */
  readonly ended: SignOutMessage | null
  /** What kept it from being ended: whoever has a copy of the cookie is still signed in. */
  readonly fault?: Error
  /** Whether that is tried again in the background. */
  readonly isRetried?: boolean
}

/** The principal of a session that was read. */
export const principalOf = ({ userId, authenticatedAt }: SessionReading): Principal | null =>
  userId === null ? null : { id: userId, authenticatedAt }

/**
 * The lifecycle of sessions: the only contract that the rest of the package sees. There is no promise where nothing has to be waited
 * for. Every method throws an {@link AuthError} when a callback or a store fails: a fault never means that nobody is signed in.
 */
export interface SessionManager {
  readonly name: 'jwt' | 'database'
  /** The session of a request. It is not renewed: for callers that cannot send a cookie. */
  read(request: RequestContext): MaybePromise<SessionReading>
  /** As {@link read}, and moves the end of the session when it is time. The caller sends the cookies. */
  renew(request: RequestContext): MaybePromise<SessionReading>
  /** As {@link renew}, and hands what a client wants changed to the callbacks. */
  update(request: RequestContext, data: unknown): MaybePromise<SessionReading>
  /** The principal of a request, by the same reading as {@link read}. Null when nobody is signed in. */
  readPrincipal(request: RequestContext): Promise<Principal | null>
  /** Starts a new session in place of any before. There is no cookie when the `jwt` callback gives null. */
  issue(request: RequestContext, start: SessionStart): Promise<readonly CookieChange[]>
  /**
   * Ends the session. The cookie is deleted in every case: a visitor who signs out on a shared machine must not stay signed in there
   * because something is down.
   */
  revoke(request: RequestContext): Promise<SessionEnd>
}
