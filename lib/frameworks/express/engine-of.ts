import type { ConfigFunction, ConfigSource } from '../../config/options.js'
import type { Engine } from '../../engine/engine.js'
import { engineOfCall, engineOfObject, engineOfResult } from '../../engine/engines.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { completeLogger, type Log } from '../../kernel/logger.js'
import { checkSource } from '../../sessions/check-call-options.js'
import type { MiddlewareRequest } from './middleware.js'

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
