import type { MaybePromise } from '../awaitable.js'
import type { ConfigSource } from '../config/options.js'
import type { Engine, SessionLookup } from '../engine/engine.js'
import { appendCookies } from '../http/node-response.js'
import { varyByVisitor } from '../http/shared-caches.js'
import { checkNothing } from './call-options.js'
import { prepareEngine } from './engine-of.js'
import { lookUpSession } from './get-session.js'
import {
  type Middleware,
  type MiddlewareRequest,
  type MiddlewareResponse,
  type Nothing,
  runMiddleware,
} from './middleware.js'

import { requireOpenAnswer } from './open-answer.js'

const CALL = 'authSession(config)'

/**
 * A middleware that puts the session into `res.locals.session`, null when nobody is signed in, and sends the renewed
 * cookie. The cookie is set before the route runs, so that it goes out with streamed answers too. A fault goes to the
 * error handler.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function authSession(config: ConfigSource<MiddlewareRequest>, ...nothing: Nothing): Middleware {
  const engineOf = prepareEngine(config, CALL)
  checkNothing(nothing, CALL)
  return (req, res, next) => {
    const work = () => {
      requireOpenAnswer(res, CALL)
      // Before anything is read: the answer to a fault depends on the visitor, too.
      varyByVisitor(res)
      const engine = engineOf(req)
      return engine instanceof Promise ? attachWhenReady(engine) : attachSession(req, res, engine)
    }
    const attachWhenReady = async (engine: Promise<Engine>) => attachSession(req, res, await engine)
    runMiddleware(req, work, () => next(), next)
  }
}

/** Puts the session into `res.locals`, and its cookies into the answer. */
export function attachSession(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  engine: Engine,
): MaybePromise<SessionLookup> {
  const lookup = lookUpSession(req, engine, 'renew')
  return lookup instanceof Promise ? attachLater(res, lookup) : attach(res, lookup)
}

const attachLater = async (res: MiddlewareResponse, lookup: Promise<SessionLookup>) => attach(res, await lookup)

function attach(res: MiddlewareResponse, lookup: SessionLookup): SessionLookup {
  // Express gives each request and answer a shape of its own, on which every look-up by a new name is slow: there are
  // as few as can be.
  const locals = res.locals ?? newLocals(res)
  locals['session'] = lookup.session
  if (lookup.cookies.length > 0) appendCookies(res, lookup.cookies)
  return lookup
}

function newLocals(res: MiddlewareResponse): Record<string, unknown> {
  const locals = {}
  res.locals = locals
  return locals
}
