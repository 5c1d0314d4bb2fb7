import { randomBytes } from 'node:crypto'
import PostgresAdapter from '@auth/pg-adapter'
import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { combineAdapters } from '../../../lib/adapters/combine.js'
import { redisAdapter } from '../../../lib/adapters/redis.js'
import { sqlAdapter } from '../../../lib/adapters/sql.js'
import { describeAdapter } from '../../../lib/testing/adapter.js'
import { createSchema, type OwnSchema, PG_ADAPTER_TABLES } from '../authjs/postgres.js'
import { FEW_ROWS } from '../few-rows.js'
import { connect, REDIS_URL, skipSuite } from '../redis/servers.js'
import { migratedDatabase, postgres, type TestDatabase } from '../sql/databases.js'

describe('users in PostgreSQL, sessions in Redis', () => {
  const prefix = `latchkey-test-${randomBytes(6).toString('hex')}:`
  let client: Awaited<ReturnType<typeof connect>>
  let schema: OwnSchema | null = null

  before(async function () {
    client = await connect(REDIS_URL)
    schema = await createSchema(PG_ADAPTER_TABLES)
    if (!client || !schema) skipSuite(this, 'no Redis or no PostgreSQL answers')
  })

  after(async () => {
    await schema?.drop()
    if (!client) return
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 })) {
      if (keys.length > 0) await client.unlink(keys)
    }
    client.destroy()
  })

  const stores = () => {
    if (!client || !schema) throw new Error('not connected')
    const inRedis = redisAdapter(client, { prefix })
    // The adapter of Auth.js, unmodified.
    return { inRedis, inPostgres: PostgresAdapter(schema.pool) as Adapter }
  }
  const combined = () => {
    const { inRedis, inPostgres } = stores()
    return combineAdapters({ sessions: inRedis, verificationTokens: inRedis, authenticators: inRedis, ...inPostgres })
  }

  describeAdapter('combineAdapters()', {
    level: 'authjs',
    create: combined,
    skip: ['getAccount'],
    absentUserId: '0',
  })

  describe('with our own adapter for PostgreSQL', () => {
    let database: TestDatabase | undefined
    describeAdapter('combineAdapters()', {
      runner: FEW_ROWS,
      async create() {
        database = await migratedDatabase(postgres)
        return combineAdapters({ sessions: stores().inRedis, ...sqlAdapter(database.connection) })
      },
      close: () => database?.drop(),
    })
  })

  it('ends the sessions of a user whom PostgreSQL has lost', async () => {
    const { inRedis } = stores()
    const adapter = combined()
    const user = await adapter.createUser?.({ id: '', email: 'ada@example.com', emailVerified: null })
    const sessionToken = randomBytes(8).toString('hex')
    const userId = user?.id ?? ''
    await adapter.createSession?.({ sessionToken, userId, expires: new Date(Date.now() + 60_000) })
    expect(await adapter.getSessionAndUser?.(sessionToken)).to.have.property('user')
    await schema?.pool.query('delete from users')
    expect(await adapter.getSessionAndUser?.(sessionToken)).to.equal(null)
    expect(await inRedis.getSession(sessionToken)).to.include({ sessionToken })
  })

  it('rejects when either store is gone: an outage is never "no session"', async () => {
    const { inRedis } = stores()
    const down = { getUser: () => Promise.reject(new Error('connect ECONNREFUSED')) }
    const sessionToken = randomBytes(8).toString('hex')
    await inRedis.createSession({ sessionToken, userId: '1', expires: new Date(Date.now() + 60_000) })
    const withoutUsers = combineAdapters({ sessions: inRedis, rest: down })
    const outcome = await Promise.allSettled([withoutUsers.getSessionAndUser?.(sessionToken)])
    expect(outcome[0].status).to.equal('rejected')
  })
})
