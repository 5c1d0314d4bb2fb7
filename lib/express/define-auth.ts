import type { AccessTokenResult } from '../account-tokens/access-token.js'
import type { AccountReference, LinkedAccount } from '../accounts/user-accounts.js'
import { checkCallOptions, checkSource } from '../config/check-call-options.js'
import type { AuthConfig, Callbacks, ConfigFunction } from '../config/options.js'
import type { Awaitable } from '../providers/provider.js'
import type { ListedSession } from '../sessions/listed-session.js'
import type {
  CurrentSession,
  DefaultSession,
  IssuedToken,
  Session,
  SessionCallbackParams,
  TokenRequest,
} from '../sessions/session.js'
import type { AccessTokenOptions } from '../web/own-access-token.js'
import type { LinkOptions, UnlinkOptions } from '../web/own-accounts.js'
import type { RevocationOptions } from '../web/own-sessions.js'
import type { SessionRead, SessionRules } from '../web/session-rules.js'
import { getAccessToken, listAccounts, unlinkAccount } from './accounts.js'
import { authSession } from './auth-session.js'
import { type CorsDelegate, corsOptions } from './cors-options.js'
import { csrfToken, verifyCsrfToken } from './csrf-token.js'
import { getSession, updateSession } from './current-session.js'
import { expressAuth } from './express-auth.js'
import { linkUrl, startLink } from './link.js'
import type { Middleware, MiddlewareRequest, MiddlewareResponse, SessionMiddleware } from './middleware.js'
import { REQUIRE_AUTH_OPTIONS, type RequireAuthOptions, requireAuth } from './require-auth.js'
import { issueToken, listSessions, revokeAllSessions, revokeOtherSessions, revokeSession } from './sessions.js'
import { type SignInUrlOptions, signInUrl } from './sign-in-url.js'
import { type SignOutOptions, signOut } from './sign-out.js'
import { type StartSignInOptions, startSignIn } from './start-sign-in.js'

/**
 * A configuration whose `session` callback says what a session has.
 *
 * @typeParam Shown what the callback gives for somebody who is signed in; {@link Session} without a callback
 */
export type ConfigOf<Shown extends DefaultSession> = Omit<AuthConfig, 'callbacks'> & {
  callbacks?: Omit<Callbacks, 'session'> & {
    session?: (params: SessionCallbackParams) => Awaitable<Shown | null>
  }
}

/** The options of a guard, with sessions of this type. */
export type RequireAuthOptionsOf<Shown extends DefaultSession> = Omit<RequireAuthOptions, 'allow'> & {
  /** As {@link SessionRules.allow}. */
  allow?: (session: CurrentSession<Shown>, request: MiddlewareRequest) => Awaitable<boolean>
}

