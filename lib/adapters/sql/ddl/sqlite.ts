import type { DdlRunner } from './ddl-runner.js'

/** SQLite has one writer: all of it is one transaction, in which nobody else writes from its beginning, and readers go on. */
export const sqliteRunner: DdlRunner = {
  lockTimeout: 5,
  undoesAll: true,

  async alone(connection, _schema, _waiting, action) {
    const { sql } = connection
    return connection.db.connection().execute(async (db) => {
      // The transactions of Kysely take the lock at their first change, when what was read may be out of date.
      await sql`begin immediate`.execute(db)
      const run = async ({ statement }: { statement: { execute(on: typeof db): Promise<unknown> } }) => {
        await statement.execute(db)
      }
      try {
        const result = await action({ connection: { ...connection, db }, run })
        await sql`commit`.execute(db)
        return result
      } catch (error) {
        await sql`rollback`.execute(db)
        throw error
      }
    })
  },
}
