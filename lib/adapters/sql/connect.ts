import { closeSync, openSync } from 'node:fs'
import type * as KyselyModule from 'kysely'
import { within } from '../../awaitable.js'
import { AdapterError } from '../../errors.js'
import { timeoutError } from '../failures.js'
import { loadDriver } from '../load-driver.js'
import { withoutSecrets } from '../location.js'
import { checkPlace, refuseDatabase } from './arguments.js'
import type { Database, Dialect, SqlTag } from './dialects/dialect.js'
import { detectMysql } from './dialects/mysql.js'
import { postgres } from './dialects/postgres.js'
import { sqlite } from './dialects/sqlite.js'
import { limitMysqlPool, limitPostgresPool, type MysqlConnections, type PostgresClients } from './limited-pool.js'
import {
  checkPool,
  mysqlPoolOptions,
  type PoolOptions,
  plainerIfRefused,
  postgresPoolOptions,
  statementLimit,
} from './own-pool.js'

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

/** What an application may already have, or where its database is. */
export type SqlDatabase =
  | KyselyInstance
  | PostgresPool
  | MysqlPool
  | SqliteDatabase
  /** A SQLite file, made if it is not there; needs the package `libsql`. */
  | { readonly sqlite: string }
  /** `postgres://…` (needs `pg`), `mysql://…` or `mariadb://…` (needs `mysql2`), for a pool of the adapter's own with these options. */
  | { readonly url: string; readonly pool?: PoolOptions }

/** A database in use, with what is particular about its engine. */
export interface Connection {
  readonly db: Database
  readonly sql: SqlTag
  readonly dialect: Dialect
}

/** Connects at first use, and once. */
export interface Connector {
  connect(): Promise<Connection>
  /** Closes what was opened here; connections that the application made are its own to close. */
  close(): Promise<void>
}

/** Gives a dialect of Kysely, once Kysely is loaded. The dialect waits so many milliseconds for an answer. */
type Open = (kysely: typeof KyselyModule, queryMs: number) => Promise<KyselyModule.Dialect>

/** How long a connection to a SQLite file waits for its turn. The driver stops the process meanwhile. */
const BUSY_MS = 5000

/**
 * @param queryMs how long to wait for a connection, and for the answer to a statement; what takes longer fails, and its connection is closed. For ever by
 *   default, since a migration may take long
 * @param busyMs how long to wait for a SQLite file that another connection writes to; what takes longer fails
 * @throws {AdapterError} at once, when the argument is not a database
 */
