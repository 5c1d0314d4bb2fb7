import { AdapterError } from '../../../errors.js'
import type { Connection } from '../connect.js'

/** The process of the server that serves a connection. Locks and settings belong to it. */
export async function backendOf({ sql, db }: Connection): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  return Number(rows[0]?.pid)
}

/** @throws {AdapterError} when another process of the server serves the connection now */
export async function requireBackend(connection: Connection, backend: number): Promise<void> {
  if ((await backendOf(connection)) === backend) return
  throw new AdapterError(
    'the connection leads to another process of the server than before, as behind PgBouncer in transaction mode. Give the migration the ' +
      'address of the server itself.',
  )
}

/**
 * Removes the time limit of statements. Statements of a migration may take long, and the limits of an application
 * against hanging statements are not meant for them. Gives a function that restores the limits.
 */
export async function removeStatementLimit({ sql, db }: Connection): Promise<() => Promise<void>> {
  const { rows } = await sql<{ statement: string; lock: string }>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`.execute(db)
  const { statement = '0', lock = '0' } = rows[0] ?? {}
  await sql`select set_config('statement_timeout', '0', false)`.execute(db)
  return async () => {
    await sql`select set_config('statement_timeout', ${statement}, false), set_config('lock_timeout', ${lock}, false)`.execute(
      db,
    )
  }
}

export const setLockTimeout = ({ sql, db }: Connection, seconds: number) =>
  sql`select set_config('lock_timeout', ${`${Math.ceil(seconds * 1000)}ms`}, false)`.execute(db)
