import type { Connection } from '../connect.js'
import { codeOf } from '../faults.js'
import { type DdlRunner, insist, type Waiting } from './ddl-runner.js'

/** SQLite has one writer: all of it is one transaction, in which nobody else writes from its beginning, and readers go on. */
export const sqliteRunner: DdlRunner = {
  // Nobody waits behind a migration that waits: it asks now and then, and stands in no line.
  lockTimeout: 0,
  undoesAll: true,

  async alone(connection, _schema, waiting, action) {
    return connection.db.connection().execute(async (db) => {
      const alone = { ...connection, db }
      const restore = await refuseAtOnce(alone)
      try {
        return await runTransaction(alone, waiting, () =>
          action({
            connection: alone,
            run: async ({ statement }) => {
              await statement.execute(db)
            },
            // The database is its own from the beginning.
            repeat: (action) => action(),
          }),
        )
      } finally {
        await restore()
      }
    })
  },
}

/** The transactions of Kysely take the lock at their first change, when what was read may be out of date. */
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
 * Has the connection say at once that the database is locked. Otherwise its driver waits, and the whole process with it. Gives what undoes that.
 */
async function refuseAtOnce({ sql, db }: Connection): Promise<() => Promise<void>> {
  const { rows } = await sql<{ timeout: unknown }>`pragma busy_timeout`.execute(db).catch(() => ({ rows: [] }))
  const before = Number(rows[0]?.timeout)
  // Databases that are reached over HTTP know no such setting.
  if (!Number.isInteger(before)) return async () => {}
  const set = (milliseconds: number) => sql`pragma busy_timeout = ${sql.lit(milliseconds)}`.execute(db)
  await set(0)
  return async () => {
    await set(before)
  }
}

export const WRITER = 'another connection that writes to the database'

/**
 * Does something as soon as the database is not locked.
 *
 * @throws {AdapterError} when it is locked for longer than `giveUpAfter`
 */
export async function whenFree<Result>(waiting: Waiting, what: string, action: () => Promise<Result>): Promise<Result> {
  let done: { readonly result: Result } | undefined
  await insist({
    ...waiting,
    what,
    fix: () => 'End its transaction, or its process; then run the migration again.',
    findBlocker: async () => null,
    longestRest: 1000,
    attempt: () =>
      action().then(
        (result) => {
          done = { result }
          return true
        },
        (error: unknown) => {
          if (isLocked(error)) return false
          throw error
        },
      ),
  })
  return (done as { readonly result: Result }).result
}

const isLocked = (error: unknown) => String(codeOf(error)).startsWith('SQLITE_BUSY')
