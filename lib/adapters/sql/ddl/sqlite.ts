import type { Connection } from '../connect.js'
import { codeOf } from '../faults.js'
import { type DdlRunner, retryUntilDone, type Waiting } from './runner.js'

/**
 * SQLite has one writer: the whole migration is one transaction. Nobody else writes from its beginning; readers are not
 * blocked.
 */
export const sqliteRunner: DdlRunner = {
  // Nobody waits behind a migration that waits: it asks now and then, and there is no queue.
  lockTimeout: 0,
  undoesAll: true,

  async exclusively(outside, _schema, waiting, action) {
    return outside.db.connection().execute(async (db) => {
      const connection = { ...outside, db }
      const restore = await failWhenLocked(connection)
      try {
        return await runTransaction(connection, waiting, () =>
          action({
            connection,
            run: async ({ statement }) => {
              await statement.execute(db)
            },
            // The transaction has the lock of the database from its beginning.
            repeat: (action) => action(),
          }),
        )
      } finally {
        await restore()
      }
    })
  },
}

/** The transactions of Kysely take the lock at their first change. By then what they have read may be out of date. */
async function runTransaction<Result>(
  { sql, db }: Connection,
  waiting: Waiting,
  action: () => Promise<Result>,
): Promise<Result> {
  await whenFree(waiting, WRITER, () => sql`begin immediate`.execute(db))
  try {
    const result = await action()
    // Without WAL, nothing is written while others read.
    await whenFree(waiting, 'another connection that reads or writes the database', () => sql`commit`.execute(db))
    return result
  } catch (error) {
    await sql`rollback`.execute(db).catch(() => {})
    throw error
  }
}

/**
 * Makes statements fail at once while the database is locked. Otherwise the driver waits and blocks the whole process.
 * Gives a function that restores the setting.
 */
async function failWhenLocked({ sql, db }: Connection): Promise<() => Promise<void>> {
  const { rows } = await sql<{ timeout: unknown }>`pragma busy_timeout`.execute(db).catch(() => ({ rows: [] }))
  const before = Number(rows[0]?.timeout)
  // Databases over HTTP have no such setting.
  if (!Number.isInteger(before)) return async () => {}
  const set = (milliseconds: number) => sql`pragma busy_timeout = ${sql.lit(milliseconds)}`.execute(db)
  await set(0)
  return async () => {
    await set(before)
  }
}

export const WRITER = 'another connection that writes to the database'

/**
 * Runs an action as soon as the database is not locked.
 *
 * @param what is waited for, for messages
 * @throws {AdapterError} when the database is locked for longer than `giveUpAfter`
 */
export const whenFree = <Result>(waiting: Waiting, what: string, action: () => Promise<Result>): Promise<Result> =>
  retryUntilDone(
    {
      ...waiting,
      what,
      fix: () => 'End its transaction, or its process; then run the migration again.',
      longestPause: 1000,
      isBlocked: (error) => String(codeOf(error)).startsWith('SQLITE_BUSY'),
    },
    action,
  )
