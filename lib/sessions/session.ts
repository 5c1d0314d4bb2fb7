import type { ProviderSession } from '../adapters/adapter.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import { type JWT, ownClaims } from '../kernel/claims.js'
import type { CookieChange } from '../kernel/cookies.js'
import type { LogSource } from '../kernel/logger.js'
import { membersOf } from '../kernel/objects.js'
import type { RequestContext } from '../kernel/request-context.js'
import type { Shape } from '../kernel/shape.js'
import type { User } from '../providers/user.js'
import type { Authentication } from './authentication.js'

/**
 * The session as code of the application reads it, with `getSession` for example. It has two members that browsers do not
 * get: its `id`, and the `id` of its user. What the `session` callback puts under these names is there in their place.
 *
 * @typeParam Shown what the `session` callback gives
 */
export type CurrentSession<Shown extends DefaultSession = Session> = Shown &
  SessionId<Shown> &
  UserId<Shown> &
  SessionScope<Shown> &
  SessionAuthentication<Shown>

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

/** How the user signed in, where more is known than that it was one factor. */
type SessionAuthentication<Shown> = Omit<
  {
    /** How the user proved who they are, in the words of RFC 8176, such as `pwd` or `otp`. */
    readonly amr?: readonly string[]
    /** What the provider calls the strength of the sign-in (OpenID Connect Core §2). */
    readonly acr?: string
    /** When that was, in seconds since the epoch. */
    readonly auth_time?: number
  },
  keyof Shown
>

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
  /** How the visitor has proved who they are; absent if nothing is known beyond one factor, or nobody is signed in. */
  readonly authentication?: Authentication | undefined
  /** The own session of an administrator who acts as the user of this one; absent where nobody does. */
  readonly actor?: SessionReading | undefined
}

/** The session of who is at the browser, also while they act as a user: it ends at a sign-out, here or at a provider. */
export const ownReading = (reading: SessionReading): SessionReading => reading.actor ?? reading

/** The signed-in user of a request. */
export interface Principal {
  readonly id: string
  /** When they last proved who they are, milliseconds since the epoch; null when it is not known. */
  readonly authenticatedAt: number | null
  /** Public id of their session; absent or null where it is not known. */
  readonly sessionId?: string | null
  /** How they did; absent where no more is known than one factor. */
  readonly authentication?: Authentication | undefined
  /** Whether the browser shows that they signed in there: a sibling host can plant a session, but not this. */
  readonly signedInHere?: boolean
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
export const principalOf = ({ userId, authenticatedAt, id, authentication }: SessionReading): Principal | null =>
  userId === null ? null : { id: userId, authenticatedAt, sessionId: id, ...(authentication && { authentication }) }

/** What clients and routes see of a session. */
export interface DefaultSession {
  user?: User | undefined
  /** When the session expires, ISO 8601. */
  expires: string
  /** The administrator who acts as the user (RFC 8693 §4.1); absent where nobody does. */
  act?: Actor
}

/** Somebody who acts as another user. */
export interface Actor {
  /** Id of the user. */
  sub: string
  name?: string
  email?: string
}

/** The session; add members of your own by augmenting this interface, and in the `session` callback. */
export interface Session extends DefaultSession {}

/** A session that was read for code of the application, whose session has the ids. */
export interface CurrentReading extends SessionReading {
  readonly session: CurrentSession | null
  readonly restricted?: CurrentReading | undefined
}

/** Calls the handler of the event `session`. */
type EmitSession = (
  name: 'session',
  message: SessionMessage,
  source: LogSource | undefined,
) => Promise<void> | undefined

/**
 * What was read, for code of the application: the session also has its id and the id of its user. The reading itself does
 * not change, because browsers and the `session` event get the session without ids.
 *
 * @param emit null if the application has no handler of the event
 */
export function currentReading(
  reading: MaybePromise<SessionReading>,
  request: RequestContext,
  emit: EmitSession | null,
): MaybePromise<CurrentReading> {
  if (reading instanceof Promise) return reading.then((read) => currentReading(read, request, emit))
  const message = emit && messageOf(reading.restricted ?? reading)
  const emission = message && emit?.('session', message, request.source)
  return emission ? emission.then(() => withCurrentSession(reading)) : withCurrentSession(reading)
}

function withCurrentSession(reading: SessionReading): CurrentReading {
  const { cookies, claims, authenticatedAt, userId, id, scope, authentication, actor, restricted } = reading
  const session = currentSessionOf(reading)
  const current = { session, cookies, claims, authenticatedAt, userId, id, scope, authentication, actor }
  return restricted === undefined ? current : { ...current, restricted: withCurrentSession(restricted) }
}

/**
 * The session of a reading, with the ids; null when nobody is signed in. What the `session` callback put under these names
 * stays. If it gave no user, there is none afterwards: code of the application may take a session with a user for one that
 * may do more.
 */
export function currentSessionOf({
  session,
  id,
  userId,
  scope,
  authentication,
  authenticatedAt,
}: SessionReading): CurrentSession | null {
  if (session === null) return null
  const { id: given, user } = session as Session & { readonly id?: unknown }
  const current: { user?: object; scope?: string } = withId(session, given === undefined ? id : given)
  if (scope !== null && !('scope' in session)) current.scope = scope
  if (userId !== null && typeof user === 'object' && user !== null && user.id === undefined) {
    current.user = withId(user, userId)
  }
  if (authentication !== undefined) {
    const { amr, acr } = authentication
    const auth_time = authenticatedAt === null ? undefined : Math.floor(authenticatedAt / 1000)
    for (const [name, value] of Object.entries({ amr, acr, auth_time }))
      if (value !== undefined && !(name in session)) Object.assign(current, { [name]: value })
  }
  return current as CurrentSession
}

/** A copy with an id. The object may belong to the application, so it does not change. */
function withId(object: object, id: unknown): object {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype === Object.prototype || prototype === null) {
    const copy: { id: unknown } = { id, ...object }
    // A member may be there and have no value.
    copy.id = id
    return copy
  }
  return withMember(object, 'id', id)
}

