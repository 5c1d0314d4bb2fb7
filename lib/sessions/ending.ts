import type { AdapterSession } from '../adapters/adapter.js'
import type { LoggerInstance } from '../logger.js'
import type { DeletionRetries, DeletionTarget } from './deletion-retries.js'
import type { SessionRows } from './session-rows.js'
import { storedForm } from './stored-token.js'

/** What the ends of stored sessions need to know. */
export interface SessionEndingSettings {
  /** The adapter itself, by which deletions in the same store are known. */
  readonly store: object
  /** Name of the instance, where there are several. */
  readonly instance: string | undefined
  /** Sessions whose deletion failed and is tried again. */
  readonly retries: DeletionRetries
  readonly logger: LoggerInstance
}

/** Ends stored sessions, now or as soon as the store can. */
export interface SessionEnding {
  /** Whether a session was signed out here, and its row could not be deleted yet: the sign-out wins (SESS-14). */
  isEnding(token: string): boolean
  /**
   * Ends the session of somebody who signs out. Gives what the adapter says it deleted.
   *
   * @throws {AdapterError} when its row may be there still. Its deletion is tried again, and for this process it is
   *   over
   */
  signOut(token: string): Promise<AdapterSession | null>
  /**
   * Ends the session of before, in whose place another one has begun.
   *
   * @param begun the other one's token as its row has it
   * @throws {AdapterError} when that fails. Then nobody is signed in. The visitor keeps the session of before. The new
   *   one, whose token nobody has, is deleted later
   */
  replace(before: string, begun: string): Promise<void>
}

/** The ends of sessions over their rows. */
export function createSessionEnding(
  rows: SessionRows,
  { store, instance, retries, logger }: SessionEndingSettings,
): SessionEnding {
  const deletion: DeletionTarget = {
    store,
    remove: rows.endStored,
    gaveUp(count) {
      const fix =
        'The store failed for ten minutes after somebody signed out, or too many signed out meanwhile, so copies of their session are good until it ' +
        'expires. Mend the store, and delete the sessions of users who ask for it.'
      logger.warn('sign-outs-given-up', { count, fix })
    },
    completed: (count) => logger.debug('sign-outs-completed', { count }),
  }

  const endOr = async (token: string, storedLater: string) => {
    try {
      return await rows.end(token)
    } catch (error) {
      retries.add(storedLater, deletion)
      throw error
    }
  }

  return {
    isEnding: (token) => retries.size > 0 && retries.has(storedForm(token, instance)),
    signOut: (token) => endOr(token, storedForm(token, instance)),
    async replace(before, begun) {
      await endOr(before, begun)
    },
  }
}
