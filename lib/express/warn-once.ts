import type { Config } from '../config/config.js'
import type { WarningCode } from '../logger.js'

const told = new WeakMap<Config, Set<string>>()

/** Warns of what a request showed, once under each configuration: visitors decide how often they show it. */
export function warnOnce(config: Config, code: WarningCode, data: Readonly<Record<string, unknown>>): void {
  const codes = told.get(config) ?? new Set()
  if (codes.has(code)) return
  told.set(config, codes.add(code))
  config.logger.warn(code, data)
}