/** A copy with another member, of any class. */
function withMember(object: object, name: string, value: unknown): object {
  // An entity of a database library has its methods in its class. The class may have a getter of the same name as a
  // member, so the members are defined and not assigned.
  const copy = Object.create(Object.getPrototypeOf(object)) as object
  return Object.defineProperties(copy, Object.getOwnPropertyDescriptors({ ...membersOf(object), [name]: value }))
}

/** A session that says who acts as its user. */
export const withActor = (session: Session, act: Actor): Session => withMember(session, 'act', act) as Session

/** One word or several, with one blank between them. A word has visible ASCII without `"` and `\` (RFC 6749 §3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/** Stores keep it in a column. */
const MAX_LENGTH = 500

/**
 * A scope. Without one there is no restriction, so a member that is present and undefined is refused: a variable that is
 * not set must not lift it.
 */
export const scopeShape: Shape<string> = {
  expected: `a scope: words with one blank between them, such as "reports:read users:list", at most ${MAX_LENGTH} characters`,
  fits: (value) => typeof value === 'string' && value.length <= MAX_LENGTH && SCOPE.test(value),
  isPublic: true,
  isLimit: true,
}

/** Whether a session may do what needs some words: it has all of them. The order does not count. */
export function covers(granted: string, needed: string): boolean {
  const words = new Set(granted.split(' '))
  return needed.split(' ').every((word) => words.has(word))
}

/**
 * The scope in a token or a row; null if the session is not restricted. A value that cannot be a scope is a restriction to
 * nothing.
 */
export const scopeIn = (value: unknown): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : ''

/**
 * A session with a scope, for code that does not know of scopes: nobody is signed in. What was read is in `restricted`, for
 * code that names the scope it needs.
 */
export const restrictedReading = <Reading extends SessionReading>(restricted: Reading) => ({ ...nobody(), restricted })

/**
 * The session of a request, for code that needs a scope. A session that has no scope may do everything, so the reading
 * stays as it is. One that has the needed words is shown, and every other one is not.
 *
 * @param needed undefined if the code names no scope: then no session with a scope is shown
 */
export function readingForScope(reading: CurrentReading, needed: string | undefined): CurrentReading {
  const full = reading.restricted ?? reading
  if (full.scope === null || (needed !== undefined && covers(full.scope, needed))) return full
  return reading === full ? restrictedReading(full) : reading
}
