import { closeSync, openSync } from 'node:fs'
import type * as KyselyModule from 'kysely'
import { isError, isRecord } from '../../kernel/describe-value.js'
import { AdapterError } from '../../kernel/errors.js'
import { commonJsExports } from '../../kernel/packages.js'
import { driverFault, requireDriver } from '../failures.js'
import { limitMysqlPool, limitPostgresPool } from './connection-use.js'
import type { Database } from './dialects/dialect.js'
import { checkPool, connectPlainerIfRefused, mysqlPoolOptions, postgresPoolOptions, statementLimit } from './pools.js'
import { checkPlace, hasMethods, refuseDatabase, type SqlDatabase } from './sql-database.js'

/** How a database is opened, once Kysely is loaded. */
interface Source {
  /** @param queryMs milliseconds to wait for an answer */
  open(kysely: typeof KyselyModule, queryMs: number): Promise<Database>
  /** Whether what is opened is closed with the adapter. The application closes what it has made. */
  readonly isOurs: boolean
}

/**
 * @param busyMs how long to wait for a SQLite file that another connection writes to
 * @throws {AdapterError} when the argument is not a database
 */
export function recognise(database: SqlDatabase, busyMs: number): Source {
  if (hasMethods(database, 'selectFrom', 'getExecutor')) {
    // Plugins are left out: one that renames columns, for instance, would change names that are already those of the
    // database.
    return { open: async () => (database as unknown as Database).withoutPlugins(), isOurs: false }
  }
  const source = (openDialect: OpenDialect, isOurs: boolean): Source => ({
    open: async (kysely, queryMs) => new kysely.Kysely({ dialect: await openDialect(kysely, queryMs) }),
    isOurs,
  })
  if (hasMethods(database, 'connect', 'query') && 'totalCount' in database) return source(postgresPool(database), false)
  if (hasMethods(database, 'getConnection')) return source(mysqlPool(database), false)
  if (hasMethods(database, 'prepare', 'exec')) {
    return source(async ({ SqliteDialect }) => new SqliteDialect({ database: lockedByExec(database) as never }), false)
  }
  checkPlace(database)
  if (isRecord(database) && typeof database.sqlite === 'string')
    return source(sqliteFile(database.sqlite, busyMs), true)
  if (isRecord(database) && typeof database.url === 'string') return source(atUrl(database.url, database.pool), true)
  return refuseDatabase(database)
}

/**
 * Makes the dialect of Kysely for a database.
 *
 * @param queryMs milliseconds that the dialect waits for an answer
 */
type OpenDialect = (kysely: typeof KyselyModule, queryMs: number) => Promise<KyselyModule.Dialect>

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

/**
 * The file holds tokens: nobody but its owner may read it. SQLite gives its side files the same mode. A file that is there is not
 * opened: to close it again would drop the locks of all connections of this process to it (POSIX `fcntl`), and the next process that
 * closes the database would take itself for the last one, and delete the log in which this process goes on to write.
 */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    const code = isError(error) && 'code' in error ? error.code : error
    if (code === 'EEXIST') return
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
