import { describeValue, isPlainObject } from '../../kernel/describe-value.js'
import { AdapterError } from '../../kernel/errors.js'
import { nearestName } from '../../kernel/nearest-name.js'
import { count } from '../../kernel/shape.js'
import { isAbsoluteUrl } from '../../kernel/urls.js'
import { CONNECT_MS } from '../failures.js'
import {
  cancelMysql,
  cancelPostgres,
  connectInTime,
  createUse,
  named,
  type Place,
  type PostgresMaker,
  type UseSettings,
} from './connection-use.js'
import { setStatementLimit } from './dialects/mysql-statements.js'

/**
 * Options of a pool, as its driver names them: those of `pg.Pool` for `postgres://`, such as `max` and
 * `idleTimeoutMillis`; those of `createPool` of `mysql2` for `mysql://` and `mariadb://`, such as `connectionLimit` and
 * `idleTimeout`.
 */
export type PoolOptions = Readonly<Record<string, unknown>>

type Driver = 'pg' | 'mysql2'

/** The options of each driver that are numbers. */
const NUMBERS: Readonly<Record<Driver, readonly string[]>> = {
  pg: [
    'max',
    'min',
    'idleTimeoutMillis',
    'connectionTimeoutMillis',
    'maxUses',
    'maxLifetimeSeconds',
    'keepAliveInitialDelayMillis',
    'statement_timeout',
    'query_timeout',
    'lock_timeout',
    'idle_in_transaction_session_timeout',
  ],
  mysql2: ['connectionLimit', 'maxIdle', 'idleTimeout', 'queueLimit', 'connectTimeout', 'keepAliveInitialDelay'],
}

/** The names of all these options. */
export const POOL_OPTION_NAMES: readonly string[] = Object.values(NUMBERS).flat()

/** Options that the URL contains already. */
const PLACE: ReadonlySet<string> = new Set(['connectionString', 'uri', 'url', 'host', 'port', 'database', 'user'])

const KEEP_ALIVE_MS = 10_000

/** @throws {AdapterError} when an option would have no effect, or cannot work */
export function checkPool(pool: unknown, driver: Driver): asserts pool is PoolOptions | undefined {
  if (pool === undefined) return
  if (!isPlainObject(pool))
    throw new AdapterError(`sqlAdapter(): \`pool\` is ${describeValue(pool)}; it must be an object.`)
  const other = driver === 'pg' ? 'mysql2' : 'pg'
  for (const [name, value] of Object.entries(pool)) {
    const problem = problemOf(name, value, driver, other)
    if (problem !== null && value !== undefined) throw new AdapterError(`sqlAdapter(): \`pool.${name}\` ${problem}`)
  }
}

function problemOf(name: string, value: unknown, driver: Driver, other: Driver): string | null {
  if (PLACE.has(name)) return 'belongs into the URL.'
  const own = NUMBERS[driver]
  if (own.includes(name)) return count.fits(value) ? null : `is ${describeValue(value)}; it must be ${count.expected}.`
  if (NUMBERS[other].includes(name)) {
    return `is an option of ${other}, and the URL is one for ${driver}. What may stand there: ${own.join(', ')}, and others of ${driver}.`
  }
  const meant = nearestName(name, own)
  return meant === undefined ? null : `is unknown. Did you mean \`pool.${meant}\`?`
}

/**
 * Options for the adapter's own pool of `pg`. The server ends a statement a little before the adapter stops waiting, so
 * that no statements pile up there. It also ends a transaction whose client is gone, and so releases its locks.
 *
 * @param queryMs how long the adapter waits; `Infinity` for migrations, which have no time limit
 */
export function postgresPoolOptions(url: string, pool: PoolOptions = {}, queryMs: number): PoolOptions {
  const isLimited = queryMs !== Number.POSITIVE_INFINITY
  return {
    connectionTimeoutMillis: Math.min(CONNECT_MS, queryMs),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...(isLimited && {
      statement_timeout: statementMs(queryMs),
      idle_in_transaction_session_timeout: Math.ceil(queryMs),
    }),
    ...pool,
    ...(!isLimited && { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 }),
    connectionString: url,
  }
}

/** Options for the adapter's own pool of `mysql2`. Options in the query of the URL replace those of the adapter. */
export function mysqlPoolOptions(url: string, pool: PoolOptions = {}, queryMs: number): PoolOptions {
  const inUrl = new URL(url).searchParams
  const defaults = Object.entries({
    connectTimeout: Math.min(CONNECT_MS, queryMs),
    enableKeepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  }).filter(([name]) => !inUrl.has(name))
  return { ...Object.fromEntries(defaults), ...pool, uri: url }
}

/** Milliseconds after which the server ends a statement, for an adapter that waits `queryMs`. */
export const statementMs = (queryMs: number): number => Math.max(1, Math.floor(queryMs * 0.875))

/** The statement that sets this limit for a new connection to MySQL or MariaDB; null if there is no limit. */
export const statementLimit = (queryMs: number): string | null =>
  queryMs === Number.POSITIVE_INFINITY ? null : setStatementLimit(statementMs(queryMs))

/** The adapter's own pool of `pg`. */
interface OwnPostgresPool extends PostgresClients {
  readonly options: { statement_timeout?: unknown; idle_in_transaction_session_timeout?: unknown }
}

/**
 * A pool that connects without limits of the server after a pooler has refused them. PgBouncer refuses them by default.
 */
