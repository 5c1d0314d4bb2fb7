import type { Config } from '../config/config.js'
import { isFirstTime, type LogSource, type WarningCode } from '../logger.js'

/** Logs a warning about a request, once for each configuration: otherwise visitors would decide how often it is logged. */
export function warnOnce(
  source: LogSource,
  config: Config,
  code: WarningCode,
  data: Readonly<Record<string, unknown>>,
): void {
  if (isFirstTime(config, code)) config.logger.warn(code, data, source)
}
