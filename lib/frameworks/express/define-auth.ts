import type { AuthConfig, Callbacks, ConfigFunction, ConfigSource } from '../../config/options.js'
import type { Awaitable } from '../../providers/provider.js'
import { checkCallOptions, checkSource } from '../../sessions/check-call-options.js'
import type { CurrentSession, DefaultSession, Session } from '../../sessions/session.js'
import type { SessionCallbackParams } from '../../sessions/session-callback.js'
import type { RevocationOptions } from '../../sign-in/session-operations.js'
import { type LinkOptions, OPERATION_NAMES } from '../../visitor/operations.js'
import type { AcceptedUpgrade, RefusedUpgrade, UpgradeOptions } from '../../visitor/upgrade.js'
import type { OperationName, Operator, Visitor } from '../../visitor/visitor.js'
import type { SessionRead, SessionRules } from '../web/guard-decision.js'
import { type CorsDelegate, corsOptions, csrfToken, verifyCsrfToken } from './cross-origin.js'
import { authSession, getSession, updateSession, upgradeSession } from './current-session.js'
import { expressAuth } from './express-auth.js'
import type { Middleware, MiddlewareRequest, MiddlewareResponse, SessionMiddleware } from './middleware.js'
import { operatorFor, performFor, revokeSession, startLink } from './operations.js'
import { REQUIRE_AUTH_OPTIONS, type RequireAuthOptions, requireAuth } from './require-auth.js'
import {
  type SignInUrlOptions,
  type SignOutOptions,
  type StartSignInOptions,
  signInUrl,
  signOut,
  startSignIn,
} from './sign-in.js'

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

/** The members of {@link Visitor}, which get the request first. */
type VisitorOfRequest = {
  [Name in Exclude<OperationName, 'revokeSession'>]: (
    req: MiddlewareRequest,
    ...args: Parameters<Visitor[Name]>
  ) => ReturnType<Visitor[Name]>
}

/**
 * The functions of Latchkey for one configuration, with its type of sessions. Those of {@link Operator} are for a configuration that
 * is no function.
 */
export interface DefinedAuth<Shown extends DefaultSession> extends VisitorOfRequest, Operator {
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
  /** As {@link revokeSession}. */
  revokeSession(req: MiddlewareRequest, id: string, options?: RevocationOptions): Promise<boolean>
  /** As {@link startLink}. */
  startLink(req: MiddlewareRequest, res: MiddlewareResponse, provider: string, options?: LinkOptions): Promise<void>
  /** As {@link upgradeSession}. */
  upgradeSession(req: MiddlewareRequest, options?: UpgradeOptions): Promise<AcceptedUpgrade | RefusedUpgrade>
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
    ...operationsFor(source),
    // Who has given a function gets the error that says so.
    ...operatorFor(source as AuthConfig),
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
    revokeSession: (req, id, options) => revokeSession(req, source, id, options),
    startLink: (req, res, provider, options) => startLink(req, res, source, provider, options),
    upgradeSession: (req, options) => upgradeSession(req, source, options),
    corsOptions: () => corsOptions(source),
    csrfToken: (req, res) => csrfToken(req, res, source),
    verifyCsrfToken: (req, submitted) => verifyCsrfToken(req, source, submitted),
  }
}

/** The operations for one configuration. */
function operationsFor(source: ConfigSource<MiddlewareRequest>): VisitorOfRequest {
  const of =
    (name: OperationName) =>
    async (req: MiddlewareRequest, ...args: never) =>
      performFor(name, req, source, args)
  return Object.fromEntries(OPERATION_NAMES.map((name) => [name, of(name)])) as VisitorOfRequest
}
