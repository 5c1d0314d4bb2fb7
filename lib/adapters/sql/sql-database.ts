import type * as KyselyModule from 'kysely'
import { isRecord } from '../../kernel/describe-value.js'
import type { Database } from './dialects/dialect.js'
import type { PoolOptions } from './own-pool.js'

type AnyFunction = (...args: never[]) => unknown

/** A Kysely instance, for PostgreSQL, MySQL or SQLite. */
export interface KyselyInstance {
  selectFrom: AnyFunction
  getExecutor: AnyFunction
  withoutPlugins: AnyFunction
  destroy(): Promise<void>
}

/** A pool of the package `pg`. */
export interface PostgresPool {
  connect: AnyFunction
  query: AnyFunction
  end: AnyFunction
  readonly totalCount: number
}

/** A pool of the package `mysql2`, or of `mysql2/promise`. */
export interface MysqlPool {
  getConnection: AnyFunction
  query: AnyFunction
  end: AnyFunction
}

/** An open database of `better-sqlite3` or `libsql`. */
export interface SqliteDatabase {
  prepare: AnyFunction
  exec: AnyFunction
  close: AnyFunction
}

/** A database that the application has opened, or where its database is. */
export type SqlDatabase =
  | KyselyInstance
  | PostgresPool
  | MysqlPool
  | SqliteDatabase
  /** A SQLite file, made if it is not there; needs the package `libsql`. */
  | { readonly sqlite: string }
  /**
   * `postgres://…` (needs `pg`), `mysql://…` or `mariadb://…` (needs `mysql2`), for a pool of the adapter's own with
   * these options.
   */
  | { readonly url: string; readonly pool?: PoolOptions }

/**
 * Makes the dialect of Kysely for a database, once Kysely is loaded.
 *
 * @param queryMs milliseconds that the dialect waits for an answer
 */
export type OpenDialect = (kysely: typeof KyselyModule, queryMs: number) => Promise<KyselyModule.Dialect>

export const hasMethods = (value: unknown, ...methods: string[]): value is Record<string, unknown> =>
  isRecord(value) && methods.every((method) => typeof value[method] === 'function')

/** The errors that were thrown because the driver has no transactions. Then nothing was sent. */
const withoutTransactions = new WeakSet<object>()

/** Whether {@link inTransaction} failed because the driver has no transactions. Then nothing was done. */
export const isWithoutTransactions = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && withoutTransactions.has(error)

/** Runs statements as one transaction. */
export async function inTransaction<Result>(
  db: Database,
  action: (transaction: Database) => Promise<Result>,
): Promise<Result> {
  let hasBegun = false
  try {
    return await db.transaction().execute((transaction) => {
      hasBegun = true
      return action(transaction)
    })
  } catch (error) {
    if (!hasBegun && error instanceof Error && SAYS_SO.test(error.message)) withoutTransactions.add(error)
    throw error
  }
}

/** Dialects over HTTP, such as those of D1 and Neon, have no transactions, and say so when one begins. */
const SAYS_SO = /\btransactions? .*not supported|not support.* transactions?\b/i
