import type { SessionDetails, TokenSessionChanges } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import { withoutDetails } from '../errors.js'
import type { RequestContext } from '../http/request-context.js'
import type { Log } from '../logger.js'
import { createNotedUses, isUseDue, USE_INTERVAL_MS } from './last-use.js'
import type { RegisteredToken, ShownToken } from './token-session-rows.js'

/** What the record of uses depends on. */
export interface TokenUsesDependencies {
  readonly store: Store
  readonly clientOf: (request: RequestContext) => Pick<SessionDetails, 'userAgent' | 'network'>
  /** When the row of a session can be deleted. */
  readonly rowExpiryOf: (session: ShownToken) => Date
  readonly logger: Log
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Two tabs may both renew a session, in processes whose clocks differ. The browser keeps the token whose answer comes last,
 * which may be the older one.
 */
const SIBLINGS_MS = 15 * 60 * 1000
/** A request that was sent with the previous token may look at its session late, as after a long upload. */
const LATE_MS = 60 * 60 * 1000

/**
 * Whether a token is an older one of a session whose newer token a client has shown. A browser has one cookie, so there
 * are two holders: one of them has a copy. All times are milliseconds since the epoch.
 *
 * @param issuedAt when the token was issued
 * @param newest when the newest token that a client has shown was issued
 */
export const isOldCopy = (issuedAt: number | null, newest: number | null, time: number): boolean =>
  issuedAt !== null && newest !== null && issuedAt < newest - SIBLINGS_MS && newest + LATE_MS < time

/** Stores from time to time that a session was used, with the browser and the network of its client. */
export function createTokenUses({ store, clientOf, rowExpiryOf, logger, now }: TokenUsesDependencies): {
  /**
   * Stores a use at most once in a quarter of an hour. A token that was issued a quarter of an hour after the newest known
   * one, or later, is stored at its first use.
   *
   * @param found what is known of its session is changed
   */
  note(request: RequestContext, found: RegisteredToken): void
} {
  const noted = createNotedUses(now)

  const write = async (id: string, changes: TokenSessionChanges, { source }: RequestContext) => {
    try {
      await store.updateTokenSession(id, changes)
    } catch (error) {
      // The request does not suffer from it: the session is valid all the same.
      logger.warn('session-use-not-stored', { reason: withoutDetails(error).message }, source)
    }
  }

  return {
    note(request, found) {
      const { issuedAt, registered } = found
      const { id } = found.sessionClaim
      const time = now()
      const isDue = isUseDue(registered.lastSeenAt, time)
      const isNewToken = issuedAt !== null && issuedAt - (registered.tokenIssuedAt ?? 0) >= USE_INTERVAL_MS
      if (!isDue && !isNewToken) return
      registered.lastSeenAt = time
      if (!noted.note(isNewToken ? `${id} ${issuedAt}` : id)) return
      const expires = rowExpiryOf(found)
      // Neither of them moves back: another process may know a newer token, or a longer lifetime.
      const isNewest = issuedAt !== null && issuedAt > (registered.tokenIssuedAt ?? 0)
      const isLater = expires.getTime() > registered.expires
      if (isNewest) registered.tokenIssuedAt = issuedAt
      if (isLater) registered.expires = expires.getTime()
      const changes = {
        lastSeenAt: new Date(time),
        ...clientOf(request),
        ...(isNewest && { tokenIssuedAt: new Date(issuedAt) }),
        ...(isLater && { expires }),
      }
      void write(id, changes, request)
    },
  }
}
