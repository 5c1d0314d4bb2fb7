import type { Pool, PoolClient } from 'pg'
import { describeValue, isError, isPlainObject } from '../../kernel/describe-value.js'
import { AdapterError } from '../../kernel/errors.js'
import { nearestName } from '../../kernel/nearest-name.js'
import { count } from '../../kernel/shape.js'
import { CONNECT_MS } from '../failures.js'
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

/**
 * Connects without limits of the server after a pooler has refused them. PgBouncer refuses them by default.
 *
 * @param pool the adapter's own
 */
export async function connectPlainerIfRefused(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    if (!(isError(error) && /unsupported startup parameter/.test(error.message))) throw error
    pool.options.statement_timeout = undefined
    pool.options.idle_in_transaction_session_timeout = undefined
    return pool.connect()
  }
}
