import type { AdapterCalls } from '../adapters/adapter-calls.js'
import { SessionTokenError, withoutDetails } from '../errors.js'
import { type LoggerInstance, onBehalfOfNobody } from '../logger.js'

/** How long an extension is remembered, so that requests that read the row before it do not extend it again. */
const MEMORY_MS = 10_000

/** Moves the ends of stored sessions. */
export interface SessionExtension {
  /**
   * Moves the end of a row; of several requests that read the same row, the first does.
   *
   * @param expires the end that the row had when it was read
   * @returns the new end, or null when there is none to tell of: the row is gone, or the store failed. In the latter
   *   case the log is told, and the session in hand is still good until its present end
   */
  extend(row: { readonly sessionToken: string; readonly expires: Date }, later: Date): Promise<Date | null>
}

/** The extension of sessions in an adapter's store. */
export function createSessionExtension({
  adapter,
  logger,
}: {
  readonly adapter: AdapterCalls<'updateSession'>
  readonly logger: LoggerInstance
}): SessionExtension {
  const extensions = new Map<string, Promise<Date | null>>()

  const moveEnd = async (sessionToken: string, expires: Date): Promise<Date | null> =>
    (await adapter.updateSession({ sessionToken, expires })) === null ? null : expires

  return {
    extend({ sessionToken, expires }, later) {
      const key = `${sessionToken} ${expires.getTime()}`
      const running = extensions.get(key)
      if (running) return running
      // Several requests may wait for it.
      return onBehalfOfNobody(() => {
        const extension = moveEnd(sessionToken, later).catch((error: unknown) => {
          extensions.delete(key)
          logger.error(new SessionTokenError('A session could not be extended.', { err: withoutDetails(error) }))
          return null
        })
        extensions.set(key, extension)
        setTimeout(() => extensions.delete(key), MEMORY_MS).unref()
        return extension
      })
    },
  }
}
