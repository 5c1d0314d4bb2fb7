import { isProductionProcess, isTestProcess } from '../../config/env.js'
import type { ConfigSource } from '../../config/options.js'
import { warnAboutAuthAge } from '../../config/warn-at-start.js'
import type { Engine } from '../../engine/engine.js'
import { varyByVisitor } from '../../kernel/answer-headers.js'
import { isFirstTime, placeInApplication } from '../../kernel/logger.js'
import { object } from '../../kernel/object-shape.js'
import { isPageAddress } from '../../kernel/return-target.js'
import type { Shape } from '../../kernel/shape.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import type { CurrentSession } from '../../sessions/session.js'
import { MISPLACED_MAX_AGE } from '../../sign-in/operation.js'
import { secondFactorPageOf } from '../web/guard-answers.js'
import { rulesOf, SESSION_RULES, type SessionRules, type Verdict } from '../web/guard-decision.js'
import { answerAtGuard, decideAtGuard, GuardedNodeRequest } from './guard.js'
import {
  answeredTooEarly,
  loggerOf,
  type MiddlewareRequest,
  type MiddlewareResponse,
  type NextFunction,
  prepareEngine,
  runMiddleware,
  type SessionMiddleware,
} from './middleware.js'

/** Whom a guard lets pass, and how it answers the others. */
export interface RequireAuthOptions extends SessionRules<MiddlewareRequest> {
  /**
   * Path or URL of the page to which a browser is redirected to sign in; by default `pages.signIn`, or else the built-in page
   * under `basePath`. Its query gets the return target as `callbackUrl`.
   */
  signInUrl?: string
}

/** The address of a page, as in `pages` of the configuration. */
const pageAddress: Shape<string> = {
  expected: 'a path that begins with one /, or an http(s) URL',
  fits: (value) => typeof value === 'string' && isPageAddress(value),
}

const CALL = 'requireAuth(config)'

export const REQUIRE_AUTH_OPTIONS = object<RequireAuthOptions>(
  { ...SESSION_RULES, signInUrl: pageAddress },
  {
    misplaced: {
      maxAge: MISPLACED_MAX_AGE,
      authorized: 'is no option of a guard. It is `callbacks.authorized` of the configuration.',
    },
  },
)

/**
 * A guard, and everything that {@link authSession} does: lets a request through when the `authorized` callback does, by
 * default when somebody is signed in, and the session fulfils the rules of the options. Otherwise a browser that navigates
 * is sent to the sign-in page, and comes back afterwards; everything else gets 401 with JSON. So is who must sign in again, or
 * show a second factor. Who does not have a role, or whom `allow` refuses, gets 403, as a page or as JSON. A fault never lets
 * anyone in: it answers 503.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work, or an option is unknown or of a
 *   wrong type
 */
export function requireAuth(
  config: ConfigSource<MiddlewareRequest>,
  options: RequireAuthOptions = {},
): SessionMiddleware<CurrentSession> {
  const prepared = prepareEngine(config, CALL)
  checkCallOptions(options, REQUIRE_AUTH_OPTIONS, 'requireAuth(config, options)')
  const rules = rulesOf(options)
  const check = ({ config }: Engine) => rules.factors !== undefined && secondFactorPageOf(config)
  if (typeof prepared !== 'function') check(prepared)
  warnAboutAuthAge(rules.maxAuthAge, loggerOf(config))
  const guard = (req: MiddlewareRequest, res: MiddlewareResponse, next: NextFunction) => {
    noteUse?.()
    noteUse = null
    let guarded: GuardedNodeRequest
    const work = () => {
      if (res.headersSent) throw answeredTooEarly(CALL)
      // Before anything is read, because the answer to a fault depends on the visitor, too.
      varyByVisitor(res)
      if (typeof prepared !== 'function') return decide(prepared)
      return prepared(req).then((engine) => {
        check(engine)
        return decide(engine)
      })
    }
    const decide = (engine: Engine) => {
      guarded = new GuardedNodeRequest(req, engine, rules)
      return decideAtGuard(guarded, res)
    }
    // Only what follows a verdict may call `next`.
    const answer = (verdict: Verdict) => (verdict === 'pass' ? next() : answerAtGuard(verdict, guarded, res, next))
    runMiddleware(work, answer, next)
  }
  let noteUse = watchForUse(guard, config)
  return guard
}

/** What is known of a guard when it is gone. It may not refer to the guard, which would then never be collected. */
interface MadeGuard {
  /** Where the application made it: file, line and column; null if the stack does not say it. */
  readonly place: string | null
  readonly config: ConfigSource<MiddlewareRequest>
}

let unused: FinalizationRegistry<MadeGuard> | null = null

/**
 * Logs a warning, once for each place, if a guard is garbage-collected before it ran: it was made in a handler and did
 * nothing, so everybody got in. A route keeps its guard, so that it is not collected. Nothing is watched in production,
 * which should not pay for this, and in tests, which drop whole applications with guards that no test needed.
 *
 * @returns a function to call when the guard runs; null if the guard is not watched
 */
function watchForUse(guard: object, config: ConfigSource<MiddlewareRequest>): (() => void) | null {
  if (isProductionProcess() || isTestProcess()) return null
  unused ??= new FinalizationRegistry(warn)
  const token = {}
  unused.register(guard, { place: placeInApplication(), config }, token)
  return () => void unused?.unregister(token)
}

function warn({ place, config }: MadeGuard): void {
  if (!isFirstTime(watchForUse, String(place))) return
  loggerOf(config).warn('unused-guard', {
    ...(place !== null && { place }),
    fix: 'If a handler made it, nothing was guarded. Put the guard before the handler: app.get(path, requireAuth(config), handler).',
  })
}
