import type { Config } from '../config/config.js'
import { isFirstTime, type WarningCode } from '../logger.js'

/** Logs a warning about a request, once for each configuration: otherwise visitors would decide how often it is logged. */
export function warnOnce(config: Config, code: WarningCode, data: Readonly<Record<string, unknown>>): void {
  if (isFirstTime(config, code)) config.logger.warn(code, data)
}
