import type { Config } from '../config/config.js'
import { isFirstTime, type WarningCode } from '../logger.js'

/** Warns of what a request showed, once under each configuration: visitors decide how often they show it. */
export function warnOnce(config: Config, code: WarningCode, data: Readonly<Record<string, unknown>>): void {
  if (isFirstTime(config, code)) config.logger.warn(code, data)
}
