import type { MysqlPool, PostgresPool } from 'kysely'
import type { Pool as MysqlDriverPool, PoolConnection } from 'mysql2'
import type { PoolClient, Pool as PostgresDriverPool } from 'pg'
import { within } from '../../kernel/awaitable.js'
import { isError } from '../../kernel/describe-value.js'
import { isAbsoluteUrl } from '../../kernel/urls.js'
import { timeoutError } from '../failures.js'
import { CANCEL_MS, cancelMysql, cancelPostgres } from './cancel.js'
import { codeOf } from './faults.js'

/** Where a server is, as drivers name it. */
interface Place {
  readonly host?: string | undefined
  readonly port?: number | string | undefined
}

const named = (store: string, { host, port }: Place): string =>
  host ? `${store} at ${host}${port ? `:${port}` : ''}` : store

/** A connection of a pool, in one form for both drivers. */
interface Taken {
  /** The server, for the message that it gave no answer. */
  readonly store: string
  query(text: string, values: unknown[]): Promise<unknown>
  /** Gives the connection back to its pool. */
  release(): void
  /** Closes the connection at once. */
  close(fault: Error): void
  /** Asks the server to end the statement under way. */
  cancel(): Promise<void>
  /** Whether a failure is due to the driver’s own limit. Then the connection is still busy with the statement. */
  isDriverLimit(error: unknown): boolean
}

/** Codes of statements that were cancelled. */
const CANCELLED: ReadonlySet<unknown> = new Set(['57014', 'ER_QUERY_INTERRUPTED'])

/**
 * Codes of servers that take no writes, such as one that was the primary before a failover. A new connection may reach
 * another server; this one never does.
 */
const READ_ONLY: ReadonlySet<unknown> = new Set([
  '25006', // PostgreSQL: read_only_sql_transaction
  'ER_OPTION_PREVENTS_STATEMENT', // read_only, super_read_only
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_READ_ONLY_MODE', // innodb_read_only, as a reader of Aurora has it
  'ER_UNKNOWN_COM_ERROR', // Galera: this node has left the cluster
])

/**
 * Takes a connection of a pool, with a limit on the time that its use takes, including the wait for the connection. One
 * that comes too late is given back unused.
 *
 * All statements of a use have the same deadline, so that no transaction is committed after its callers have given it
 * up. A statement that runs at the deadline is cancelled at the server. The answer of the server within
 * {@link CANCEL_MS} is the outcome. Without an answer the server or the network is down: the connection is closed, and
 * the outcome is unknown. In both cases the connection is not used again: back in the pool, it would still be busy, or
 * the cancellation would reach it late. Only a rollback is still sent.
 */
async function takeInTime(
  connecting: Promise<Taken>,
  pool: string,
  milliseconds: number,
): Promise<Pick<Taken, 'query' | 'release'>> {
  const began = performance.now()
  const late = (what: string) => timeoutError(what, { option: 'queryTimeout', milliseconds })
  const connection = await within(connecting, milliseconds, () => late(`${pool} gave no connection`)).catch((error) => {
    connecting.then(
      (unused) => unused.release(),
      () => {},
    )
    throw error
  })
  let isClosed = false
  /** Why the connection must not be used again. */
  let fault: Error | null = null
  let isLate = false

  const close = (error: Error): Error => {
    if (!isClosed) connection.close(error)
    isClosed = true
    fault = error
    return error
  }

  const settle = async (answer: Promise<unknown>, error: Error): Promise<unknown> => {
    void connection.cancel()
    try {
      return await within(answer, Math.min(CANCEL_MS, milliseconds), () => close(error))
    } catch (failure) {
      throw CANCELLED.has(codeOf(failure)) ? error : failure
    }
  }

  return {
    async query(text, values) {
      const isRollback = text === 'rollback'
      if (fault && (isClosed || (isLate && !isRollback))) throw fault
      const error = late(`${connection.store} gave no answer`)
      const left = began + milliseconds - performance.now()
      const limit = isRollback ? Math.max(left, CANCEL_MS) : left
      const isOver = () => {
        isLate = true
        fault = error
        return error
      }
      if (limit <= 0) throw isOver()
      const answer = connection.query(text, values).catch(async (failure: Error) => {
        if (isClosed || !connection.isDriverLimit(failure)) throw failure
        isLate = true
        fault = failure
        await connection.cancel()
        throw close(failure)
      })
      try {
        return await within(answer, limit, () => error)
      } catch (failure) {
        if (READ_ONLY.has(codeOf(failure))) fault ??= failure as Error
        if (failure !== error) throw failure
        if (isRollback) throw close(error)
        return settle(answer, isOver())
      }
    },
    release() {
      if (isClosed) return
      if (fault) close(fault)
      else connection.release()
    },
  }
}

