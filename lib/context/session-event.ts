import { type MaybePromise, whenReady } from '../awaitable.js'
import type { Config } from '../config/config.js'
import type { SessionReading } from '../sessions/session.js'

/**
 * Emits the `session` event of a session that was read, and gives the reading on. There is no promise where nothing has
 * to be waited for: a guard runs for every request.
 */
export const emitSession = (
  { emit }: Pick<Config, 'emit'>,
  reading: MaybePromise<SessionReading>,
): MaybePromise<SessionReading> =>
  whenReady(reading, (found) => {
    const emission = found.message && emit('session', found.message)
    return emission ? emission.then(() => found) : found
  })
