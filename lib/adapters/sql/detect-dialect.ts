import { AdapterError } from '../../errors.js'
import { detectMysql } from './dialects/detect-mysql.js'
import type { Database, Dialect, SqlTag } from './dialects/dialect.js'
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
