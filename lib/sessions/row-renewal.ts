import type { AdapterSession, SessionDetails } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import { SessionTokenError, withoutDetails } from '../kernel/errors.js'
import type { Log } from '../kernel/logger.js'

/** How long a renewal is remembered, so that requests which read the row before it do not renew it again. */
const MEMORY_MS = 10_000

/**
 * Moves the expiry of a row. If several requests have read the same row, the first of them does it for all.
 *
 * @param row `expires` as it was when the row was read
 * @param use further members to store with it; null or absent for none
 * @returns the new expiry, or null when it was not moved: the row is gone, or the store failed. A failure is logged,
 *   and the session counts until its present expiry
 */
type RenewRow = (
  row: Pick<AdapterSession, 'sessionToken' | 'expires'>,
  later: Date,
  use?: SessionDetails | null,
) => Promise<Date | null>

/** The renewal of sessions in an adapter's store. */
export function createRowRenewal({
  store,
  logger,
}: {
  readonly store: Pick<Store, 'updateSession'>
  readonly logger: Log
}): RenewRow {
  const renewals = new Map<string, Promise<Date | null>>()

  const moveExpiry = async (sessionToken: string, expires: Date, use: SessionDetails | null): Promise<Date | null> =>
    (await store.updateSession({ sessionToken, expires, ...use })) === null ? null : expires

  return ({ sessionToken, expires }, later, use = null) => {
    const key = `${sessionToken} ${expires.getTime()}`
    const running = renewals.get(key)
    if (running) return running
    const renewal = moveExpiry(sessionToken, later, use).catch((error: unknown) => {
      renewals.delete(key)
      // Several requests may wait for it, so the line names none of them.
      logger.error(new SessionTokenError('A session could not be renewed.', { err: withoutDetails(error) }))
      return null
    })
    renewals.set(key, renewal)
    setTimeout(() => renewals.delete(key), MEMORY_MS).unref()
    return renewal
  }
}
