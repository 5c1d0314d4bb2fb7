import { checkCallOptions } from '../config/check-call-options.js'
import type { ConfigSource } from '../config/options.js'
import { warnAboutAuthAge } from '../config/warn-at-start.js'
import type { Engine } from '../engine/engine.js'
import { varyByVisitor } from '../http/answer-headers.js'
import type { CurrentSession } from '../sessions/session.js'
import { object } from '../shapes/object-shape.js'
import { secondsLimit } from '../shapes/shape.js'
import { checkOfRules, SESSION_RULES, type SessionRules } from '../web/session-rules.js'
import { MAX_AGE, pageAddress } from './call-options.js'
import { prepareEngine } from './engine-of.js'
import { answerAtGuard, decideAtGuard } from './guard.js'
import { loggerOf } from './logger-of.js'
import {
  type MiddlewareRequest,
  type MiddlewareResponse,
  type NextFunction,
  runMiddleware,
  type SessionMiddleware,
} from './middleware.js'
import { answeredTooEarly } from './sent-answer.js'
import { watchForUse } from './unused-guard.js'

/** Whom a guard lets pass, and how it answers the others. */
export interface RequireAuthOptions extends SessionRules<MiddlewareRequest> {
  /**
   * Path or URL of the page to which a browser is redirected to sign in; by default `pages.signIn`, or else the built-in page
   * under `basePath`. Its query gets the return target as `callbackUrl`.
   */
  signInUrl?: string
  /**
   * Seconds since the visitor last proved who they are, at most; by default, and with `Infinity`, any time will do.
   * `maxAuthAge: undefined` is refused, because a variable that is not set must not open the guard. A visitor who
   * signed in before that is asked to do so again. This is for a page that changes how a user signs in. A visitor whose
   * sign-in time is not known does not pass: Auth.js began the session, or the store keeps no such time.
   */
  maxAuthAge?: number
}

const CALL = 'requireAuth(config)'

export const REQUIRE_AUTH_OPTIONS = object<RequireAuthOptions>(
  { ...SESSION_RULES, signInUrl: pageAddress, maxAuthAge: secondsLimit(1) },
  {
    misplaced: {
      maxAge: MAX_AGE,
      authorized: 'is no option of a guard. It is `callbacks.authorized` of the configuration.',
    },
  },
)

/**
 * A guard, and everything that {@link authSession} does: lets a request through when the `authorized` callback does, by
 * default when somebody is signed in, and the session fulfils the rules of the options. Otherwise a browser that navigates
 * is sent to the sign-in page, and comes back afterwards; everything else gets 401 with JSON. Who is signed in and does
 * not fulfil the rules gets 403, as a page or as JSON. A fault never lets anyone in: it answers 503.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work, or an option is unknown or of a
 *   wrong type
 */
export function requireAuth(
  config: ConfigSource<MiddlewareRequest>,
  options: RequireAuthOptions = {},
): SessionMiddleware<CurrentSession> {
  const findEngine = prepareEngine(config, CALL)
  checkCallOptions(options, REQUIRE_AUTH_OPTIONS, 'requireAuth(config, options)')
  const { maxAuthAge = Number.POSITIVE_INFINITY, signInUrl, scope } = options
  warnAboutAuthAge(maxAuthAge, loggerOf(config))
  const checkRules = checkOfRules<MiddlewareRequest>(options)
  const guard = (req: MiddlewareRequest, res: MiddlewareResponse, next: NextFunction) => {
    noteUse?.()
    noteUse = null
    const work = () => {
      if (res.headersSent) throw answeredTooEarly(CALL)
      // Before anything is read, because the answer to a fault depends on the visitor, too.
      varyByVisitor(res)
      const engine = findEngine(req)
      return engine instanceof Promise
        ? decideWhenReady(engine)
        : decideAtGuard({ req, res, engine, maxAuthAge, scope, checkRules })
    }
    const decideWhenReady = async (engine: Promise<Engine>) =>
      decideAtGuard({ req, res, engine: await engine, maxAuthAge, scope, checkRules })
    // Only what follows a verdict may call `next`.
    runMiddleware(
      work,
      ({ engine, verdict }) =>
        verdict === 'pass' ? next() : answerAtGuard(verdict, { req, res, engine, signInUrl, scope, maxAuthAge, next }),
      next,
    )
  }
  let noteUse = watchForUse(guard, config)
  return guard
}
