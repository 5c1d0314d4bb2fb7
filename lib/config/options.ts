import type { ConfirmEmailCallback } from '../accounts/ask-confirmation.js'
import type { SignInCallback } from '../accounts/ask-signin.js'
import type { Adapter } from '../adapters/adapter.js'
import type { JWT } from '../crypto/jwt.js'
import type { JWTDecodeParams, JWTEncodeParams } from '../crypto/session-jwt.js'
import type { CookiesOptions } from '../http/cookies.js'
import type { LoggerInstance, LoggingOptions } from '../logger.js'
import type { Theme } from '../pages/theme.js'
import type { Account, Awaitable, Profile, Provider, User } from '../providers/provider.js'
import type { JWTCallback, Session, SessionCallback, SessionMessage, SignOutMessage } from '../sessions/session.js'

/** Value of `config.raw` that makes {@link Auth} give a {@link ResponseInternal} in place of a `Response`. For framework authors. */
export const raw: unique symbol = Symbol('return-type-raw')

/**
 * Value of `config.skipCSRFCheck` that turns CSRF protection off. Only for an integration whose framework has a protection of its
 * own: without one, any web site can sign visitors out, or in as somebody else.
 */
export const skipCSRFCheck: unique symbol = Symbol('skip-csrf-check')

/** Functions that decide. What each is given, and when, is in docs/guides/callbacks.md. */
export interface Callbacks {
  /** Whether somebody may sign in: true, or false, or where to send them instead. By default everybody may. */
  signIn?: SignInCallback
  /**
   * Asked before a mailed link confirms the address of a user who signed up in another way and never confirmed it: it ends what `remaining` names, such as the
   * password, and gives true. Without it, such a link is refused where anything remains.
   */
  confirmEmail?: ConfirmEmailCallback
  /** Where a return target leads; by default it stays on this origin. Whatever it returns is followed, so check the host. */
  redirect?: (params: { url: string; baseUrl: string }) => Awaitable<string>
  /** What the session token holds; null ends the session. */
  jwt?: JWTCallback
  /** What clients and routes see of a session; by default name, e-mail address, image and expiry. */
  session?: SessionCallback
  /**
   * Whether `requireAuth` lets a request through: true, or false, or an answer of its own. By default whoever is signed in.
   */
  authorized?: (params: { auth: Session | null; request: Request }) => Awaitable<boolean | Response | undefined>
}

/** Functions that are told. They are awaited, and what they throw is logged and changes nothing. */
export interface EventCallbacks {
  signIn?: (message: { user: User; account: Account | null; profile?: Profile; isNewUser?: boolean }) => Awaitable<void>
  signOut?: (message: SignOutMessage) => Awaitable<void>
  createUser?: (message: { user: User }) => Awaitable<void>
  updateUser?: (message: { user: User }) => Awaitable<void>
  linkAccount?: (message: { user: User; account: Account; profile: User }) => Awaitable<void>
  session?: (message: SessionMessage) => Awaitable<void>
}

/** Pages of the application's own, in place of the built-in ones: paths, or URLs. */
export interface PagesOptions {
  signIn: string
  signOut: string
  /** Gets `error` in the query. */
  error: string
  verifyRequest: string
  /** New users are sent here at their first sign-in. */
  newUser: string
}

/** How session tokens are made. */
export interface JWTOptions {
  /** By default `config.secret`. */
  secret: string | string[]
  /** Seconds that a token lives, where that is less than `session.maxAge`: the shorter of the two counts. */
  maxAge: number
  /** Replaces the encryption of the session token, not of other values. */
  encode: (params: JWTEncodeParams) => Awaitable<string>
  decode: (params: JWTDecodeParams) => Awaitable<JWT | null>
}

