import { type MaybePromise, whenReady } from '../awaitable.js'
import { checkSource } from '../config/check-source.js'
import type { ConfigSource } from '../config/options.js'
import { engineFor } from '../engine/auth.js'
import type { Engine, SessionLookup } from '../engine/engine.js'
import { appendCookies } from '../http/node-response.js'
import { keepOutOfSharedCaches } from '../http/shared-caches.js'
import { checkNothing } from './call-options.js'
import { engineOf, lookUpSession } from './get-session.js'
import {
  type Middleware,
  type MiddlewareRequest,
  type MiddlewareResponse,
  type Nothing,
  workThenGoOn,
} from './middleware.js'

const CALL = 'authSession(config)'

/**
 * A middleware that puts the session into `res.locals.session`, null when nobody is signed in, and sends the extended
 * cookie. The cookie is set before the route runs, so that it goes out with streamed answers too. A fault goes to the
 * error handler.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function authSession(config: ConfigSource<MiddlewareRequest>, ...nothing: Nothing): Middleware {
  checkNow(config, CALL)
  checkNothing(nothing, CALL)
  return (req, res, next) => {
    const work = () => {
      dependOnVisitor(res)
      return whenReady(engineOf(req, config, CALL), (engine) => attachSession(req, res, engine))
    }
    workThenGoOn(work, () => next(), next)
  }
}

/** Fails at the start for what cannot work. */
export function checkNow(config: ConfigSource<MiddlewareRequest>, call: string): void {
  checkSource(config, call)
  if (typeof config !== 'function') engineFor(config)
}

/**
 * Keeps an answer that depends on who asks out of shared caches (COOKIE-12). Done before anything is read: the answer
 * to a fault depends on it, too. A route that knows better sets its own afterwards.
 */
export function dependOnVisitor(res: MiddlewareResponse): void {
  keepOutOfSharedCaches(res)
  varyByCookie(res)
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
  appendCookies(res, lookup.cookies)
  return lookup
}

function newLocals(res: MiddlewareResponse): Record<string, unknown> {
  const locals = {}
  res.locals = locals
  return locals
}

function varyByCookie(res: MiddlewareResponse): void {
  const present = res.getHeader('vary')
  const names = Array.isArray(present) ? present.join(', ') : present === undefined ? '' : String(present)
  if (/(^|,)\s*(\*|cookie)\s*(,|$)/i.test(names)) return
  res.setHeader('vary', names === '' ? 'Cookie' : `${names}, Cookie`)
}
