import { within } from '../../awaitable.js'
import type { AdapterError } from '../../errors.js'
import { timeoutError } from '../failures.js'
import { CANCEL_MS, cancelMysql, cancelPostgres, type PostgresMaker } from './cancel.js'

/** What Kysely's dialect for PostgreSQL uses of a pool of `pg`. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<unknown>
  /** @param fault closes the connection in place of keeping it */
  release(fault?: Error): void
}

export interface PostgresClients extends PostgresMaker {
  connect(): Promise<PostgresClient>
  end(): Promise<void>
}

/** Where a server is, as drivers name it. */
interface Place {
  readonly host?: string | undefined
  readonly port?: number | string | undefined
}

type Callback<T> = (error: Error | null, value?: T) => void

/** What Kysely's dialect for MySQL uses of a pool of `mysql2`. */
export interface MysqlConnection {
  query(text: string, values: unknown, done: Callback<unknown>): void
  release(): void
}

export interface MysqlConnections {
  readonly config?: { readonly connectionConfig?: Place }
  getConnection(done: Callback<MysqlConnection>): void
  end(done: Callback<void>): void
}

/** A connection of `mysql2` itself, as far as it is used here. */
interface RawMysqlConnection extends MysqlConnection {
  on(event: 'error', listener: () => void): unknown
  destroy(): void
  readonly stream?: { destroy?(): void }
}

const named = (store: string, { host, port }: Place): string =>
  host ? `${store} at ${host}${port ? `:${port}` : ''}` : store

const noConnection = (store: string, milliseconds: number): AdapterError =>
  timeoutError(`${store} gave no connection`, { option: 'queryTimeout', milliseconds })

const noAnswer = (store: string, milliseconds: number): AdapterError =>
  timeoutError(`${store} gave no answer`, { option: 'queryTimeout', milliseconds })

/** One use of a connection, from when it was asked for until it is given back. */
interface Use {
  /** Sends a statement, and waits for its answer as long as the use may last. */
  send(text: string, query: () => Promise<unknown>): Promise<unknown>
  /** Why the connection must not be used again; null when it may. */
  fault(): Error | null
}

interface UseSettings {
  readonly milliseconds: number
  /** When the connection was asked for, by `performance.now()`. */
  readonly began: number
  /** What gave no answer. */
  readonly store: string
  /** Tells the server to end what is under way. */
  cancel(): Promise<void>
  /** Closes the connection at once. */
  close(fault: Error): void
  /** Whether a failure is the driver’s own limit, which leaves the connection busy with what took too long. */
  isDriverLimit(error: unknown): boolean
}

/** Codes of statements that were cancelled. */
const CANCELLED: ReadonlySet<unknown> = new Set(['57014', 'ER_QUERY_INTERRUPTED'])

const isCancelled = (error: unknown): boolean => error instanceof Error && 'code' in error && CANCELLED.has(error.code)

/**
 * All statements of a use end together, so that no transaction is committed after everybody has given it up. The one that is under way then is cancelled at the
 * server: what it says within a short moment is the outcome. A server that says nothing is a dead one, or a dead network: the connection is closed, and the outcome
 * unknown. In both cases the connection is not used again, since the cancelling may reach it late. Only the end of a transaction is still sent.
 */
