import type { MaybePromise } from '../awaitable.js'
import { checkSource } from '../config/check-source.js'
import type { AuthConfig, ConfigFunction, ConfigSource } from '../config/options.js'
import { engineFor, engineGiven } from '../engine/auth.js'
import type { Engine } from '../engine/engine.js'
import type { MiddlewareRequest } from './middleware.js'

/**
 * The engine of a configuration, or of what its function gives for a request. Only the latter may have to be waited
 * for.
 *
 * @param call how the function is called that was handed the configuration
 */
export const engineOf = (
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  call: string,
): MaybePromise<Engine> =>
  typeof config === 'function' ? engineOfGiven(req, config, call) : engineFor(config, { call })

/**
 * As {@link engineOf}, for a middleware: a configuration given as an object is resolved now, so that what cannot work
 * fails at the start and not at the first visitor, and no request has to look for its engine.
 *
 * @throws {AuthError} when a configuration given as an object cannot work
 */
export function prepareEngine(
  config: ConfigSource<MiddlewareRequest>,
  call: string,
): (req: MiddlewareRequest) => MaybePromise<Engine> {
  checkSource(config, call)
  if (typeof config === 'function') return (req) => engineOfGiven(req, config, call)
  const engine = engineFor(config)
  return () => engine
}

type GiveConfig = ConfigFunction<MiddlewareRequest>

const engineOfGiven = async (req: MiddlewareRequest, give: GiveConfig, call: string): Promise<Engine> =>
  engineGiven(give, await configGiven(req, give, call))

/** What a function gives for a request, sync or async. */
async function configGiven(req: MiddlewareRequest, give: GiveConfig, call: string): Promise<AuthConfig> {
  checkSource(give, call)
  return give(req)
}
