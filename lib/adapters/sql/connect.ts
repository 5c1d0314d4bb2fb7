import { within } from '../../kernel/awaitable.js'
import { AdapterError } from '../../kernel/errors.js'
import { driverFault, requireDriver, timeoutError } from '../failures.js'
import type { Database, Dialect, SqlTag } from './dialects/dialect.js'
import { mysql } from './dialects/mysql.js'
import { postgres } from './dialects/postgres.js'
import { sqlite } from './dialects/sqlite.js'
import { recognise } from './open-database.js'
import type { SqlDatabase } from './sql-database.js'

/** A database in use, with the dialect of its engine. */
export interface Connection {
  readonly db: Database
  readonly sql: SqlTag
  readonly dialect: Dialect
}

export type Connector = ReturnType<typeof createConnector>

/** How long a connection to a SQLite file waits for its turn. The driver stops the process meanwhile. */
const BUSY_MS = 5000

/**
 * Connects once, at the first use.
 *
 * @param queryMs how long to wait for a connection, and for the answer to a statement. A statement that takes longer
 *   fails, and its connection is closed. By default there is no limit, because a migration may take long
 * @param busyMs how long to wait for a SQLite file that another connection writes to; a statement that waits longer
 *   fails
 * @throws {AdapterError} at once, when the argument is not a database
 */
export function createConnector(database: SqlDatabase, queryMs = Number.POSITIVE_INFINITY, busyMs = BUSY_MS) {
  const source = recognise(database, busyMs)
  requireDriver('kysely')
  let opened: Promise<Database> | undefined
  let connection: Promise<Connection> | undefined

  const inTime = <Result>(work: Promise<Result>, what: string): Promise<Result> =>
    within(work, queryMs, () => timeoutError(what, { option: 'queryTimeout', milliseconds: queryMs }))

  async function begin(): Promise<Connection> {
    opened ??= importKysely().then((kysely) => source.open(kysely, queryMs))
    opened.catch(() => {
      opened = undefined
    })
    const db = await opened
    const { sql } = await importKysely()
    return { db, sql, dialect: await detectDialect(db, sql) }
  }

  return {
    connect(): Promise<Connection> {
      if (!connection) {
        connection = inTime(begin(), 'The database did not give its version')
        // After a failure, the next use tries again: the server may be back by then.
        connection.catch(() => {
          connection = undefined
        })
      }
      return connection
    },
    /** Closes what was opened here. The application closes the connections that it made. */
    async close(): Promise<void> {
      const db = await opened
      opened = undefined
      connection = undefined
      if (db && source.isOurs) await inTime(db.destroy(), 'The connections to the database did not close')
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

/** Finds the engine of a Kysely instance by the adapter of its dialect. */
async function detectDialect(db: Database, sql: SqlTag): Promise<Dialect> {
  const { adapter } = db.getExecutor()
  // By name: the instance may come from another copy of Kysely, or from a dialect that somebody else wrote.
  const names: string[] = []
  for (let kind = adapter.constructor; kind?.name; kind = Object.getPrototypeOf(kind)) names.push(kind.name)
  const isKind = (pattern: RegExp) => names.some((name) => pattern.test(name))
  if (isKind(/postgres|neon|pglite/i)) return postgres(sql)
  if (isKind(/mysql|mariadb|planetscale/i)) return detectMysql(sql, db)
  if (isKind(/sqlite|libsql|turso|d1/i)) return sqlite(sql)
  // A bundler that minifies gives classes other names. No adapter has one that says so then, and the SQL tells.
  if (!isKind(/adapter/i)) {
    const written = sql`select ${1} as ${sql.id('a')}`.compile(db).sql
    if (written === 'select $1 as "a"') return postgres(sql)
    if (written === 'select ? as `a`') return detectMysql(sql, db)
    if (written === 'select ? as "a"') return sqlite(sql)
  }
  throw new AdapterError(`Kysely's ${names[0]} is for an engine other than PostgreSQL, MySQL, MariaDB and SQLite.`)
}

/** Asks the server what it is. */
async function detectMysql(sql: SqlTag, db: Database): Promise<Dialect> {
  const { rows } = await sql<{ version: string; mode: string }>`
    select version() as version, @@session.sql_mode as mode`.execute(db)
  const { version = '', mode = '' } = rows[0] ?? {}
  // mysql2 puts values into the statement itself and escapes them with backslashes.
  if (mode.split(',').includes('NO_BACKSLASH_ESCAPES')) {
    throw new AdapterError(
      'The sql_mode NO_BACKSLASH_ESCAPES makes values unsafe to send: remove it from this connection.',
    )
  }
  return mysql(sql, { returning: isMariadbWithReturning(version), skipsLocked: canSkipLocked(version) })
}

/** `insert … returning` came with MariaDB 10.5, `delete … returning` before it; MySQL has neither. */
export const isMariadbWithReturning = (version: string): boolean => isMariadbFrom(version, 10, 5)

/**
 * `for update skip locked` came with MySQL 8.0.1 and MariaDB 10.6. TiDB, which says that it is MySQL, does not have it.
 */
export const canSkipLocked = (version: string): boolean =>
  /mariadb/i.test(version) ? isMariadbFrom(version, 10, 6) : Number.parseInt(version, 10) >= 8 && !/tidb/i.test(version)

function isMariadbFrom(version: string, major: number, minor: number): boolean {
  // Some MariaDB servers put "5.5.5-" in front of their version, because old replicas need it.
  const match = /^(?:5\.5\.5-)?(\d+)\.(\d+)\..*mariadb/i.exec(version)
  if (!match) return false
  const [hasMajor, hasMinor] = [Number(match[1]), Number(match[2])]
  return hasMajor > major || (hasMajor === major && hasMinor >= minor)
}