function createUse({ milliseconds, began, store, cancel, close, isDriverLimit }: UseSettings): Use {
  let late: Error | null = null
  let closed: Error | null = null

  const closeFor = (error: Error): Error => {
    if (!closed) {
      closed = error
      close(error)
    }
    return error
  }

  const settle = async (answer: Promise<unknown>, error: Error): Promise<unknown> => {
    late = error
    void cancel()
    try {
      return await within(answer, Math.min(CANCEL_MS, milliseconds), () => closeFor(error))
    } catch (failure) {
      throw isCancelled(failure) ? error : failure
    }
  }

  const timeLeft = (isRollback: boolean): number => {
    const left = began + milliseconds - performance.now()
    return isRollback ? Math.max(left, CANCEL_MS) : left
  }

  return {
    async send(text, query) {
      if (closed) throw closed
      const isRollback = text === 'rollback'
      if (late && !isRollback) throw late
      const error = noAnswer(store, milliseconds)
      const left = timeLeft(isRollback)
      if (left <= 0) {
        late = error
        throw error
      }
      const answer = query().catch(async (failure: unknown) => {
        if (closed || !isDriverLimit(failure)) throw failure
        late = failure as Error
        await cancel()
        throw closeFor(late)
      })
      try {
        return await within(answer, left, () => error)
      } catch (failure) {
        if (failure !== error) throw failure
        if (isRollback) throw closeFor(error)
        return settle(answer, error)
      }
    },
    fault: () => closed ?? late,
  }
}

/**
 * A pool of `pg` as it is, but that nobody waits longer than this for a connection and all that is asked by it. A connection that gave no answer is closed, and
 * with it the transaction that is open in it: back in the pool, it would make whoever gets it wait behind what it is still busy with.
 */
export const limitPostgresPool = (pool: PostgresClients, milliseconds: number): PostgresClients => ({
  async connect() {
    const began = performance.now()
    const connecting = pool.connect()
    try {
      const late = () => noConnection(named('PostgreSQL', postgresPlace(pool.options)), milliseconds)
      return limitPostgresClient(await within(connecting, milliseconds, late), pool, { milliseconds, began })
    } catch (error) {
      // It may come yet. Nobody waits for it any more, so nothing is asked by it.
      connecting.then(
        (client) => client.release(),
        () => {},
      )
      throw error
    }
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

/** Where the server of a pool is, without who connects to it. */
function postgresPlace(options: object = {}): Place {
  const { connectionString, host, port } = options as Place & { connectionString?: unknown }
  if (typeof connectionString !== 'string' || !URL.canParse(connectionString)) return { host, port }
  const url = new URL(connectionString)
  return { host: url.hostname, port: url.port || 5432 }
}

/** The same for a pool of `mysql2`. */
export const limitMysqlPool = (pool: MysqlConnections, milliseconds: number): MysqlConnections => ({
  getConnection(done) {
    const began = performance.now()
    const store = named('The database', pool.config?.connectionConfig ?? {})
    const connecting = new Promise<RawMysqlConnection>((resolve, reject) => {
      pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection as RawMysqlConnection)))
    })
    within(connecting, milliseconds, () => noConnection(store, milliseconds)).then(
      (connection) => done(null, limitMysqlConnection(connection, { milliseconds, began, store })),
      (error: Error) => {
        connecting.then(
          (connection) => connection.release(),
          () => {},
        )
        done(error)
      },
    )
  },
  end: (done) => pool.end(done),
})

function limitMysqlConnection(
  connection: RawMysqlConnection,
  limit: Pick<UseSettings, 'milliseconds' | 'began' | 'store'>,
): MysqlConnection {
  const close = () => {
    // What the end of the connection does to the query that hangs in it has no one to hear it any more.
    connection.on('error', () => {})
    connection.destroy()
    // mysql2 says goodbye and waits for the other side, which does not answer.
    connection.stream?.destroy?.()
  }
  let isClosed = false
  const closeOnce = () => {
    if (!isClosed) close()
    isClosed = true
  }
  const use = createUse({
    ...limit,
    cancel: () => cancelMysql(connection),
    close: closeOnce,
    isDriverLimit: (error) => error instanceof Error && 'code' in error && error.code === 'PROTOCOL_SEQUENCE_TIMEOUT',
  })
  return {
    query(text, values, done) {
      const query = () =>
        new Promise<unknown>((resolve, reject) => {
          connection.query(text, values, (error, result) => (error ? reject(error) : resolve(result)))
        })
      use.send(text, query).then(
        (result) => done(null, result),
        (error: Error) => done(error),
      )
    },
    release() {
      if (use.fault()) closeOnce()
      else connection.release()
    },
  }
}