/** How sessions are kept. */
export interface SessionOptions {
  /** `jwt`: encrypted in the cookie. `database`: in the adapter's store. By default `database` when there is an adapter. */
  strategy?: 'jwt' | 'database'
  /** Seconds from the last extension to the end; 2592000, thirty days, by default. */
  maxAge?: number
  /** Seconds between extensions; 86400, one day, by default; 0 extends at every access. */
  updateAge?: number
  /**
   * How many opened session tokens are remembered, so that a session seen before costs no decryption: 10000 by default; 0 for none. They take up 2 KiB
   * each at most, on average, so of large tokens fewer are remembered. Callbacks run and expiry is checked all the same.
   */
  tokenCacheSize?: number
  /**
   * Seconds from the sign-in to the end, however active the visitor is; no such end by default. A session whose sign-in time is not known, because
   * Auth.js began it or the store does not keep it, is not extended any more.
   */
  maxLifetime?: number
  /**
   * Seconds since the sign-in, at most, for whoever adds a way to sign in, such as an account at a provider or a passkey; 900, a quarter of an hour, by
   * default. Otherwise whoever finds an open browser adds one of their own, and comes back with it. A sign-in whose time is not known is not recent.
   * `Infinity` asks nothing.
   */
  recentAuthAge?: number
  /** Makes the token of a stored session: 16 characters of visible ASCII or more, 128 bits of them random. */
  generateSessionToken?: () => string
}

/** The configuration of one instance. It is read once and never written to. */
export interface AuthConfig {
  /** Ways to sign in, in the order of the sign-in page. */
  providers: Provider[]
  adapter?: Adapter
  /**
   * Seconds that one call of the adapter may take, 5 by default; `Infinity` waits for ever. A call that takes longer
   * fails. Whatever needed it is answered with a fault, and nobody is signed in or out by it. A sign-in makes several
   * calls, each of which has this time. To find a session may take several calls as well; a request waits this long for
   * all of them together.
   */
  storeTimeout?: number
  /**
   * Public path of the mount, for links made elsewhere, as by `requireAuth`: `/auth` by default. The mount itself knows where it is.
   */
  basePath?: string
  /** Public URL of the application, `https://app.example`; by default `AUTH_URL`, else what each request says. */
  url?: string
  /** Encrypts and signs. A list rotates: the first is used, all are accepted. By default `AUTH_SECRET`. */
  secret?: string | string[]
  /**
   * Name of this instance among several that share a secret, such as tenants: 1 to 100 printable ASCII characters without blanks, not `undefined` and the like, and always the same, since whatever was
   * made under another name is refused. It is part of every key, so that session cookies, stored sessions, forms, sign-ins under way and mailed links
   * of one instance are worth nothing to another. Absent for a single instance: only then sessions of Auth.js go on.
   */
  instance?: string
  session?: SessionOptions
  jwt?: Partial<JWTOptions>
  callbacks?: Callbacks
  events?: EventCallbacks
  pages?: Partial<PagesOptions>
  cookies?: Partial<CookiesOptions>
  /** Writes debug lines to the console; `logger` decides itself. */
  debug?: boolean
  logger?: Partial<LoggerInstance>
  /** What the log tells of requests, and how often. */
  logging?: LoggingOptions
  theme?: Theme
  /**
   * Public hosts of the application, where there are several or it has no one URL: `['app.example', '*.app.example']`. A request for another host is
   * refused with 400. `*` stands for one label or a part of it; a pattern with a port wants that port. `url` goes before it.
   */
  hosts?: string[]
  /** Whether the `Host` header tells the public origin; by default with `hosts`, outside production, and where the platform sets it. */
  trustHost?: boolean
  /** `__Secure-` cookies; by default when the public origin is https. */
  useSecureCookies?: boolean
  /** Full URL of a mount that is registered with the providers in place of this one, as for preview deployments. */
  redirectProxyUrl?: string
  /**
   * Hosts that the redirect proxy hands answers on to, of deployments that are yours alone: `['*.preview.app.example', 'pr-*.app.example']`. `*` stands for
   * characters of one label; a pattern with a port wants that port. Without a list nothing is handed on.
   */
  redirectProxyHosts?: readonly string[]
  experimental?: { enableWebAuthn?: boolean }
  /** Data of the application's own, which Latchkey does not look at: a member of any other name is taken for a misspelling, and refused. */
  custom?: unknown
  skipCSRFCheck?: typeof skipCSRFCheck
  raw?: typeof raw
}

/** A configuration, or what gives one for a request. A function should give the same object for the same tenant: it is resolved once per object. */
export type ConfigSource<Req> = AuthConfig | ConfigFunction<Req>

// A method's type, since those may name a narrower request: an Express app writes `(req: express.Request) => …`.
export type ConfigFunction<Req> = { of(request: Req): Awaitable<AuthConfig> }['of']
