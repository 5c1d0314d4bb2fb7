import type { Adapter } from '../../lib/index.js'
import type { Store } from './settings.js'

/** Loads a module of the package that is tested. */
type Load = <Module>(path: string) => Promise<Module>

/** The adapter of an application, made as the guides say. */
export async function openAdapter(store: Store, load: Load): Promise<Adapter | undefined> {
  switch (store.kind) {
    case 'none':
      return undefined
    case 'sql': {
      const { sqlAdapter } = await load<typeof import('../../lib/adapters/sql.js')>('adapters/sql.js')
      const { url, max } = store
      return sqlAdapter(max === undefined ? { url } : await poolOf(url, max))
    }
    case 'redis':
      return openRedis(store.url, load)
    case 'authjs': {
      const { default: PostgresAdapter } = await import('@auth/pg-adapter')
      return PostgresAdapter(await poolOf(store.url, store.max)) as Adapter
    }
  }
}

async function poolOf(connectionString: string, max: number) {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString, max })
  // Without this listener, the process ends when the server ends.
  pool.on('error', () => undefined)
  return pool
}

async function openRedis(url: string, load: Load): Promise<Adapter> {
  const { redisAdapter } = await load<{ redisAdapter: (source: unknown) => Adapter }>('adapters/redis.js')
  try {
    return redisAdapter({ url })
  } catch {
    // A version of the package without `{ url }`: the application makes the client, as the guide of that version said.
    const { createClient } = await import('redis')
    const client = createClient({ url, disableOfflineQueue: true })
    client.on('error', () => undefined)
    await client.connect()
    return redisAdapter(client)
  }
}