/**
 * A pool of `pg` with a limit on the time that the use of a connection takes.
 *
 * @param connect takes a connection of the pool
 */
export const limitPostgresPool = (
  pool: PostgresDriverPool,
  milliseconds: number,
  connect = () => pool.connect(),
): PostgresPool => ({
  async connect() {
    const taken = connect().then((client) => takenPostgres(pool, client))
    return (await takeInTime(taken, named('PostgreSQL', postgresPlace(pool.options)), milliseconds)) as never
  },
  end: () => pool.end(),
})

const takenPostgres = (pool: PostgresDriverPool, client: PoolClient): Taken => ({
  store: named('PostgreSQL', client as Place),
  query: (text, values) => client.query(text, values),
  release: () => client.release(),
  close: (fault) => client.release(fault),
  cancel: () => cancelPostgres(pool, client),
  isDriverLimit: (error) => isError(error) && error.message === 'Query read timeout',
})

/** Where the server of a pool is, without user name and password. */
function postgresPlace(options: { readonly connectionString?: unknown } & Place = {}): Place {
  const { connectionString, host, port } = options
  if (typeof connectionString !== 'string' || !isAbsoluteUrl(connectionString)) return { host, port }
  const url = new URL(connectionString)
  return { host: url.hostname, port: url.port || 5432 }
}

/** Options of a query: the forms of rows and values that the adapter reads, whatever the application chose for its pool. */
const OWN_FORMS = { rowsAsArray: false, nestTables: false, typeCast: (_field: unknown, next: () => unknown) => next() }

/** A pool of `mysql2` with a limit on the time that the use of a connection takes. */
export const limitMysqlPool = (pool: MysqlDriverPool, milliseconds: number): MysqlPool => ({
  getConnection(done) {
    const { connectionConfig = {} } = (pool.config ?? {}) as { connectionConfig?: Place }
    const store = named('The database', connectionConfig)
    const taken = new Promise<Taken>((resolve, reject) =>
      pool.getConnection((error, connection) => (error ? reject(error) : resolve(takenMysql(store, connection)))),
    )
    const limited = takeInTime(taken, store, milliseconds).then(({ query, release }) => ({
      query: (text: string, values: unknown[], done: Callback) => tell(query(text, values), done),
      release,
    }))
    tell(limited, done as Callback)
  },
  end: (done) => pool.end(done),
})

type Callback = (error: unknown, result?: unknown) => void

const tell = (result: Promise<unknown>, done: Callback): void => void result.then((value) => done(null, value), done)

const takenMysql = (store: string, connection: PoolConnection): Taken => ({
  store,
  query: (text, values) =>
    new Promise((resolve, reject) =>
      connection.query({ sql: text, ...OWN_FORMS } as never, values, (error, result) =>
        error ? reject(error) : resolve(result),
      ),
    ),
  release: () => connection.release(),
  close() {
    // When the connection is closed, the query that hangs in it fails, and nobody waits for that failure any more.
    connection.on('error', () => {})
    connection.destroy()
    // A normal close of mysql2 would wait for the server, which does not answer.
    ;(connection as { stream?: { destroy?(): void } }).stream?.destroy?.()
  },
  cancel: () => cancelMysql(connection),
  isDriverLimit: (error) => codeOf(error) === 'PROTOCOL_SEQUENCE_TIMEOUT',
})
