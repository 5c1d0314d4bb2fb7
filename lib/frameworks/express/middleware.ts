import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ConfigFunction, ConfigSource } from '../../config/options.js'
import type { Engine } from '../../engine/engine.js'
import { engineOfCall, engineOfObject, engineOfResult } from '../../engine/engines.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { isError } from '../../kernel/describe-value.js'
import { AuthError, InvalidConfiguration, withoutDetails } from '../../kernel/errors.js'
import { completeLogger, type Log } from '../../kernel/logger.js'
import type { NodeRequest } from '../../kernel/node-request.js'
import { checkSource } from '../../sessions/check-call-options.js'

/** The request that a middleware of Express or Connect gets. Members that only Express adds are optional. */
export interface MiddlewareRequest extends NodeRequest {
  params?: Record<string, string | string[] | undefined> | readonly string[]
  /** Express's application, whose `trust proxy` setting is read. */
  app?: { get?(setting: string): unknown }
  /** The response to the request, as Express keeps it. */
  res?: ServerResponse | undefined
}

/** The response that a middleware of Express or Connect gets. */
export interface MiddlewareResponse extends ServerResponse {
  /** An object of any type, because the types of Express give the routes behind a guard a type of their own. */
  locals?: object
}

/** Calls the next middleware, or the error handler. */
export type NextFunction = (error?: unknown) => void

/**
 * A middleware for Express 4, Express 5 and Connect. Its request names no `params` and no `body`, and its response no
 * `locals`: Express would take their types for the routes that stand behind it, and `res.locals.session` would be
 * unknown there.
 */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: NextFunction) => void

/**
 * A middleware that puts the session into `res.locals.session`. The types of Express take the type of `res.locals` for the
 * handlers that stand behind it in the same route.
 *
 * TypeScript infers from the last signature. The first one accepts the response of a router whose `res.locals` has
 * another type, and of Connect.
 *
 * @typeParam Shown the session, or null where visitors need not be signed in
 */
export interface SessionMiddleware<Shown> {
  (req: IncomingMessage, res: ServerResponse, next: NextFunction): void
  (req: IncomingMessage, res: ServerResponse & { locals: { session: Shown } }, next: NextFunction): void
}

/**
 * What follows the only argument of a function: nothing. Without this, `app.use(expressAuth)` (without a call) would
 * compile, because the types of Express would take the function for an error handler.
 */
export type Nothing = readonly never[]

/**
 * Refuses options of a function that has none, such as options of a guard that are given to a function that guards nothing.
 *
 * @throws {InvalidConfiguration}
 */
export function checkNothing(given: Nothing, call: string): void {
  if (given.every((each) => each === undefined)) return
  throw new InvalidConfiguration(
    `${call} takes nothing beside the configuration. A guard has options: requireAuth(config, options).`,
  )
}

/**
 * Gives a failure to the error handler. If the thrown value is not an `Error`, it makes one: Express would go on to the route
 * after `next(undefined)` or `next('route')`, and a guard would let the request through.
 */
export const callErrorHandler = (next: NextFunction, error: unknown): void =>
  next(isError(error) ? error : withoutDetails(error))

/**
 * Runs a middleware: does its work, and calls `answer` with the result, without a promise if nothing has to be waited for. A
 * failure of the work goes to the error handler. A failure of `answer` does not: it may call `next()`, and the failure of a route
 * is not one of the middleware.
 */
export function runMiddleware<T>(
  work: () => MaybePromise<T>,
  answer: (outcome: T) => void | Promise<void>,
  next: NextFunction,
): void {
  let outcome: MaybePromise<T>
  try {
    outcome = work()
  } catch (error) {
    callErrorHandler(next, error)
    return
  }
  if (!(outcome instanceof Promise)) {
    answer(outcome)
    return
  }
  const fail = (error: unknown) => callErrorHandler(next, error)
  outcome.then(answer, fail).catch(fail)
}

/** What a developer does about a middleware that comes after the answer. */
const MOUNT_FIRST = 'Let it run before anything answers: a middleware that has answered must not call next().'

/**
 * The error of a call that must set a cookie after the answer was sent. Node would throw `ERR_HTTP_HEADERS_SENT`, which
 * does not say what came too late.
 *
 * @param call what sets the cookie
 * @param fix what to do, as a sentence; by default that of a middleware
 */
export const answeredTooEarly = (call: string, fix = MOUNT_FIRST): AuthError =>
  new AuthError(`The answer was sent before \`${call}\` was done, so its cookie cannot be set. ${fix}`)

/**
 * Requires of a function that a route calls that the answer has not been sent yet.
 *
 * @throws {AuthError}
 */
export function requireAwaited(res: ServerResponse, call: string): void {
  if (res.headersSent) throw answeredTooEarly(call, `Write \`await ${call}\` before you answer.`)
}

/**
 * The engine of a configuration, or of the configuration that a function returns for a request. Only the function may return
 * a promise.
 *
 * @param call the call that has the configuration as its argument, for the message of an error
 */
export const engineOf = <Input = MiddlewareRequest>(
  req: Input,
  config: ConfigSource<Input>,
  call: string,
): MaybePromise<Engine> =>
  typeof config === 'function' ? engineOfFunction(req, config, call) : engineOfCall(config, call)

/** The engine of a middleware, or what gives it for a request. */
type PreparedEngine = Engine | ((req: MiddlewareRequest) => Promise<Engine>)

/**
 * As {@link engineOf}, for a middleware. A configuration that is an object is resolved now, so that one that cannot work
 * fails at the start and not at the first request, and no request has to look for its engine.
 *
 * @throws {AuthError} when a configuration given as an object cannot work
 */
export function prepareEngine(config: ConfigSource<MiddlewareRequest>, call: string): PreparedEngine {
  checkSource(config, call)
  return typeof config === 'function' ? (req) => engineOfFunction(req, config, call) : engineOfObject(config)
}

async function engineOfFunction<Input>(req: Input, give: ConfigFunction<Input>, call: string): Promise<Engine> {
  checkSource(give, call)
  return engineOfResult(give, await give(req))
}

/**
 * The logger of a configuration, for a warning about the code of the application. A function may give another configuration
 * for each request, so warnings about its calls go to the console.
 */
export function loggerOf(config: ConfigSource<MiddlewareRequest>): Log {
  try {
    if (typeof config === 'object') return engineOfObject(config).config.logger
  } catch {
    // A configuration that cannot work: the call itself fails, and says so.
  }
  return completeLogger(undefined, false)
}
