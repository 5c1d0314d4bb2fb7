import { isProductionProcess } from '../../config/env.js'
import type { ConfigSource } from '../../config/options.js'
import type { Engine } from '../../engine/engine.js'
import { keepOutOfSharedCaches, RETRY_AFTER, varyByVisitor } from '../../kernel/answer-headers.js'
import { AuthError } from '../../kernel/errors.js'
import { isFirstTime, type Log, placeInApplication } from '../../kernel/logger.js'
import { appendCookies } from '../../kernel/node-response.js'
import { object } from '../../kernel/object-shape.js'
import { OpenConnectionContext } from '../../kernel/request-context.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import { type CurrentSession, readingForScope } from '../../sessions/session.js'
import { refuseForgeable } from '../../sign-in/csrf-token.js'
import {
  type AcceptedUpgrade,
  judgeUpgrade,
  type RefusedUpgrade,
  refusedByFault,
  UPGRADE_OPTIONS,
  type UpgradeOptions,
} from '../../visitor/upgrade.js'
import { SESSION_READ, type SessionRead } from '../web/guard-decision.js'
import {
  answeredTooEarly,
  checkNothing,
  engineOf,
  loggerOf,
  type MiddlewareRequest,
  type MiddlewareResponse,
  type NextFunction,
  type Nothing,
  prepareEngine,
  requireAwaited,
  runMiddleware,
  type SessionMiddleware,
} from './middleware.js'
import { requestContextOf, sentRequestOf } from './public-origin.js'
import { attachSession, readSession, rememberSession } from './request-session.js'

const GET_SESSION = 'getSession(req, config)'

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
    if (options !== undefined) checkCallOptions(options, SESSION_READ, GET_SESSION)
    // Each `await` waits for a turn of the microtask queue, which takes longer than an answer from memory.
    const engine = engineOf(req, config, GET_SESSION)
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
    fix: `The promise of getSession was asked for \`${name}\`. Write: await ${GET_SESSION}.`,
  })
}

const UPDATE_SESSION = 'updateSession(req, res, config, data)'

/**
 * Changes the session of a request from a route of the application, as a client's `POST session` would: `data` reaches
 * the `jwt` callback as `session`, with the trigger `update`, or the `session` callback as `newSession`. What these
 * make of it is what the session becomes.
 *
 * The answer gets the renewed cookie, so it must not have been sent yet. Protect the route against forged requests,
 * with {@link csrfToken} for instance: this function refuses only what the browser says of other sites, and links.
 *
 * @returns the session as it is now, also in `res.locals.session`; null when nobody is signed in
 * @throws {RequestRefused} 405 for GET and HEAD
 * @throws {MissingCSRF} when the browser says that another site sent the request
 * @throws {AuthError} when the session cannot be read or written because of a fault, or when the answer has been sent
 */
export async function updateSession(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  config: ConfigSource<MiddlewareRequest>,
  data: unknown,
): Promise<CurrentSession | null> {
  const engine = await engineOf(req, config, UPDATE_SESSION)
  // Before anything is changed, and again when the cookie is there.
  requireAwaited(res, UPDATE_SESSION)
  refuseForgeable(sentRequestOf(req, engine.config))
  const lookup = await engine.updateSession(requestContextOf(req, engine.config), data)
  requireAwaited(res, UPDATE_SESSION)
  appendCookies(res, lookup.cookies)
  keepOutOfSharedCaches(res)
  rememberSession(req, engine, lookup)
  res.locals = Object.assign(res.locals ?? {}, { session: lookup.session })
  return lookup.session
}

const AUTH_SESSION = 'authSession(config)'

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
  const prepared = prepareEngine(config, AUTH_SESSION)
  checkNothing(nothing, AUTH_SESSION)
  return (req: MiddlewareRequest, res: MiddlewareResponse, next: NextFunction) => {
    const work = () => {
      if (res.headersSent) throw answeredTooEarly(AUTH_SESSION)
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

const UPGRADE_SESSION = 'upgradeSession(req, config, options)'

const UPGRADE_SESSION_OPTIONS = object<UpgradeOptions>(UPGRADE_OPTIONS)

const ignore = () => {}

/**
 * The session of a request that asks for a WebSocket, for `server.on('upgrade')`, `ws` and Socket.IO.
 * Pages of the public origin and of `origins` may open it. The session is checked until the socket of the request closes.
 *
 * It does not reject for anything that the other side sends, nor for a fault: an error in a handler of `upgrade` would end
 * the process.
 *
 * @throws {InvalidConfiguration} when an option is unknown or of a wrong type
 * @example
 * const { status, session, signal } = await upgradeSession(req, config)
 */
export async function upgradeSession(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  options: UpgradeOptions = {},
): Promise<AcceptedUpgrade | RefusedUpgrade> {
  checkCallOptions(options, UPGRADE_SESSION_OPTIONS, UPGRADE_SESSION)
  const { socket } = req
  let logger: Log | null = null
  // Without a listener, an error of the socket would end the process while the session is read.
  socket.on('error', ignore)
  try {
    const engine = await engineOf(req, config, UPGRADE_SESSION)
    logger = engine.config.logger
    const context = requestContextOf(req, engine.config)
    const onClose = (stop: () => void) => {
      if (socket.destroyed) stop()
      else socket.once('close', stop)
    }
    const open = new OpenConnectionContext(req, context.origin)
    return await judgeUpgrade({ config: engine.config, context, open, read: engine.readSession, onClose }, options)
  } catch (error) {
    return refusedByFault(error, req, logger)
  } finally {
    socket.off('error', ignore)
  }
}
