import { AdapterError } from '../../errors.js'
import type { Database, Dialect, SqlTag } from './dialects/dialect.js'
import { mysql } from './dialects/mysql.js'
import { postgres } from './dialects/postgres.js'
import { sqlite } from './dialects/sqlite.js'

/** Finds the engine of a Kysely instance by the adapter of its dialect. */
export async function detectDialect(db: Database, sql: SqlTag): Promise<Dialect> {
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
export async function detectMysql(sql: SqlTag, db: Database): Promise<Dialect> {
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