export const plainerIfRefused = (pool: unknown): PostgresClients => {
  const { options } = pool as OwnPostgresPool
  const clients = pool as PostgresClients
  return {
    ...(clients.Client && { Client: clients.Client }),
    options,
    async connect() {
      try {
        return await clients.connect()
      } catch (error) {
        if (!(error instanceof Error && /unsupported startup parameter/.test(error.message))) throw error
        options.statement_timeout = undefined
        options.idle_in_transaction_session_timeout = undefined
        return clients.connect()
      }
    },
    end: () => clients.end(),
  }
}

type Callback<T> = (error: Error | null, value?: T) => void

/** What Kysely's dialect for MySQL uses of a pool of `mysql2`. */
interface MysqlConnection {
  query(text: string, values: unknown, done: Callback<unknown>): void
  release(): void
}

/** Options of a query: the forms of rows and values that the adapter reads, whatever the application chose for its pool. */
const OWN_FORMS = { rowsAsArray: false, nestTables: false, typeCast: (_field: unknown, next: () => unknown) => next() }

export interface MysqlConnections {
  readonly config?: { readonly connectionConfig?: Place }
  getConnection(done: Callback<MysqlConnection>): void
  end(done: Callback<void>): void
}

/** A connection of `mysql2` itself, as far as it is used here. */
interface RawMysqlConnection extends Omit<MysqlConnection, 'query'> {
  query(query: { readonly sql: string } & typeof OWN_FORMS, values: unknown, done: Callback<unknown>): void
  on(event: 'error', listener: () => void): unknown
  destroy(): void
  readonly stream?: { destroy?(): void }
}

/**
 * A pool of `mysql2` with a limit on the time that the use of a connection takes, including the wait for the
 * connection.
 */
export const limitMysqlPool = (pool: MysqlConnections, milliseconds: number): MysqlConnections => ({
  getConnection(done) {
    const began = performance.now()
    const store = named('The database', pool.config?.connectionConfig ?? {})
    const connecting = new Promise<RawMysqlConnection>((resolve, reject) => {
      pool.getConnection((error, connection) =>
        error ? reject(error) : resolve(connection as unknown as RawMysqlConnection),
      )
    })
    connectInTime(connecting, store, milliseconds).then(
      (connection) => done(null, limitMysqlConnection(connection, { milliseconds, began, store })),
      (error: Error) => done(error),
    )
  },
  end: (done) => pool.end(done),
})

function limitMysqlConnection(
  connection: RawMysqlConnection,
  limit: Pick<UseSettings, 'milliseconds' | 'began' | 'store'>,
): MysqlConnection {
  let isClosed = false
  const close = () => {
    if (isClosed) return
    isClosed = true
    // When the connection is closed, the query that hangs in it fails, and nobody waits for that failure any more.
    connection.on('error', () => {})
    connection.destroy()
    // A normal close of mysql2 would wait for the server, which does not answer.
    connection.stream?.destroy?.()
  }
  const use = createUse({
    ...limit,
    cancel: () => cancelMysql(connection),
    close,
    isDriverLimit: (error) => error instanceof Error && 'code' in error && error.code === 'PROTOCOL_SEQUENCE_TIMEOUT',
  })
  return {
    query(text, values, done) {
      const query = () =>
        new Promise<unknown>((resolve, reject) => {
          connection.query({ sql: text, ...OWN_FORMS }, values, (error, result) =>
            error ? reject(error) : resolve(result),
          )
        })
      use.send(text, query).then(
        (result) => done(null, result),
        (error: Error) => done(error),
      )
    },
    release() {
      if (use.fault()) close()
      else connection.release()
    },
  }
}

/** What Kysely's dialect for PostgreSQL uses of a pool of `pg`. */
interface PostgresClient {
  query(text: string, values: unknown[]): Promise<unknown>
  /** @param fault closes the connection in place of keeping it */
  release(fault?: Error): void
}

export interface PostgresClients extends PostgresMaker {
  connect(): Promise<PostgresClient>
  end(): Promise<void>
}

/**
 * A pool of `pg` with a limit on the time that the use of a connection takes, including the wait for the connection. A
 * connection that gave no answer is closed, and its open transaction with it. Back in the pool, it would still be busy,
 * and its next user would wait.
 */
export const limitPostgresPool = (pool: PostgresClients, milliseconds: number): PostgresClients => ({
  async connect() {
    const began = performance.now()
    const store = named('PostgreSQL', postgresPlace(pool.options))
    const client = await connectInTime(pool.connect(), store, milliseconds)
    return limitPostgresClient(client, pool, { milliseconds, began })
  },
  end: () => pool.end(),
})

type Limit = Pick<UseSettings, 'milliseconds' | 'began'>

function limitPostgresClient(client: PostgresClient, pool: PostgresClients, limit: Limit): PostgresClient {
  let isReleased = false
  const release = (fault: Error | null) => {
    if (isReleased) return
    isReleased = true
    if (fault) client.release(fault)
    else client.release()
  }
  const use = createUse({
    ...limit,
    store: named('PostgreSQL', client as Place),
    cancel: () => cancelPostgres(pool, client),
    close: release,
    isDriverLimit: (error) => error instanceof Error && error.message === 'Query read timeout',
  })
  return {
    query: (text, values) => use.send(text, () => client.query(text, values)),
    release: () => release(use.fault()),
  }
}

/** Where the server of a pool is, without user name and password. */
function postgresPlace(options: object = {}): Place {
  const { connectionString, host, port } = options as Place & { connectionString?: unknown }
  if (typeof connectionString !== 'string' || !isAbsoluteUrl(connectionString)) return { host, port }
  const url = new URL(connectionString)
  return { host: url.hostname, port: url.port || 5432 }
}
