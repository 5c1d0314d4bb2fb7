import { expect } from 'chai'
import pg from 'pg'
import { createClient } from 'redis'
import { redisAdapter } from '../../../lib/adapters/redis.js'
import { migrateToLatest, migrationStatus, sqlAdapter } from '../../../lib/adapters/sql.js'
import { postgres, postgresServer, type TestDatabase } from './databases.js'

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Gives what nobody listened to while an action ran, and shortly after; such an error ends a process. */
async function unheard(action: () => Promise<unknown>): Promise<string[]> {
  const faults: string[] = []
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => void faults.push(error.message))
  try {
    await action()
    await pause(200)
  } finally {
    process.removeAllListeners('uncaughtException')
    for (const listener of others) process.on('uncaughtException', listener)
  }
  return faults
}

describe('connections of PostgreSQL that an administrator ends', () => {
  let database: TestDatabase
  let administrator: pg.Client
  before(postgres.requireServer)
  beforeEach(async () => {
    database = await postgres.create()
    await migrateToLatest(database.connection)
    administrator = new pg.Client({ ...(await postgresServer()), database: 'postgres' })
    await administrator.connect()
  })
  afterEach(async () => {
    await administrator.end()
    await database.drop()
  })

  const endAll = () =>
    administrator.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      new URL(database.url).pathname.slice(1),
    ])

  /** Ends all of them again and again while an action runs. */
  const whileEnding = async (action: () => Promise<unknown>) => {
    let isOver = false
    const ending = (async () => {
      while (!isOver) {
        await endAll()
        await pause(Math.random() * 8)
      }
    })()
    await action().finally(() => {
      isOver = true
    })
    await ending
  }

  const ask = (adapter: ReturnType<typeof sqlAdapter>) =>
    Promise.allSettled([
      ...Array.from({ length: 6 }, (_, index) => adapter.getUser(`user ${index}`)),
      adapter.deleteUser('nobody'),
      adapter.deleteExpired(),
    ])

  const OWNERS = [
    ['a pool of the adapter’s own', () => ({ connection: { url: database.url }, end: async () => {} })],
    [
      'a pool of the application’s, which listens to nothing',
      () => {
        const pool = new pg.Pool({ connectionString: database.url })
        return { connection: pool, end: () => pool.end() }
      },
    ],
  ] as const

  for (const [what, open] of OWNERS) {
    it(`never end the process: in use, idle, being made, being closed, and after that; ${what}`, async function () {
      this.timeout(120_000)
      const faults = await unheard(() =>
        whileEnding(async () => {
          for (let round = 0; round < 25; round++) {
            const { connection, end } = open()
            const adapter = sqlAdapter(connection, { queryTimeout: round % 2 ? 0.02 : 5 })
            await ask(adapter)
            await pause(Math.random() * 5)
            const closed = adapter.close().catch(() => {})
            if (round % 3) await endAll()
            await closed
            await end()
            await migrationStatus(connection).catch(() => {})
          }
        }),
      )
      expect(faults).to.deep.equal([])
    })
  }

  it('never end the process by a client that complains before it is the pool’s', async () => {
    // As pg does when it cannot work out the answer to a demand for an MD5 password.
    class Complaining extends pg.Client {
      override connect(...args: []) {
        this.emit('error', new Error('no md5 here'))
        return super.connect(...args)
      }
    }
    const adapter = sqlAdapter({ url: database.url, pool: { Client: Complaining } })
    expect(await unheard(() => adapter.getUser('ada'))).to.deep.equal([])
    await adapter.close()
  })

  it('are listened to once, however often a pool is handed over', async () => {
    const pool = new pg.Pool({ connectionString: database.url })
    for (let index = 0; index < 3; index++) await migrationStatus(pool)
    const client = await pool.connect()
    const counts = [pool.listenerCount('error'), pool.listenerCount('acquire'), client.listenerCount('error')]
    client.release()
    await pool.end()
    expect(counts).to.deep.equal([1, 1, 1])
  })
})

describe('a client of Redis that nobody listens to', () => {
  it('is listened to once it is handed over, so that a lost connection does not end the process', () => {
    const client = createClient()
    redisAdapter(client)
    redisAdapter(client)
    expect(client.listenerCount('error')).to.equal(1)
    const own = createClient().on('error', () => undefined)
    redisAdapter(own)
    expect(own.listenerCount('error')).to.equal(1)
  })
})
