import type { AdapterSession } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import type { Log } from '../kernel/logger.js'
import { type DeletionTarget, processDeletionRetries as retries } from './deletion-retries.js'
import type { SessionRows } from './session-rows.js'
import { isStoredForm, storedForm, storedFormOf } from './stored-token.js'

/** The ends of stored sessions. What fails is tried again in the background. */
interface RowEnds {
  /** Whether this process has ended the session of a token, even if the store still has it. */
  isRevoked(token: string): boolean
  /** Whether this process has deleted the row of a token a moment ago. */
  hasDeleted(token: string): boolean
  /** Called for the token of a new session, in case the application has given it a previous one. */
  forget(token: string): void
  /**
   * Deletes the row of a token. If that fails, it throws, and a deletion is tried again in the background.
   *
   * @param retryOf the row that is then deleted, as the store has its token: that of the token itself at a sign-out; the
   *   new row at a sign-in, which fails, so that the visitor keeps the previous session
   */
  deleteNowOrLater(token: string, retryOf: string): Promise<AdapterSession | null>
  /** Deletes a row in the background, by the stored form of its token. */
  deleteLater(stored: string): void
  /** Deletes a row that was listed. If that fails, it throws, and the deletion is tried again in the background. */
  endListed(row: Pick<AdapterSession, 'sessionToken'>): Promise<void>
}

/** The ends of sessions in the rows of an adapter's store. */
export function createRowEnds({
  store,
  rows,
  mayHaveMade,
  instance,
  logger,
}: {
  readonly store: Store
  readonly rows: SessionRows
  /** Whether a token may be one that was issued. Anybody can send others. */
  readonly mayHaveMade: (token: string) => boolean
  readonly instance: string | undefined
  readonly logger: Log
}): RowEnds {
  const ended = endedRowsOf(store.adapter)

  const deletion: DeletionTarget = {
    store: store.adapter,
    remove: rows.endStored,
    gaveUp: (count) => logger.warn('sign-outs-given-up', { count, fix: MEND_STORE }),
    completed: (count) => logger.debug('sign-outs-completed', { count }),
  }

  return {
    isRevoked(token) {
      if (retries.size === 0 && ended.size === 0) return false
      const stored = storedForm(token, instance)
      return retries.has(stored) || ended.has(stored)
    },
    hasDeleted: (token) => ended.has(storedForm(token, instance)),
    forget: (token) => ended.forget(storedForm(token, instance)),
    async deleteNowOrLater(token, retryOf) {
      try {
        const row = await rows.end(token)
        if (row !== null || mayHaveMade(token)) ended.add(storedForm(token, instance))
        return row
      } catch (error) {
        retries.add(retryOf, deletion, retryOf !== storedForm(token, instance) || mayHaveMade(token))
        throw error
      }
    },
    deleteLater: (stored) => retries.add(stored, deletion),
    async endListed({ sessionToken }) {
      const stored = storedFormOf(sessionToken, instance)
      try {
        // A row of Auth.js may get the digest of its token meanwhile.
        if (isStoredForm(sessionToken)) await rows.endStored(stored)
        else await rows.end(sessionToken)
        ended.add(stored)
      } catch (error) {
        retries.add(stored, deletion)
        throw error
      }
    },
  }
}

const MEND_STORE =
  'The store failed for ten minutes after somebody signed out, or too many people signed out meanwhile. Copies of their session cookies are valid ' +
  'until the sessions expire. Repair the store, and delete the sessions of users who ask for it.'

/** For how long an ended session is remembered: longer than its last requests usually take. */
const MEMORY_MS = 60_000
/** How many are remembered for one store. Each needs about 200 bytes. */
const CAPACITY = 10_000

/**
 * Stored sessions that this process has ended a moment ago. A request that has read such a session before must not send
 * its cookie again: the browser may already have the cookie of a newer sign-in, and would lose it. Only digests of
 * tokens are kept.
 */
interface EndedRows {
  readonly size: number
  has(stored: string): boolean
  add(stored: string): void
  /** Called for a new session, in case the application has given it a previous one. */
  forget(stored: string): void
}

const all = new WeakMap<object, EndedRows>()

/** The sessions of one store, for every configuration with this store. */
export function endedRowsOf(store: object): EndedRows {
  const known = all.get(store) ?? createEndedRows()
  all.set(store, known)
  return known
}

/** @param now milliseconds, by a clock that nobody sets */
export function createEndedRows(now: () => number = () => performance.now(), capacity = CAPACITY): EndedRows {
  /** When each session ended; the oldest first. */
  const times = new Map<string, number>()
  return {
    get size() {
      return times.size
    },
    has(stored) {
      const time = times.get(stored)
      return time !== undefined && time + MEMORY_MS > now()
    },
    add(stored) {
      times.delete(stored)
      times.set(stored, now())
      for (const [oldest, time] of times) {
        if (times.size <= capacity && time + MEMORY_MS > now()) break
        times.delete(oldest)
      }
    },
    forget: (stored) => void times.delete(stored),
  }
}
