import { checkCallOptions } from '../config/check-call-options.js'
import { checkSource } from '../config/check-source.js'
import type { AuthConfig, Callbacks, ConfigFunction } from '../config/options.js'
import type { Awaitable } from '../providers/provider.js'
import type { CurrentSession, DefaultSession, Session, SessionCallbackParams } from '../sessions/session.js'
import type { SessionRules } from '../web/session-rules.js'
import { authSession } from './auth-session.js'
import { csrfToken, verifyCsrfToken } from './csrf-token.js'
import { expressAuth } from './express-auth.js'
import { getSession } from './get-session.js'
import type { Middleware, MiddlewareRequest, MiddlewareResponse, SessionMiddleware } from './middleware.js'
import { REQUIRE_AUTH_OPTIONS, type RequireAuthOptions, requireAuth } from './require-auth.js'
import { updateSession } from './update-session.js'

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
  getSession(req: MiddlewareRequest): Promise<CurrentSession<Shown> | null>
  /** As {@link authSession}. */
  authSession(): SessionMiddleware<CurrentSession<Shown> | null>
  /** As {@link requireAuth}. */
  requireAuth(options?: RequireAuthOptionsOf<Shown>): SessionMiddleware<CurrentSession<Shown>>
  /** As {@link updateSession}. */
  updateSession(req: MiddlewareRequest, res: MiddlewareResponse, data: unknown): Promise<CurrentSession<Shown> | null>
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
    getSession: (req) => getSession(req, source) as Promise<CurrentSession<Shown> | null>,
    authSession: (...nothing) => authSession(source, ...nothing) as SessionMiddleware<CurrentSession<Shown> | null>,
    requireAuth(options = {}) {
      checkCallOptions(options, REQUIRE_AUTH_OPTIONS, 'requireAuth(options)')
      const guard = requireAuth(source, options as RequireAuthOptions) as SessionMiddleware<unknown>
      return guard as SessionMiddleware<CurrentSession<Shown>>
    },
    updateSession: (req, res, data) => updateSession(req, res, source, data) as Promise<CurrentSession<Shown> | null>,
    csrfToken: (req, res) => csrfToken(req, res, source),
    verifyCsrfToken: (req, submitted) => verifyCsrfToken(req, source, submitted),
  }
}
