import { processEnv } from '../config/env.js'
import { InvalidConfiguration } from '../kernel/errors.js'

/**
 * Refuses to work where `NODE_ENV` is `production`.
 *
 * @param danger what the function does, as a sentence without a full stop: "signInAs() signs anybody in"
 * @throws {InvalidConfiguration}
 */
export function refuseProduction(danger: string): void {
  if (processEnv().isProduction) throw new InvalidConfiguration(`${danger}, so it does not work in production.`)
}
