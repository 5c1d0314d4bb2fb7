import { within } from '../../awaitable.js'
import { timeoutError } from '../failures.js'
import { driverFault, requireDriver } from '../load-driver.js'
import { detectDialect } from './detect-dialect.js'
import type { Database, Dialect, SqlTag } from './dialects/dialect.js'
import { recognise } from './open-database.js'
import type { SqlDatabase } from './sql-database.js'

/** A database in use, with the dialect of its engine. */
export interface Connection {
  readonly db: Database
  readonly sql: SqlTag
  readonly dialect: Dialect
}

/** Connects once, at the first use. */
export interface Connector {
  connect(): Promise<Connection>
  /** Closes what was opened here. The application closes the connections that it made. */
  close(): Promise<void>
}

/** How long a connection to a SQLite file waits for its turn. The driver stops the process meanwhile. */
const BUSY_MS = 5000

/**
 * @param queryMs how long to wait for a connection, and for the answer to a statement. A statement that takes longer
 *   fails, and its connection is closed. By default there is no limit, because a migration may take long
 * @param busyMs how long to wait for a SQLite file that another connection writes to; a statement that waits longer
 *   fails
 * @throws {AdapterError} at once, when the argument is not a database
 */
export function createConnector(
  database: SqlDatabase,
  queryMs = Number.POSITIVE_INFINITY,
  busyMs = BUSY_MS,
): Connector {
  const source = recognise(database, busyMs)
  requireDriver('kysely')
  let opened: Promise<Database> | undefined
  let connection: Promise<Connection> | undefined

  const inTime = <Result>(work: Promise<Result>, what: string): Promise<Result> =>
    within(work, queryMs, () => timeoutError(what, { option: 'queryTimeout', milliseconds: queryMs }))

  async function open(): Promise<Database> {
    if ('instance' in source) {
      // Plugins are left out: one that renames columns, for instance, would change names that are already those of the
      // database.
      return source.instance.withoutPlugins()
    }
    const kysely = await importKysely()
    return new kysely.Kysely({ dialect: await source.open(kysely, queryMs) })
  }

  async function begin(): Promise<Connection> {
    opened ??= open()
    opened.catch(() => {
      opened = undefined
    })
    const db = await opened
    const { sql } = await importKysely()
    return { db, sql, dialect: await detectDialect(db, sql) }
  }

  return {
    connect() {
      if (!connection) {
        connection = inTime(begin(), 'The database did not give its version')
        // After a failure, the next use tries again: the server may be back by then.
        connection.catch(() => {
          connection = undefined
        })
      }
      return connection
    },
    async close() {
      const db = await opened
      opened = undefined
      connection = undefined
      if (db && 'isOurs' in source && source.isOurs)
        await inTime(db.destroy(), 'The connections to the database did not close')
    },
  }
}

/** Kysely, which is imported at the first connection. */
export async function importKysely() {
  try {
    return await import('kysely')
  } catch (error) {
    throw driverFault('kysely', error)
  }
}
