import type { AdapterSession } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import type { Log } from '../logger.js'
import { type DeletionTarget, processDeletionRetries as retries } from './deletion-retries.js'
import { endedRowsOf } from './ended-rows.js'
import type { SessionRows } from './session-rows.js'
import { isStoredForm, storedForm, storedFormOf } from './stored-token.js'

/** The ends of stored sessions. What fails is tried again in the background. */
export interface RowEnds {
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
  /**
   * Called when another row has taken the place of the row of a token. False if a sign-out in this process waits for the
   * deletion of that row: then the sign-out wins (SESS-14).
   */
  noteReplaced(token: string): boolean
  /** Deletes a row in the background, by the stored form of its token. */
  deleteLater(stored: string): void
  /** Deletes a row that was listed. If that fails, it throws, and the deletion is tried again in the background. */
  endListed(row: Pick<AdapterSession, 'sessionToken'>): Promise<void>
}

/** The ends of sessions in the rows of an adapter's store. */
export function createRowEnds({
  store,
  rows,
  mayBeOwn,
  instance,
  logger,
}: {
  readonly store: Store
  readonly rows: SessionRows
  /** Whether a token may be one that was issued. Anybody can send others. */
  readonly mayBeOwn: (token: string) => boolean
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
    noteReplaced(token) {
      const stored = storedForm(token, instance)
      if (retries.has(stored)) return false
      ended.add(stored)
      return true
    },
    async deleteNowOrLater(token, retryOf) {
      try {
        const row = await rows.end(token)
        if (row !== null || mayBeOwn(token)) ended.add(storedForm(token, instance))
        return row
      } catch (error) {
        retries.add(retryOf, deletion, retryOf !== storedForm(token, instance) || mayBeOwn(token))
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
