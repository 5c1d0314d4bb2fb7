import { within } from '../../awaitable.js'
import { AdapterError } from '../../errors.js'

/** What Kysely's dialect for PostgreSQL uses of a pool of `pg`. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<unknown>
  /** @param fault closes the connection in place of keeping it */
  release(fault?: Error): void
}

export interface PostgresClients {
  connect(): Promise<PostgresClient>
  end(): Promise<void>
}

type Callback<T> = (error: Error | null, value?: T) => void

/** What Kysely's dialect for MySQL uses of a pool of `mysql2`. */
export interface MysqlConnection {
  query(text: string, values: unknown, done: Callback<unknown>): void
  release(): void
}

export interface MysqlConnections {
  getConnection(done: Callback<MysqlConnection>): void
  end(done: Callback<void>): void
}

/** A connection of `mysql2` itself, as far as it is used here. */
interface RawMysqlConnection extends MysqlConnection {
  on(event: 'error', listener: () => void): unknown
  destroy(): void
  readonly stream?: { destroy?(): void }
}

const noConnection = (milliseconds: number) => () =>
  new AdapterError(`The database gave no connection within ${milliseconds / 1000} seconds (queryTimeout).`)

const noAnswer = (milliseconds: number) =>
  new AdapterError(`The database gave no answer within ${milliseconds / 1000} seconds (queryTimeout).`)

/**
 * A pool of `pg` as it is, but that nobody waits longer than this for a connection or an answer. A connection that gave no answer is closed, and with it the
 * transaction that is open in it: back in the pool, it would make whoever gets it wait behind what it is still busy with.
 */
export const limitPostgresPool = (pool: PostgresClients, milliseconds: number): PostgresClients => ({
  async connect() {
    const connecting = pool.connect()
    try {
      return limitPostgresClient(await within(connecting, milliseconds, noConnection(milliseconds)), milliseconds)
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

function limitPostgresClient(client: PostgresClient, milliseconds: number): PostgresClient {
  let fault: Error | null = null
  const close = (error: Error): Error => {
    fault ??= error
    client.release(fault)
    return error
  }
  return {
    async query(text, values) {
      // After a timeout in a transaction, its end.
      if (fault) throw fault
      const answer = client.query(text, values).catch((error: unknown) => {
        // The driver's own limit leaves the connection busy with what took too long.
        if (!fault && error instanceof Error && error.message === 'Query read timeout') close(error)
        throw error
      })
      return within(answer, milliseconds, () => close(noAnswer(milliseconds)))
    },
    release() {
      if (!fault) client.release()
    },
  }
}

/** The same for a pool of `mysql2`. */
export const limitMysqlPool = (pool: MysqlConnections, milliseconds: number): MysqlConnections => ({
  getConnection(done) {
    const connecting = new Promise<RawMysqlConnection>((resolve, reject) => {
      pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection as RawMysqlConnection)))
    })
    within(connecting, milliseconds, noConnection(milliseconds)).then(
      (connection) => done(null, limitMysqlConnection(connection, milliseconds)),
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

function limitMysqlConnection(connection: RawMysqlConnection, milliseconds: number): MysqlConnection {
  let fault: Error | null = null
  const close = (error: Error): Error => {
    fault ??= error
    // What the end of the connection does to the query that hangs in it has no one to hear it any more.
    connection.on('error', () => {})
    connection.destroy()
    // mysql2 says goodbye and waits for the other side, which does not answer.
    connection.stream?.destroy?.()
    return error
  }
  return {
    query(text, values, done) {
      if (fault) {
        done(fault)
        return
      }
      const answer = new Promise<unknown>((resolve, reject) => {
        connection.query(text, values, (error, result) => (error ? reject(error) : resolve(result)))
      })
      within(answer, milliseconds, () => close(noAnswer(milliseconds))).then(
        (result) => done(null, result),
        (error: Error) => {
          const isTimeout = 'code' in error && error.code === 'PROTOCOL_SEQUENCE_TIMEOUT'
          if (isTimeout && !fault) close(error)
          done(error)
        },
      )
    },
    release() {
      if (!fault) connection.release()
    },
  }
}
