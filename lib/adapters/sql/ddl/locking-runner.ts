import type { Connection } from '../connect.js'
import type { Step } from '../migrations/step.js'
import type { DdlRunner, Waiting } from './ddl-runner.js'
import { retryUntilDone } from './wait-for-locks.js'

/** A migration on a server with locks that belong to a connection. */
export interface LockingSession {
  /** Takes the lock that lets one process migrate, without waiting for it; false when another process has it. */
  tryLock(): Promise<boolean>
  releaseLock(): Promise<void>
  /** Gives the connection the settings that it had before. */
  restore(): Promise<void>
  run(step: Step, waiting: Waiting): Promise<void>
  repeat<Result>(action: () => Promise<Result>, waiting: Waiting): Promise<Result>
}

/** What differs between the servers. */
export interface LockingServer {
  /** Default for the seconds that a statement waits for a lock. */
  readonly lockTimeout: number
  /**
   * Sets up the connection of a migration.
   *
   * @param connection the only one that the migration uses
   * @param outside the whole database, for statements on other connections
   */
  begin(
    connection: Connection,
    outside: Connection,
    schema: string | undefined,
    waiting: Waiting,
  ): Promise<LockingSession>
}

/**
 * Runs migrations on one connection with one lock. Each step is a transaction of its own, so that no lock of a table
 * lasts longer than one step.
 */
export const lockingRunner = ({ lockTimeout, begin }: LockingServer): DdlRunner => ({
  lockTimeout,
  undoesAll: false,

  exclusively: (outside, schema, waiting, action) =>
    outside.db.connection().execute(async (db) => {
      const connection = { ...outside, db }
      const session = await begin(connection, outside, schema, waiting)
      // A lost connection has also lost its lock and its settings, so undoing them may fail.
      try {
        await takeLock(session, waiting)
        try {
          return await action({ connection, run: session.run, repeat: session.repeat })
        } finally {
          await session.releaseLock().catch(() => {})
        }
      } finally {
        await session.restore().catch(() => {})
      }
    }),
})

/**
 * Asks for the lock again and again in place of waiting for it. A statement that waits has a snapshot, and PostgreSQL
 * makes an index concurrently only after all older snapshots have ended.
 */
const takeLock = (session: LockingSession, waiting: Waiting): Promise<void> =>
  retryUntilDone({
    ...waiting,
    what: 'another migration of this database',
    fix: () => 'If it is stuck, end its process; then run this one again.',
    longestPause: 1000,
    attempt: () => session.tryLock(),
  })
