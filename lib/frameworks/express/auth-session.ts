import type { ConfigSource } from '../../config/options.js'
import type { Engine } from '../../engine/engine.js'
import { RETRY_AFTER, varyByVisitor } from '../../kernel/answer-headers.js'
import { AuthError } from '../../kernel/errors.js'
import type { CurrentSession } from '../../sessions/session.js'
import { prepareEngine } from './engine-of.js'
import {
  answeredTooEarly,
  checkNothing,
  type MiddlewareRequest,
  type MiddlewareResponse,
  type NextFunction,
  type Nothing,
  runMiddleware,
  type SessionMiddleware,
} from './middleware.js'
import { attachSession } from './request-session.js'

const CALL = 'authSession(config)'

/**
 * Gives a fault of reading the session the status with which a guard answers it. Error handlers, such as that of Express, read
 * `status` and `headers`, and would answer 500 otherwise.
 */
function failTemporarily(error: unknown): never {
  throw error instanceof AuthError && !('status' in error)
    ? Object.assign(error, { status: 503, headers: RETRY_AFTER })
    : error
}

/**
 * A middleware that puts the session into `res.locals.session`, null when nobody is signed in, and sends the renewed
 * cookie. The cookie is set before the route runs, so that it goes out with streamed answers too. A fault goes to the
 * error handler, with the status 503.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function authSession(
  config: ConfigSource<MiddlewareRequest>,
  ...nothing: Nothing
): SessionMiddleware<CurrentSession | null> {
  const prepared = prepareEngine(config, CALL)
  checkNothing(nothing, CALL)
  return (req: MiddlewareRequest, res: MiddlewareResponse, next: NextFunction) => {
    const work = () => {
      if (res.headersSent) throw answeredTooEarly(CALL)
      // Before anything is read: the answer to a fault depends on the visitor, too.
      varyByVisitor(res)
      return typeof prepared === 'function' ? prepared(req).then(attach) : attach(prepared)
    }
    const attach = (engine: Engine) => {
      try {
        const lookup = attachSession(req, res, engine)
        return lookup instanceof Promise ? lookup.catch(failTemporarily) : lookup
      } catch (error) {
        return failTemporarily(error)
      }
    }
    runMiddleware(work, () => next(), next)
  }
}
