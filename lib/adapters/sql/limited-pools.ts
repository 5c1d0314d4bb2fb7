import { isAbsoluteUrl } from '../../kernel/urls.js'
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
  const close = () => {
    // When the connection is closed, the query that hangs in it fails, and nobody waits for that failure any more.
    connection.on('error', () => {})
    connection.destroy()
    // A normal close of mysql2 would wait for the server, which does not answer.
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
      if (use.fault()) closeOnce()
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
