import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MaybePromise } from '../awaitable.js'
import { withoutDetails } from '../errors.js'
import type { NodeRequest } from '../http/node-request.js'
import { onBehalfOf } from '../logger.js'

/** A request as Express or Connect hands it to a middleware; what only Express adds is optional. */
export interface MiddlewareRequest extends NodeRequest {
  params?: Record<string, string | string[] | undefined> | readonly string[]
  /** Express's application, whose `trust proxy` setting is read. */
  app?: { get?(setting: string): unknown }
}

/** An answer as Express or Connect hands it to a middleware. */
export interface MiddlewareResponse extends ServerResponse {
  locals?: Record<string, unknown>
}

/** Calls the next middleware, or the error handler. */
export type NextFunction = (error?: unknown) => void

/**
 * A middleware for Express 4, Express 5 and Connect. Its request names no `params` and no `body`, since Express would
 * take their types for the routes that stand behind it.
 */
export type Middleware = (req: IncomingMessage, res: MiddlewareResponse, next: NextFunction) => void

/**
 * What follows the only argument of a function: nothing. An error handler of Express takes anything first and a request
 * second, and without this the types would let the function through as one, uncalled.
 */
export type Nothing = readonly never[]

/**
 * Hands a failure to the error handler, as an `Error` whatever was thrown: `next(undefined)` and `next('route')` mean
 * "go on" to Express, and would open a guard.
 */
export const callErrorHandler = (next: NextFunction, error: unknown): void =>
  next(error instanceof Error ? error : withoutDetails(error))

/**
 * Runs a middleware on behalf of its request: does its work, and hands the outcome to `answer`, at once where nothing
 * has to be waited for. A failure of the work goes to the error handler. `answer` is called outside of that, since it
 * may call `next()`, and a failure of a route is not a failure of the middleware.
 */
export function runMiddleware<T>(
  req: MiddlewareRequest,
  work: () => MaybePromise<T>,
  answer: (outcome: T) => void | Promise<void>,
  next: NextFunction,
): void {
  let outcome: MaybePromise<T>
  try {
    outcome = onBehalfOf(req, work)
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
