import { randomBytes } from 'node:crypto'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { combineAdapters } from '../../lib/adapters/combine.js'
import { redisAdapter } from '../../lib/adapters/redis.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { connect, REDIS_URL, skipSuite } from '../adapters/redis/servers.js'
import {
  type Engine,
  mariadb,
  migratedDatabase,
  postgres,
  sqlite,
  type TestDatabase,
} from '../adapters/sql/databases.js'

/** Where another process finds a store. */
export interface StorePlace {
  readonly sqlite?: string
  readonly url?: string
  /** Prefix of the keys in Redis. */
  readonly prefix?: string
}

/** A store that several processes use, and whose rows a test can search. */
export interface SharedStore {
  readonly place: StorePlace
  /** All rows, as text. */
  dump(): Promise<string>
  close(): Promise<void>
}

/** The adapter for a place, and what ends its connections. */
export async function openPlace({ sqlite, url, prefix }: StorePlace): Promise<{ adapter: Adapter; close(): void }> {
  const sql = sqlite || url ? sqlAdapter(sqlite ? { sqlite } : { url: url ?? '' }) : null
  const client = prefix === undefined ? null : await connect(REDIS_URL)
  const redis = client && redisAdapter(client, { prefix: prefix ?? '' })
  const close = () => {
    void sql?.close()
    client?.destroy()
  }
  if (sql && redis) {
    return { adapter: combineAdapters({ sessions: redis, verificationTokens: redis, rest: sql }), close }
  }
  return { adapter: (sql ?? redis) as Adapter, close }
}

const TABLES = ['users', 'accounts', 'sessions', 'verification_token', 'token_sessions', 'latchkey_records']

async function dumpSql({ run }: TestDatabase): Promise<string> {
  const rows = await Promise.all(TABLES.map((table) => run(`select * from ${table}`)))
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

const onSql = (engine: Engine) => ({
  name: engine.name,
  requireServer: engine.requireServer,
  async open(): Promise<SharedStore> {
    const database = await migratedDatabase(engine)
    const place = engine.name === 'SQLite' ? { sqlite: database.url } : { url: database.url }
    return { place, dump: () => dumpSql(database), close: () => database.drop() }
  },
})

async function requireRedis(this: Mocha.Context): Promise<void> {
  const client = await connect(REDIS_URL)
  if (!client) skipSuite(this, `no Redis at ${REDIS_URL}`)
  client.destroy()
}

async function openRedis(): Promise<SharedStore> {
  const prefix = `latchkey-test-${randomBytes(6).toString('hex')}:`
  const client = await connect(REDIS_URL)
  if (!client) throw new Error(`no Redis at ${REDIS_URL}`)
  const keys = async () => {
    const found: string[] = []
    for await (const some of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 })) found.push(...some)
    return found
  }
  return {
    place: { prefix },
    async dump() {
      const rows = (await keys()).map(async (key) => {
        const type = await client.type(key)
        if (type === 'hash') return [key, await client.hGetAll(key)]
        return [key, type === 'string' ? await client.get(key) : type]
      })
      return JSON.stringify(await Promise.all(rows))
    },
    async close() {
      const all = await keys()
      if (all.length > 0) await client.unlink(all)
      client.destroy()
    },
  }
}

/** Every store that several processes can share. */
export const SHARED_STORES = [
  onSql(sqlite),
  onSql(postgres),
  onSql(mariadb),
  { name: 'Redis', requireServer: requireRedis, open: openRedis },
  {
    name: 'PostgreSQL + Redis',
    async requireServer(this: Mocha.Context) {
      await postgres.requireServer.call(this)
      await requireRedis.call(this)
    },
    async open(): Promise<SharedStore> {
      const [sql, redis] = [await onSql(postgres).open(), await openRedis()]
      return {
        place: { ...sql.place, ...redis.place },
        dump: async () => `${await sql.dump()}${await redis.dump()}`,
        close: async () => {
          await redis.close()
          await sql.close()
        },
      }
    },
  },
] as const
