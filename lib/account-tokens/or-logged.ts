import { AccountTokenError, withoutDetails } from '../errors.js'
import type { Log, LogSource } from '../logger.js'

/** Does work, and logs its failure. Nobody is kept from a sign-in or a sign-out by it. It never rejects. */
export type OrLogged = (
  message: string,
  provider: string,
  work: () => Promise<unknown>,
  source: LogSource | undefined,
) => Promise<void>

/** Logs failures as {@link AccountTokenError}. */
export function createOrLogged(logger: Pick<Log, 'error'>): OrLogged {
  return async (message, provider, work, source) => {
    try {
      await work()
    } catch (error) {
      logger.error(
        new AccountTokenError(`Provider "${provider}": ${message}`, { err: withoutDetails(error), provider }),
        source,
      )
    }
  }
}
