import type { ConfigSource } from '../config/options.js'
import { engineOfObject } from '../engine/engines.js'
import { completeLogger, type Log } from '../logger.js'
import type { MiddlewareRequest } from './middleware.js'

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
