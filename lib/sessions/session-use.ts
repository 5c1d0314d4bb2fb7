import type { AdapterSession, ProviderSession, SessionDetails } from '../adapters/adapter.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import { withoutDetails } from '../kernel/errors.js'
import { isFirstTime } from '../kernel/logger.js'
import { clientAddressOf, networkOf } from '../kernel/network.js'
import type { RequestContext } from '../kernel/request-context.js'
import { timeOf } from './lifetime.js'
import { createRecentKeys } from './lookups.js'
import type { DecodedSessionToken } from './session-claim.js'
import { MAX_USER_AGENT } from './session-list.js'
import type { SessionSettings } from './session-store.js'
import type { RegisteredToken } from './token-session-rows.js'

/**
 * What a request says about its client, as the list of sessions keeps it: the `User-Agent` header, at most 512 characters,
 * and the network of the client, /24 of IPv4 and /48 of IPv6. Null for what is not known.
 */
export const clientDetails = (
  request: Pick<RequestContext, 'header' | 'clientAddress'>,
): Pick<SessionDetails, 'userAgent' | 'network'> => ({
  userAgent: request.header('user-agent')?.trim().slice(0, MAX_USER_AGENT) || null,
  network: networkOf(clientAddressOf(request)),
})

/** Gives the function that says what is kept of a client: nothing if the configuration keeps no devices. */
export const keptClientDetails = (keepsDevices: boolean): typeof clientDetails =>
  keepsDevices ? clientDetails : () => ({ userAgent: null, network: null })

/** How often the last use of a session is stored at most, in milliseconds. */
const USE_INTERVAL_MS = 15 * 60 * 1000

/** How many uses are remembered. Each needs about 150 bytes. */
const CAPACITY = 50_000

/**
 * Whether the last use of a session is to be stored again.
 *
 * @param lastSeenAt the last use that the store has; null if it has none. All times are milliseconds since the epoch
 */
const isUseDue = (lastSeenAt: number | null, time: number): boolean =>
  // A time far in the future comes from a wrong clock.
  lastSeenAt === null || Math.abs(time - lastSeenAt) >= USE_INTERVAL_MS

/**
 * Stores uses of sessions. No request waits for it or suffers from a failure: the session is valid all the same. A use is
 * stored at most once in a quarter of an hour, however often the store fails.
 */
function createUses({ logger, now }: Pick<SessionSettings, 'logger' | 'now'>) {
  const noted = createRecentKeys(now, USE_INTERVAL_MS, CAPACITY)
  return {
    isFirst(key: string): boolean {
      const isFirst = !noted.has(key)
      if (isFirst) noted.add(key)
      return isFirst
    },
    async write({ source }: RequestContext, write: () => MaybePromise<unknown>): Promise<void> {
      try {
        await write()
      } catch (error) {
        logger.warn('session-use-not-stored', { reason: withoutDetails(error).message }, source)
      }
    },
  }
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

/**
 * Gives the function that stores from time to time that a session was used, with the browser and the network of its client. A
 * token that was issued a quarter of an hour after the newest known one, or later, is stored at its first use. What is known
 * of the session is changed.
 */
export function createTokenUses({
  store,
  clientOf,
  rowExpiryOf,
  logger,
  now,
}: Pick<SessionSettings, 'store' | 'logger' | 'now'> & {
  readonly clientOf: typeof clientDetails
  /** When the row of a session can be deleted. */
  readonly rowExpiryOf: (session: DecodedSessionToken) => Date
}): (request: RequestContext, found: RegisteredToken) => void {
  const uses = createUses({ logger, now })

  return (request, found) => {
    const { id, issuedAt, registered } = found
    if (registered === undefined) return
    const time = now()
    const isDue = isUseDue(registered.lastSeenAt, time)
    const isNewToken = issuedAt !== null && issuedAt - (registered.tokenIssuedAt ?? 0) >= USE_INTERVAL_MS
    if (!isDue && !isNewToken) return
    registered.lastSeenAt = time
    if (!uses.isFirst(isNewToken ? `${id} ${issuedAt}` : id)) return
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
    void uses.write(request, () => store.updateTokenSession(id, changes))
  }
}

/** What rows of a configuration without a name have, to be told from rows of before. */
export const UNNAMED = ''

/** What a row says for the list of sessions. */
interface RowDetails {
  /** The members of a new row; none if the adapter does not keep them. */
  ofNew(request: RequestContext, startedAt: number | null, at: ProviderSession | undefined): SessionDetails
  /** What a use changes in a row, if that is to be stored now; otherwise nothing. It is given once in a quarter of an hour. */
  takeUse(request: RequestContext, row: AdapterSession): SessionDetails | null
  /** Records from time to time that a session was used. It never throws, and nobody waits for it. */
  noteUse(request: RequestContext, found: { readonly row: AdapterSession }): void
}

/** The details of sessions in rows, for an adapter that keeps them. By the contract, it has `listSessionsByUserId`. */
export function createRowDetails({
  store,
  keepsDevices,
  instance,
  logger,
  now,
}: Pick<SessionSettings, 'store' | 'keepsDevices' | 'instance' | 'logger' | 'now'>): RowDetails {
  if (!store.has('listSessionsByUserId')) return { ofNew: () => ({}), takeUse: () => null, noteUse() {} }
  const uses = createUses({ logger, now })
  const clientOf = keptClientDetails(keepsDevices)
  const own = { instance: instance ?? UNNAMED }

  const takeUse: RowDetails['takeUse'] = (request, { sessionToken, lastSeenAt }) => {
    if (!isUseDue(timeOf(lastSeenAt), now()) || !uses.isFirst(sessionToken)) return null
    // A row that began before the instance was kept gets it here, and so gets into the list.
    return { lastSeenAt: new Date(now()), ...clientOf(request), ...own }
  }

  return {
    ofNew: (request, startedAt, at) => ({
      createdAt: new Date(startedAt ?? now()),
      lastSeenAt: new Date(now()),
      ...clientOf(request),
      ...own,
      // An adapter without the method may have been made before there were such members.
      ...(store.has('listSessionsByProvider') && at),
    }),
    takeUse,
    noteUse(request, { row }) {
      const use = takeUse(request, row)
      if (use === null) return
      void uses.write(request, async () => {
        const written = await store.updateSession({ sessionToken: row.sessionToken, ...use })
        // An adapter that gives nothing says nothing about its columns.
        const isLost = written != null && written.lastSeenAt == null
        if (isLost && isFirstTime(logger, 'session-details-lost'))
          logger.warn('session-details-lost', { fix: MIGRATE }, request.source)
      })
    },
  }
}

const MIGRATE =
  'Nobody sees when and where the sessions in their list began, and no token can be issued for a program. In a SQL database, run `npx latchkey migrate up`, which adds the columns.'
