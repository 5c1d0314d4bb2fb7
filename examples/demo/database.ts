import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, SqliteDialect } from 'kysely'
import Libsql from 'libsql'
// Your own application imports from 'latchkey/adapters/sql'.
import { migrateToLatest, type SqlAdapter, sqlAdapter } from '../../lib/adapters/sql.js'

/** The application's database, with the tables of Latchkey. */
export interface DemoDatabase {
  readonly adapter: SqlAdapter
  close(): Promise<void>
}

/** A user who has a password from the start. It is in the source because this is a demo. */
export const ADA = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  password: 'analytical engine',
}

/**
 * Opens the SQLite file. If the file or a table is missing, it is created.
 *
 * Latchkey and the application share one Kysely instance, and so one connection.
 */
export async function openDatabase(file: string): Promise<DemoDatabase> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const sqlite = new Libsql(file, { timeout: 5000 })
  sqlite.pragma('journal_mode = WAL')
  sqlite.pragma('foreign_keys = ON')
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) })
  await migrateToLatest(db)
  return { adapter: sqlAdapter(db), close: () => db.destroy() }
}