/** The functions of Latchkey for one configuration, with its type of sessions. */
export interface DefinedAuth<Shown extends DefaultSession> {
  /** Serves the mount: {@link expressAuth}. */
  readonly handler: Middleware
  /** As {@link getSession}. */
  getSession(req: MiddlewareRequest, options?: SessionRead): Promise<CurrentSession<Shown> | null>
  /** As {@link authSession}. */
  authSession(): SessionMiddleware<CurrentSession<Shown> | null>
  /** As {@link requireAuth}. */
  requireAuth(options?: RequireAuthOptionsOf<Shown>): SessionMiddleware<CurrentSession<Shown>>
  /** As {@link updateSession}. */
  updateSession(req: MiddlewareRequest, res: MiddlewareResponse, data: unknown): Promise<CurrentSession<Shown> | null>
  /** As {@link startSignIn}. */
  startSignIn(
    req: MiddlewareRequest,
    res: MiddlewareResponse,
    provider?: string,
    options?: StartSignInOptions,
  ): Promise<void>
  /** As {@link signOut}. */
  signOut(req: MiddlewareRequest, res: MiddlewareResponse, options?: SignOutOptions): Promise<void>
  /** As {@link signInUrl}. */
  signInUrl(req: MiddlewareRequest, options?: SignInUrlOptions): Promise<string>
  /** As {@link getAccessToken}. */
  getAccessToken(
    req: MiddlewareRequest,
    provider: string,
    options?: AccessTokenOptions,
  ): Promise<AccessTokenResult | null>
  /** As {@link issueToken}. */
  issueToken(req: MiddlewareRequest, wanted: TokenRequest): Promise<IssuedToken>
  /** As {@link listSessions}. */
  listSessions(req: MiddlewareRequest): Promise<readonly ListedSession[]>
  /** As {@link revokeSession}. */
  revokeSession(req: MiddlewareRequest, id: string, options?: RevocationOptions): Promise<boolean>
  /** As {@link revokeOtherSessions}. */
  revokeOtherSessions(req: MiddlewareRequest, options?: RevocationOptions): Promise<number>
  /** As {@link revokeAllSessions}; only where the configuration is no function. */
  revokeAllSessions(userId: string): Promise<number>
  /** As {@link listAccounts}. */
  listAccounts(req: MiddlewareRequest): Promise<readonly LinkedAccount[]>
  /** As {@link unlinkAccount}. */
  unlinkAccount(req: MiddlewareRequest, account: AccountReference, options?: UnlinkOptions): Promise<LinkedAccount>
  /** As {@link linkUrl}. */
  linkUrl(req: MiddlewareRequest, provider: string, options?: LinkOptions): Promise<string>
  /** As {@link startLink}. */
  startLink(req: MiddlewareRequest, res: MiddlewareResponse, provider: string, options?: LinkOptions): Promise<void>
  /** As {@link corsOptions}. */
  corsOptions(): CorsDelegate
  /** As {@link csrfToken}. */
  csrfToken(req: MiddlewareRequest, res: MiddlewareResponse): Promise<string>
  /** As {@link verifyCsrfToken}. */
  verifyCsrfToken(req: MiddlewareRequest, submitted: unknown): Promise<boolean>
}

/**
 * The functions of this package for one configuration. Sessions have the type that the `session` callback gives, without
 * any augmentation: `const { handler, getSession, requireAuth } = defineAuth({ … })`.
 *
 * @param config the configuration, or a function that gives one for a request
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function defineAuth<Shown extends DefaultSession = Session>(
  config: ConfigOf<Shown> | ((req: MiddlewareRequest) => Awaitable<ConfigOf<Shown>>),
): DefinedAuth<Shown> {
  // The compiler cannot know that sessions have the type that the callback of this configuration gives.
  const source = config as AuthConfig | ConfigFunction<MiddlewareRequest>
  checkSource(source, 'defineAuth(config)')
  return {
    handler: expressAuth(source),
    getSession: (req, options) => getSession(req, source, options) as Promise<CurrentSession<Shown> | null>,
    authSession: (...nothing) => authSession(source, ...nothing) as SessionMiddleware<CurrentSession<Shown> | null>,
    requireAuth(options = {}) {
      checkCallOptions(options, REQUIRE_AUTH_OPTIONS, 'requireAuth(options)')
      const guard = requireAuth(source, options as RequireAuthOptions) as SessionMiddleware<unknown>
      return guard as SessionMiddleware<CurrentSession<Shown>>
    },
    updateSession: (req, res, data) => updateSession(req, res, source, data) as Promise<CurrentSession<Shown> | null>,
    startSignIn: (req, res, provider, options) => startSignIn(req, res, source, provider, options),
    signOut: (req, res, options) => signOut(req, res, source, options),
    signInUrl: (req, options) => signInUrl(req, source, options),
    getAccessToken: (req, provider, options) => getAccessToken(req, source, provider, options),
    issueToken: (req, wanted) => issueToken(req, source, wanted),
    listSessions: (req) => listSessions(req, source),
    revokeSession: (req, id, options) => revokeSession(req, source, id, options),
    revokeOtherSessions: (req, options) => revokeOtherSessions(req, source, options),
    // Who has given a function gets the error that says so.
    revokeAllSessions: (userId) => revokeAllSessions(source as AuthConfig, userId),
    listAccounts: (req) => listAccounts(req, source),
    unlinkAccount: (req, account, options) => unlinkAccount(req, source, account, options),
    linkUrl: (req, provider, options) => linkUrl(req, source, provider, options),
    startLink: (req, res, provider, options) => startLink(req, res, source, provider, options),
    corsOptions: () => corsOptions(source),
    csrfToken: (req, res) => csrfToken(req, res, source),
    verifyCsrfToken: (req, submitted) => verifyCsrfToken(req, source, submitted),
  }
}
