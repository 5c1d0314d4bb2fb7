import { checkCallOptions } from '../config/check-call-options.js'
import { isProductionProcess } from '../config/env.js'
import type { ConfigSource } from '../config/options.js'
import { isFirstTime, placeInApplication } from '../logger.js'
import { readingForScope } from '../sessions/scope.js'
import type { CurrentSession } from '../sessions/session.js'
import { SESSION_READ, type SessionRead } from '../web/session-rules.js'
import { engineOf } from './engine-of.js'
import { loggerOf } from './logger-of.js'
import type { MiddlewareRequest } from './middleware.js'
import { readSession } from './request-session.js'

const CALL = 'getSession(req, config)'

/**
 * The session of a request, or null if nobody is signed in. A second call for the same request does not read it again.
 *
 * Reads only: it sends no cookie, so sessions are renewed by `authSession` and `requireAuth`, and by the `session`
 * action.
 *
 * The session of an issued token with a scope is null here, unless a guard before has asked for its scope, or the options
 * do.
 *
 * @throws {AuthError} when the configuration cannot work or the session cannot be read; a fault is never "signed out"
 * @throws {InvalidConfiguration} when an option is unknown or of a wrong type
 */
export function getSession(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  options?: SessionRead,
): Promise<CurrentSession | null> {
  const read = async () => {
    if (options !== undefined) checkCallOptions(options, SESSION_READ, CALL)
    // Each `await` waits for a turn of the microtask queue, which takes longer than an answer from memory.
    const engine = engineOf(req, config, CALL)
    const lookup = readSession(req, engine instanceof Promise ? await engine : engine)
    const reading = lookup instanceof Promise ? await lookup : lookup
    // What a guard has accepted stays accepted.
    if (reading.session !== null || options?.scope === undefined) return reading.session
    return readingForScope(reading, options.scope).session
  }
  return watchForAwait(read(), config)
}

/**
 * The same promise. Outside of production, a warning is logged once for each place if somebody reads a member of the session
 * from the promise itself: it is undefined there, so whoever is signed in looks signed out, and nothing else would say so.
 */
function watchForAwait<T>(promise: Promise<T>, config: ConfigSource<MiddlewareRequest>): Promise<T> {
  if (isProductionProcess()) return promise
  for (const name of ['user', 'expires']) {
    Object.defineProperty(promise, name, { configurable: true, get: () => warn(name, config) })
  }
  return promise
}

/** Gives undefined, as a promise without this member does. */
function warn(name: string, config: ConfigSource<MiddlewareRequest>): undefined {
  const place = placeInApplication()
  // Known by this function and not by the configuration: one that is made anew for each call would be new each time.
  if (!isFirstTime(warn, String(place))) return
  loggerOf(config).warn('forgotten-await', {
    ...(place !== null && { place }),
    fix: `The promise of getSession was asked for \`${name}\`. Write: await ${CALL}.`,
  })
}