export function createConnector(
  database: SqlDatabase,
  queryMs = Number.POSITIVE_INFINITY,
  busyMs = BUSY_MS,
): Connector {
  const source = recognise(database, busyMs)
  let opened: Promise<Database> | undefined
  let connection: Promise<Connection> | undefined

  const inTime = <Result>(work: Promise<Result>, what: string): Promise<Result> =>
    within(work, queryMs, () => timeoutError(what, { option: 'queryTimeout', milliseconds: queryMs }))

  async function open(): Promise<Database> {
    if ('instance' in source) {
      // Plugins, such as the one that renames columns, would apply to names that are the database's own already.
      return source.instance.withoutPlugins()
    }
    const kysely = await loadDriver('kysely', () => import('kysely'))
    return new kysely.Kysely({ dialect: await source.open(kysely, queryMs) })
  }

  async function begin(): Promise<Connection> {
    opened ??= open()
    opened.catch(() => {
      opened = undefined
    })
    const db = await opened
    const { sql } = await loadDriver('kysely', () => import('kysely'))
    return { db, sql, dialect: await detectDialect(db, sql) }
  }

  return {
    connect() {
      if (!connection) {
        connection = inTime(begin(), 'The database did not give its version')
        // What failed, or took too long, is tried again at the next use: the server may be back by then.
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

function recognise(
  database: SqlDatabase,
  busyMs: number,
): { readonly instance: Database } | { readonly open: Open; readonly isOurs: boolean } {
  if (has(database, 'selectFrom', 'getExecutor')) return { instance: database as unknown as Database }
  if (has(database, 'connect', 'query') && 'totalCount' in database)
    return { open: postgresPool(database), isOurs: false }
  if (has(database, 'getConnection')) return { open: mysqlPool(database), isOurs: false }
  if (has(database, 'prepare', 'exec')) {
    return {
      open: async ({ SqliteDialect }) => new SqliteDialect({ database: beginningByExec(database) as never }),
      isOurs: false,
    }
  }
  checkPlace(database)
  if (isRecord(database) && typeof database.sqlite === 'string')
    return { open: sqliteFile(database.sqlite, busyMs), isOurs: true }
  if (isRecord(database) && typeof database.url === 'string')
    return { open: atUrl(database.url, database.pool), isOurs: true }
  return refuseDatabase(database)
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const has = (value: unknown, ...methods: string[]): value is Record<string, unknown> =>
  isRecord(value) && methods.every((method) => typeof value[method] === 'function')

const postgresPool =
  (pool: Record<string, unknown>): Open =>
  async ({ PostgresDialect }, queryMs) => {
    surviveLostConnections(pool)
    return new PostgresDialect({ pool: limitPostgresPool(pool as unknown as PostgresClients, queryMs) as never })
  }

const mysqlPool =
  (pool: Record<string, unknown>): Open =>
  async ({ MysqlDialect }, queryMs) => {
    // A pool of mysql2/promise holds the pool with callbacks that Kysely needs.
    const withCallbacks = (isRecord(pool.pool) ? pool.pool : pool) as unknown as MysqlConnections
    return new MysqlDialect({ pool: limitMysqlPool(withCallbacks, queryMs) as never })
  }

const sqliteFile =
  (path: string, busyMs: number): Open =>
  async ({ SqliteDialect }) => {
    const { default: Libsql } = await loadDriver('libsql', () => import('libsql'))
    if (path !== ':memory:') makeFile(path)
    const database = new Libsql(path, { timeout: busyMs })
    try {
      // Readers and a writer do not wait for each other, and other processes wait for their turn.
      for (const pragma of ['journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON']) {
        database.pragma(pragma)
      }
    } catch (error) {
      database.close()
      throw error
    }
    return new SqliteDialect({ database: beginningByExec(database) as never })
  }

/**
 * A database whose transactions begin by `exec()`. A prepared statement of libsql that failed, since another connection
 * writes, stays in progress until it is collected, and SQLite commits nothing meanwhile.
 */
function beginningByExec(database: unknown): unknown {
  const { prepare, exec, close } = database as Record<'prepare' | 'exec' | 'close', (...args: unknown[]) => unknown>
  const begin = (sql: string) => ({
    reader: false,
    run: () => {
      exec.call(database, sql)
      return { changes: 0, lastInsertRowid: 0 }
    },
  })
  return {
    prepare: (sql: string) => (/^begin\b/i.test(sql) ? begin(sql) : prepare.call(database, sql)),
    close: () => close.call(database),
  }
}

/** The file holds tokens: nobody but its owner may read it. SQLite gives its side files the same mode. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    const reason = code === 'ENOENT' ? 'its folder does not exist' : code
    throw new AdapterError(`The SQLite file ${path} cannot be opened: ${reason}.`)
  }
}

/**
 * Which engine a URL names; anything without a scheme is a SQLite file.
 *
 * @throws {AdapterError} when it is neither a URL nor the path of a file, and may hold a password; it is not repeated
 */
export function databaseAt(location: string): SqlDatabase {
  if (withoutSecrets(location) === null) throw notALocation()
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(location)?.[1]?.toLowerCase()
  if (scheme === 'sqlite' || scheme === 'file') return { sqlite: location.replace(/^\w+:(?:\/\/)?/, '') }
  return scheme === undefined ? { sqlite: location } : { url: location }
}

const notALocation = () =>
  new AdapterError(
    'The database is given as postgres://user:password@host/name, mysql://… or mariadb://…, or as the path of a SQLite file ' +
      'without any of @ = ? # and quotes. In a user name or password such characters, and : / [ ] %, are percent-encoded.',
  )

function atUrl(url: string, pool: unknown): Open {
  if (/^postgres(?:ql)?:/i.test(url)) {
    checkPool(pool, 'pg')
    return async (kysely, queryMs) => {
      const { default: pg } = await loadDriver('pg', () => import('pg'))
      const Client = heardClient((pool?.['Client'] as typeof pg.Client | undefined) ?? pg.Client)
      const opened = new pg.Pool({ ...postgresPoolOptions(url, pool, queryMs), Client: Client as typeof pg.Client })
      surviveLostConnections(opened)
      const clients = limitPostgresPool(plainerIfRefused(opened), queryMs)
      return new kysely.PostgresDialect({ pool: clients as never })
    }
  }
  if (/^(?:mysql|mariadb):/i.test(url)) {
    checkPool(pool, 'mysql2')
    return async ({ MysqlDialect }, queryMs) => {
      const { createPool } = await loadDriver('mysql2', () => import('mysql2'))
      const opened = createPool(mysqlPoolOptions(url.replace(/^mariadb:/i, 'mysql:'), pool, queryMs))
      const limit = statementLimit(queryMs)
      // Ahead of the first statement. A server that knows no such limit goes without.
      if (limit !== null) opened.on('connection', (connection) => connection.query(limit, () => {}))
      return new MysqlDialect({ pool: limitMysqlPool(opened as unknown as MysqlConnections, queryMs) as never })
    }
  }
  throw new AdapterError(
    'The database URL must begin with postgres://, mysql:// or mariadb://; for SQLite give a file.',
  )
}

/**
 * A connection of pg that breaks emits an error, by itself while it is in use and through its pool while it is idle, and an error that
 * nobody listens to ends the process. Listening is enough: the pool drops the connection, and a query that needed it fails on its own.
 */
function surviveLostConnections(pool: unknown): void {
  if (!has(pool, 'on', 'listenerCount')) return
  if (heardPools.has(pool)) return
  heardPools.add(pool)
  const emitter = pool as unknown as NodeJS.EventEmitter
  emitter.on('error', () => {})
  const heard = new WeakSet<object>()
  emitter.on('acquire', (client: NodeJS.EventEmitter) => {
    if (heard.has(client)) return
    heard.add(client)
    client.on('error', () => {})
  })
}

/** Pools that are listened to. An application may hand one over many times. */
const heardPools = new WeakSet<object>()

/**
 * A client of pg that is listened to from the beginning. Its pool begins when it is connected, and some of what goes wrong before is an error of the client.
 */
const heardClient = (Client: new (config?: never) => NodeJS.EventEmitter) =>
  class extends Client {
    constructor(config?: never) {
      super(config)
      this.on('error', () => {})
    }
  }

async function detectDialect(db: Database, sql: SqlTag): Promise<Dialect> {
  const { adapter } = db.getExecutor()
  // By name: the instance may come from another copy of Kysely, or from a dialect that somebody else wrote.
  const names: string[] = []
  for (let kind = adapter.constructor; kind?.name; kind = Object.getPrototypeOf(kind)) names.push(kind.name)
  const isKind = (pattern: RegExp) => names.some((name) => pattern.test(name))
  if (isKind(/postgres|neon|pglite/i)) return postgres(sql)
  if (isKind(/mysql|mariadb|planetscale/i)) return detectMysql(sql, db)
  if (isKind(/sqlite|libsql|turso|d1/i)) return sqlite(sql)
  throw new AdapterError(`Kysely's ${names[0]} is for an engine other than PostgreSQL, MySQL, MariaDB and SQLite.`)
}
