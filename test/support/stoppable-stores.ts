import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { redisAdapter } from '../../lib/adapters/redis.js'
import { migrateToLatest, sqlAdapter } from '../../lib/adapters/sql.js'
import { hasRedisPrograms, type OwnServer, startServer } from '../adapters/redis/servers.js'
import { createOwnMariaDB, hasMariaDBPrograms, type OwnMariaDB } from './own-mariadb.js'
import { createOwnPostgres, findPostgresPrograms, type OwnPostgres } from './own-postgres.js'

/** A server that can go away and come back with what it had. */
export interface StoppableStore {
  /** Where another process finds it. */
  readonly url: string
  readonly adapter: Required<Adapter>
  start(): Promise<void>
  stop(): Promise<void>
  remove(): Promise<void>
}

/** A migrated store on a SQL server of the test's own. */
async function sqlStoreOn(server: OwnPostgres | OwnMariaDB): Promise<StoppableStore> {
  await migrateToLatest({ url: server.url })
  const adapter = sqlAdapter({ url: server.url })
  return {
    url: server.url,
    adapter,
    start: server.start,
    stop: server.stop,
    async remove() {
      await adapter.close()
      await server.remove()
    },
  }
}

/** Each gives a store, or the reason why there is none. */
export const STOPPABLE_STORES: Readonly<
  Record<'PostgreSQL' | 'MariaDB' | 'Redis', () => Promise<StoppableStore | string>>
> = {
  async PostgreSQL() {
    const programs = await findPostgresPrograms()
    if (programs === null) return 'initdb and pg_ctl are not installed'
    return sqlStoreOn(await createOwnPostgres(programs))
  },
  async MariaDB() {
    if (!(await hasMariaDBPrograms())) return 'mariadbd and mariadb-install-db are not installed'
    return sqlStoreOn(await createOwnMariaDB())
  },
  async Redis() {
    if (!(await hasRedisPrograms())) return 'redis-server and redis-cli are not installed'
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-outage-'))
    const settings = ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'always']
    let server: OwnServer = await startServer(settings)
    const { port, url } = server
    // As docs/guides/redis.md has it.
    const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: 20 } })
    client.on('error', () => undefined)
    await client.connect()
    return {
      url,
      adapter: redisAdapter(client),
      async start() {
        server = await startServer(settings, port)
        for (let tries = 0; !client.isReady && tries < 200; tries += 1)
          await new Promise((done) => setTimeout(done, 10))
      },
      stop: () => server.stop(),
      async remove() {
        client.destroy()
        await server.stop()
        await rm(folder, { recursive: true, force: true })
      },
    }
  },
}
