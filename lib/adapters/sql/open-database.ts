import { closeSync, openSync } from 'node:fs'
import { isRecord } from '../../kernel/describe-value.js'
import { AdapterError } from '../../kernel/errors.js'
import { commonJsExports } from '../../kernel/packages.js'
import { driverFault, requireDriver } from '../failures.js'
import { limitMysqlPool, limitPostgresPool } from './connection-use.js'
import type { Database } from './dialects/dialect.js'
import { checkPool, connectPlainerIfRefused, mysqlPoolOptions, postgresPoolOptions, statementLimit } from './pools.js'
import { checkPlace, hasMethods, type OpenDialect, refuseDatabase, type SqlDatabase } from './sql-database.js'

/**
 * How to open a database, or the Kysely instance that the application made.
 *
 * @param busyMs how long to wait for a SQLite file that another connection writes to
 * @throws {AdapterError} when the argument is not a database
 */
export function recognise(
  database: SqlDatabase,
  busyMs: number,
): { readonly instance: Database } | { readonly open: OpenDialect; readonly isOurs: boolean } {
  if (hasMethods(database, 'selectFrom', 'getExecutor')) return { instance: database as unknown as Database }
  if (hasMethods(database, 'connect', 'query') && 'totalCount' in database)
    return { open: postgresPool(database), isOurs: false }
  if (hasMethods(database, 'getConnection')) return { open: mysqlPool(database), isOurs: false }
  if (hasMethods(database, 'prepare', 'exec')) {
    return {
      open: async ({ SqliteDialect }) => new SqliteDialect({ database: lockedByExec(database) as never }),
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

const postgresPool =
  (pool: Record<string, unknown>): OpenDialect =>
  async ({ PostgresDialect }, queryMs) => {
    surviveLostConnections(pool)
    return new PostgresDialect({ pool: limitPostgresPool(pool as never, queryMs) })
  }

const mysqlPool =
  (pool: Record<string, unknown>): OpenDialect =>
  async ({ MysqlDialect }, queryMs) => {
    // A pool of mysql2/promise holds the pool with callbacks that Kysely needs.
    const withCallbacks = isRecord(pool.pool) ? pool.pool : pool
    return new MysqlDialect({ pool: limitMysqlPool(withCallbacks as never, queryMs) })
  }

function atUrl(url: string, pool: unknown): OpenDialect {
  if (/^postgres(?:ql)?:/i.test(url)) {
    checkPool(pool, 'pg')
    requireDriver('pg')
    return async (kysely, queryMs) => {
      const pg = await importPg()
      const Client = heardClient((pool?.['Client'] as typeof pg.Client | undefined) ?? pg.Client)
      const opened = new pg.Pool({ ...postgresPoolOptions(url, pool, queryMs), Client: Client as typeof pg.Client })
      surviveLostConnections(opened)
      return new kysely.PostgresDialect({
        pool: limitPostgresPool(opened, queryMs, () => connectPlainerIfRefused(opened)),
      })
    }
  }
  if (/^(?:mysql|mariadb):/i.test(url)) {
    checkPool(pool, 'mysql2')
    requireDriver('mysql2')
    return async ({ MysqlDialect }, queryMs) => {
      const { createPool } = await importMysql()
      const opened = createPool(mysqlPoolOptions(url.replace(/^mariadb:/i, 'mysql:'), pool, queryMs))
      const limit = statementLimit(queryMs)
      // It is sent before the first statement. A server that does not know this limit works without it.
      if (limit !== null) opened.on('connection', (connection) => connection.query(limit, () => {}))
      return new MysqlDialect({ pool: limitMysqlPool(opened, queryMs) })
    }
  }
  throw new AdapterError(
    'The database URL must begin with postgres://, mysql:// or mariadb://; for SQLite give a file.',
  )
}

async function importPg() {
  try {
    return (await import('pg')).default
  } catch (error) {
    throw driverFault('pg', error)
  }
}

async function importMysql() {
  try {
    return commonJsExports(await import('mysql2'), 'createPool')
  } catch (error) {
    throw driverFault('mysql2', error)
  }
}

/**
 * A connection of pg that breaks emits an error: the connection itself while it is in use, and its pool while it is
 * idle. An error without a listener ends the process. A listener that does nothing is enough: the pool drops the
 * connection, and its query fails anyway.
 */
function surviveLostConnections(pool: unknown): void {
  if (!hasMethods(pool, 'on', 'listenerCount')) return
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

/** Pools that have a listener. An application may pass the same pool many times. */
const heardPools = new WeakSet<object>()

/**
 * A client of pg that has a listener from the beginning. Its pool adds a listener only after the client has connected,
 * and some failures before that are errors of the client.
 */
const heardClient = (Client: new (config?: never) => NodeJS.EventEmitter) =>
  class extends Client {
    constructor(config?: never) {
      super(config)
      this.on('error', () => {})
    }
  }

function sqliteFile(path: string, busyMs: number): OpenDialect {
  requireDriver('libsql')
  return async ({ SqliteDialect }) => {
    const Libsql = await importLibsql()
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
    return new SqliteDialect({ database: lockedByExec(database) as never })
  }
}

/**
 * A database that is locked by `exec()` before anything writes to it. A prepared statement of libsql that failed, since another
 * connection writes, stays in progress until it is collected. SQLite commits nothing meanwhile, so what the process writes
 * would be seen by no other process, and be lost with it.
 */
function lockedByExec(database: unknown): unknown {
  const { prepare, exec, close } = database as Record<'prepare' | 'exec' | 'close', (...args: unknown[]) => unknown>
  const execute = (sql: string) => exec.call(database, sql)
  const begin = () => {
    execute('begin immediate')
    return { changes: 0, lastInsertRowid: 0 }
  }
  const isInTransaction = () => (database as { readonly inTransaction?: boolean }).inTransaction !== false
  const committed = (write: () => unknown): unknown => {
    if (isInTransaction()) return write()
    begin()
    try {
      const result = write()
      execute('commit')
      return result
    } catch (error) {
      if (isInTransaction()) execute('rollback')
      throw error
    }
  }
  const prepared = (sql: string) => {
    const statement = prepare.call(database, sql) as Statement
    if (!WRITES.test(sql)) return statement
    return {
      reader: statement.reader,
      all: (parameters: unknown) => committed(() => statement.all(parameters)),
      run: (parameters: unknown) => committed(() => statement.run(parameters)),
    }
  }
  return {
    prepare: (sql: string) => (/^begin\b/i.test(sql) ? { reader: false, run: begin } : prepared(sql)),
    close: () => close.call(database),
  }
}

const WRITES = /^\s*(?:insert|update|delete|replace|create|alter|drop)\b/i

interface Statement {
  readonly reader: boolean
  all(parameters: unknown): unknown
  run(parameters: unknown): unknown
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

async function importLibsql() {
  try {
    return (await import('libsql')).default
  } catch (error) {
    throw driverFault('libsql', error)
  }
}
