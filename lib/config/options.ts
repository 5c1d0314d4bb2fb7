import type { Adapter } from '../adapters/adapter.js'
import type { AccountPageOptions } from '../features/account-page/options.js'
import type { AccountTokensOptions } from '../features/account-tokens/index.js'
import type { ActAsOptions } from '../features/acting/options.js'
import type { LimitsOptions } from '../features/limits/index.js'
import type { SecondFactorOptions } from '../features/second-factor/options.js'
import type { SecurityEventsOptions } from '../features/security-events/options.js'
import type { JWT } from '../kernel/claims.js'
import type { CookieOption } from '../kernel/cookies.js'
import type { LoggerInstance, LoggingOptions } from '../kernel/logger.js'
import type { PagesOptions } from '../pages/action-urls.js'
import type { Theme } from '../pages/theme.js'
import type { Awaitable, Provider } from '../providers/provider.js'
import type { JWTDecodeParams, JWTEncodeParams } from '../sessions/session-jwt.js'
import type { Callbacks, EventCallbacks } from '../sign-in/callbacks.js'
import type { SignUpMode } from '../users/ask-sign-up.js'
import type { COOKIE_NAMES } from './cookie-names.js'

export type { AccountPageOptions } from '../features/account-page/options.js'
export type {
  AccountPageVisitor,
  OwnAccountAction,
  OwnAccountItem,
  OwnAccountPart,
  OwnAccountPartContent,
} from '../features/account-page/own-parts.js'
export type { AccountTokensOptions } from '../features/account-tokens/index.js'
export type { Attempt, LimitsOptions, Rate } from '../features/limits/index.js'
export type { PagesOptions } from '../pages/action-urls.js'
export type { AccountPartName } from '../sign-in/account-part.js'
export type { Callbacks, EventCallbacks } from '../sign-in/callbacks.js'

/**
 * Value of `config.raw` that makes {@link Auth} return a {@link ResponseInternal} instead of a `Response`. For authors of
 * framework integrations.
 */
export const raw: unique symbol = Symbol('return-type-raw')

/**
 * Value of `config.skipCSRFCheck` that turns CSRF protection off. It is only for an integration whose framework has its
 * own protection. Without any protection, every web site can sign visitors out, or sign them in as somebody else.
 */
export const skipCSRFCheck: unique symbol = Symbol('skip-csrf-check')

/** How session tokens are made. */
export interface JWTOptions {
  /** By default `config.secret`. */
  secret: string | string[]
  /** Lifetime of a token in seconds. If `session.maxAge` is shorter, that counts. */
  maxAge: number
  /** Replaces the encryption of the session token. Other values are encrypted as before. */
  encode: (params: JWTEncodeParams) => Awaitable<string>
  /** Opens what `encode` has made; null if it is not valid. */
  decode: (params: JWTDecodeParams) => Awaitable<JWT | null>
}

/** How sessions are kept. */
export interface SessionOptions {
  /** `jwt`: encrypted in the cookie. `database`: in the adapter's store. By default `database` when there is an adapter. */
  strategy?: 'jwt' | 'database'
  /** Seconds from the last renewal of a session to its end; 2592000, thirty days, by default. */
  maxAge?: number
  /**
   * Asks visitors whether they want to stay signed in. If they do, `maxAge` of this option replaces `session.maxAge`. If
   * not, the browser deletes the session cookie when it is closed, and the session ends at the latest after
   * `session.maxAge`. Without this option, nobody is asked, and every session outlives the browser.
   */
  remember?: {
    /** Seconds from the last renewal of the session of a visitor who wants to stay signed in to its end. */
    maxAge: number
  }
  /** Seconds from one renewal to the next; 86400, one day, by default; 0 renews at every access. */
  updateAge?: number
  /**
   * How many decrypted session tokens this process remembers, so that it need not decrypt a token again: 10000 by default;
   * 0 for none. On average a token has at most 2 KiB, so fewer tokens are remembered if they are larger. Callbacks run and
   * the expiry is checked at every access, also for a remembered token.
   */
  tokenCacheSize?: number
  /**
   * Seconds from the sign-in to the end of a session, however often it is renewed; no such end by default, and with
   * `Infinity`. A session whose sign-in time is unknown, because Auth.js began it or the store does not keep the time, is
   * not renewed any more. The start refuses `maxLifetime: undefined`: a variable that is not set must not remove the end.
   */
  maxLifetime?: number
  /**
   * Seconds after which the user of a token session is read again; 0 reads the user for every request, `Infinity` only at
   * the sign-in. A user who was deleted, or whose member `disabled` is true, is not signed in any more, and cannot sign in.
   * Stored sessions read their user for every request, and then only `disabled` is new. By default no user is read again,
   * and `disabled` means nothing. The start refuses `refreshUser: undefined`: a variable that is not set must not let
   * disabled users in.
   */
  refreshUser?: number
  /**
   * The most seconds that may have passed since the sign-in of a user who adds a way to sign in, such as an account at a
   * provider or a passkey; 900, a quarter of an hour, by default. Without this limit, a stranger at an unlocked browser
   * could add an account of their own, and sign in with it later. A sign-in whose time is unknown is too old. `Infinity`
   * is no limit.
   */
  recentAuthAge?: number
  /**
   * Whether browsers get `id` and `user.id` of a session from the mount, as code of the application always does; false by
   * default. What the `session` callback puts there reaches browsers in any case.
   */
  exposeIds?: boolean
  /**
   * Makes sessions in tokens revocable in every process, and lists them. Without it, a sign-out is known only to the process
   * that got it. Stored sessions need no such option.
   */
  revocation?: {
    /** Knows the sessions: an adapter of Latchkey. `memoryAdapter()` forgets revocations in a restart. */
    store: Adapter
    /**
     * Seconds between two look-ups of one session in one process: 30 by default. After a revocation, other processes may
     * accept the session for so long. 0 looks a session up at every request.
     */
    checkEvery?: number
  }
  /**
   * Whether the list of sessions has the `User-Agent` and the network of each session, security events have browser and network, and
   * trusted browsers a name: true by default. A network has no host bits, such as `203.0.113.0/24`.
   */
  devices?: boolean
  /** Makes the token of a stored session: at least 16 characters of visible ASCII, with 128 random bits. */
  generateSessionToken?: () => string
}

