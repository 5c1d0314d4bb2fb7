import type { ConfigSource } from '../config/options.js'
import type { Engine } from '../engine/engine.js'
import { varyByVisitor } from '../http/shared-caches.js'
import type { CurrentSession } from '../sessions/session.js'
import { checkNothing } from './call-options.js'
import { prepareEngine } from './engine-of.js'
import {
  type MiddlewareRequest,
  type MiddlewareResponse,
  type NextFunction,
  type Nothing,
  runMiddleware,
  type SessionMiddleware,
} from './middleware.js'
import { attachSession } from './request-session.js'
import { answeredTooEarly } from './sent-answer.js'

const CALL = 'authSession(config)'

/**
 * A middleware that puts the session into `res.locals.session`, null when nobody is signed in, and sends the renewed
 * cookie. The cookie is set before the route runs, so that it goes out with streamed answers too. A fault goes to the
 * error handler.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function authSession(
  config: ConfigSource<MiddlewareRequest>,
  ...nothing: Nothing
): SessionMiddleware<CurrentSession | null> {
  const findEngine = prepareEngine(config, CALL)
  checkNothing(nothing, CALL)
  return (req: MiddlewareRequest, res: MiddlewareResponse, next: NextFunction) => {
    const work = () => {
      if (res.headersSent) throw answeredTooEarly(CALL)
      // Before anything is read: the answer to a fault depends on the visitor, too.
      varyByVisitor(res)
      const engine = findEngine(req)
      return engine instanceof Promise ? attachWhenReady(engine) : attachSession(req, res, engine)
    }
    const attachWhenReady = async (engine: Promise<Engine>) => attachSession(req, res, await engine)
    runMiddleware(req, work, () => next(), next)
  }
}
