import { isAbsoluteUrl } from '../../shapes/urls.js'
import { cancelPostgres, type PostgresMaker } from './cancel.js'
import { connectInTime, createUse, named, type Place, type UseSettings } from './connection-use.js'

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