/** The configuration of one instance. Latchkey reads it once and never writes to it. */
export interface AuthConfig {
  /** Ways to sign in, in the order of the sign-in page. */
  providers: Provider[]
  /** The store for users, accounts, sessions, passkeys and mailed links. Without one, sessions are tokens in cookies. */
  adapter?: Adapter
  /**
   * Seconds that one call of the adapter may take, 5 by default; `Infinity` waits for ever. A call that takes longer
   * fails. The request that needed it is answered with an error, and signs nobody in or out. A sign-in makes several
   * calls, and each of them may take this time. The look-up of a session may make several calls as well; a request waits
   * this long for all of them together.
   */
  storeTimeout?: number
  /**
   * Public path of the mount, `/auth` by default. It is used for links that are made outside of the mount, as by
   * `requireAuth`. The mount itself reads its path from the request.
   */
  basePath?: string
  /**
   * The beginning of public paths that a proxy cuts off before it passes a request on: `/app` if visitors see
   * `/app/auth/signin` where the application sees `/auth/signin`. Every address for visitors then begins with it. No header
   * can name it, because a visitor could send that header. For Express and Connect; the other frameworks have a base path of
   * their own. None by default.
   */
  strippedPrefix?: string
  /** Public URL of the application, `https://app.example`; by default `AUTH_URL`, or else the origin of each request. */
  url?: string
  /**
   * Encrypts and signs. In a list, the first secret encrypts and signs, and all are accepted, so that secrets can be
   * rotated. By default `AUTH_SECRET`.
   */
  secret?: string | string[]
  /**
   * Name of this instance among several that share a secret, such as tenants: 1 to 100 printable ASCII characters without
   * blanks, but not `undefined` or another text that a missing value becomes. It must not change: whatever was made under
   * another name is refused. It is part of every key, so that another instance refuses the session cookies, stored
   * sessions, forms, transactions and mailed links of this one. Leave it out for a single instance: only then Latchkey
   * accepts sessions of Auth.js.
   */
  instance?: string
  /** Where sessions are kept, and how long they live. */
  session?: SessionOptions
  /**
   * Whether a session is also accepted in the header `Authorization: Bearer` (RFC 6750), for scripts and mobile apps; false
   * by default, and then the header is not read. A request with such a header is never read with its cookie.
   */
  bearer?: boolean
  /** How the tokens of accounts at providers are kept, for `getAccessToken`. */
  accountTokens?: AccountTokensOptions
  /**
   * How often passwords, codes, mails and passkeys may be tried, for an account and for a network. By default there are limits;
   * `false` leaves them to a gateway in front of the application.
   */
  limits?: LimitsOptions | false
  /** How session tokens are encrypted, and how long they are valid. */
  jwt?: Partial<JWTOptions>
  /** Functions that decide: who signs in, what a session holds, which requests pass, where a return target leads. */
  callbacks?: Callbacks
  /** Functions that are told what has happened. They decide nothing. */
  events?: EventCallbacks
  /** Paths or URLs of pages of your own, in place of the built-in ones. */
  pages?: Partial<PagesOptions>
  /** Name and attributes of each cookie, where they differ from the default. */
  cookies?: Partial<CookiesOptions>
  /** Writes debug lines to the console. A `logger` with `debug` gets them in any case. */
  debug?: boolean
  /** Where log lines go, by level; the console for each level that is left out. */
  logger?: Partial<LoggerInstance>
  /** What log lines say about requests, and how often a repeated fault is logged. */
  logging?: LoggingOptions
  /** How the built-in pages look, and what they say. */
  theme?: Theme
  /**
   * Public hosts of the application, if it has several: `['app.example', '*.app.example']`. A request for another host is
   * refused with 400. `*` stands for one label or a part of it; a pattern with a port matches only that port. If `url` is
   * set, it is used instead.
   */
  hosts?: string[]
  /**
   * Origins of pages of your own that are not at the public origin: `['http://localhost:5173', 'https://app.example']`. They
   * may be return targets, may post forms with a CSRF token, and may read the JSON that the mount answers to their visitors.
   * `*` stands for one label or a part of it, as in `hosts`; a port that is left out is that of the scheme.
   */
  origins?: readonly string[]
  /**
   * Whether the public origin is taken from the `Host` header. By default it is if `hosts` or AUTH_URL is set, outside of
   * production, and on Vercel and Cloudflare Pages.
   */
  trustHost?: boolean
  /** Whether cookies have the prefix `__Secure-`; by default if the public origin has https. */
  useSecureCookies?: boolean
  /**
   * Full URL of another mount that is registered with the providers, and that forwards their authorization responses to
   * this one. Preview deployments need it.
   */
  redirectProxyUrl?: string
  /**
   * Hosts to which the redirect proxy forwards authorization responses: `['*.preview.app.example', 'pr-*.app.example']`.
   * List only hosts that nobody else can use. `*` stands for characters of one label; a pattern with a port matches only
   * that port. Without a list nothing is forwarded.
   */
  redirectProxyHosts?: readonly string[]
  /**
   * Whether the owner of an account is told by mail of a way to sign in that was added or removed, and of a new password: true
   * by default. It takes an e-mail provider that can send such mails, as those of Latchkey can, and a confirmed address.
   */
  accountNotices?: boolean
  /** Which parts the page `/auth/account` has; `false` for no page. `pages.account` puts a page of your own in its place. */
  accountPage?: AccountPageOptions | false
  /**
   * How many e-mail addresses a user can have, from 1, the default, to 20. People add them on the account page, sign in with each of
   * them, and choose which one is `user.email`. It needs an adapter of Latchkey, and an e-mail provider such as those of Latchkey.
   */
  maxAddresses?: number
  /**
   * Lets people protect their account with a second factor: an authenticator app, with recovery codes. Off by default. It needs an
   * adapter of Latchkey, and the packages `otpauth` and `uqr`.
   */
  secondFactor?: SecondFactorOptions | boolean
  /**
   * Lets administrators act as users, to see what those see. Nobody may by default. It needs `secondFactor`, and each of them must have
   * shown theirs.
   */
  actAs?: ActAsOptions
  /**
   * Keeps for people what has happened to their account: sign-ins, failed ones, changes. Off by default; it needs an adapter of
   * Latchkey. The event `security` of `events` tells the application of the same things, and needs nothing.
   */
  securityEvents?: SecurityEventsOptions | boolean
  /**
   * Whether the built-in sign-in page marks the provider that was used last in this browser: true by default. A cookie keeps
   * the id of that provider for a year, and nothing about the person. No cookie is set with one provider alone, or with
   * `pages.signIn`.
   */
  marksLastUsed?: boolean
  /** `enableWebAuthn` allows passkey providers that were made for Auth.js. Those of Latchkey need no flag. */
  experimental?: { enableWebAuthn?: boolean }
  /**
   * Who becomes a user by signing in: everybody (`open`, the default); whom `inviteUser` has invited, at the address that their
   * sign-in confirms (`invited`); or nobody, because code of the application creates the users (`closed`). It needs an adapter.
   */
  signUp?: SignUpMode
  /** Data of the application, which Latchkey does not read. Members with unknown names are refused as misspelt. */
  custom?: unknown
  /** For integrations with a framework that has its own protection against requests of other sites: no CSRF token is needed. */
  skipCSRFCheck?: typeof skipCSRFCheck
  /** For integrations: `Auth` returns plain data in place of a `Response`. */
  raw?: typeof raw
}

/** `config.cookies`: any cookie's name, and its attributes one by one. */
export type CookiesOptions = Record<(typeof COOKIE_NAMES)[number], Partial<CookieOption>>

/** The same type under the name that `@auth/express` gives it, for applications that come from there. */
export type ExpressAuthConfig = AuthConfig

/**
 * A configuration, or a function that returns one for a request. The function should return the same object for the same
 * tenant, because Latchkey resolves each object once.
 */
export type ConfigSource<Req> = AuthConfig | ConfigFunction<Req>

/** A function that returns the configuration for a request, or a promise of it. */
// The type of a method, because its parameter may be a narrower type than `Req`, such as `express.Request`.
export type ConfigFunction<Req> = { of(request: Req): Awaitable<AuthConfig> }['of']
