import { AdapterError } from '../../errors.js'
import { commonJsExports } from '../../shapes/commonjs-exports.js'
import { driverFault, requireDriver } from '../load-driver.js'
import { checkPlace, refuseDatabase } from './arguments.js'
import type { Database } from './dialects/dialect.js'
import { hasMethods, isRecord } from './has-methods.js'
import { limitMysqlPool, type MysqlConnections } from './limited-mysql-pool.js'
import { limitPostgresPool, type PostgresClients } from './limited-postgres-pool.js'
import { heardClient, surviveLostConnections } from './lost-connections.js'
import type { OpenDialect } from './open-dialect.js'
import { lockedByExec, sqliteFile } from './open-sqlite.js'
import { checkPool, mysqlPoolOptions, plainerIfRefused, postgresPoolOptions, statementLimit } from './own-pool.js'
import type { SqlDatabase } from './sql-database.js'

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
    return new PostgresDialect({ pool: limitPostgresPool(pool as unknown as PostgresClients, queryMs) as never })
  }

const mysqlPool =
  (pool: Record<string, unknown>): OpenDialect =>
  async ({ MysqlDialect }, queryMs) => {
    // A pool of mysql2/promise holds the pool with callbacks that Kysely needs.
    const withCallbacks = (isRecord(pool.pool) ? pool.pool : pool) as unknown as MysqlConnections
    return new MysqlDialect({ pool: limitMysqlPool(withCallbacks, queryMs) as never })
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
      const clients = limitPostgresPool(plainerIfRefused(opened), queryMs)
      return new kysely.PostgresDialect({ pool: clients as never })
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
      return new MysqlDialect({ pool: limitMysqlPool(opened as unknown as MysqlConnections, queryMs) as never })
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
