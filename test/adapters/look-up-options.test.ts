import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { adapterCalls } from '../../lib/adapters/adapter-calls.js'
import { combineAdapters } from '../../lib/adapters/combine.js'
import { isUnwantedError } from '../../lib/adapters/failures.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { migrateToLatest, sqlAdapter } from '../../lib/adapters/sql.js'
import { withStoreTimeout } from '../../lib/adapters/store-timeout.js'
import { sqlite, type TestDatabase } from './sql/databases.js'

const LOOK_UPS = ['getSession', 'getSessionAndUser'] as const
const unwanted = { isWanted: () => false }
const session = { sessionToken: 'token', userId: 'ada', expires: new Date(Date.now() + 60_000) }
const user = { id: 'ada', name: 'Ada', email: 'ada@example.com', emailVerified: null, image: null }

const callsOf = (adapter: Adapter) => adapterCalls(withStoreTimeout(adapter, 5), LOOK_UPS, 'tests', { warn() {} })

describe('the options of a look-up', () => {
  let database: TestDatabase
  let adapter: ReturnType<typeof sqlAdapter>
  before(async () => {
    database = await sqlite.create()
    await migrateToLatest(database.connection)
    adapter = sqlAdapter(database.connection)
    await adapter.createUser(user)
    await adapter.createSession(session)
  })
  after(async () => {
    await adapter.close()
    await database.drop()
  })

  const forms: readonly (readonly [string, () => Adapter])[] = [
    ['an adapter of this package', () => adapter],
    ['a copy of one', () => ({ ...adapter })],
    ['several adapters combined', () => combineAdapters({ sessions: adapter, rest: adapter })],
    ['several adapters combined, with sessions in the main one', () => combineAdapters({ rest: adapter })],
  ]
  for (const [what, make] of forms) {
    it(`reach ${what}: a look-up that nobody waits for is not made`, async () => {
      const calls = callsOf(make())
      for (const name of LOOK_UPS) {
        const failure = await Promise.resolve(calls[name]('token', unwanted)).catch((error: unknown) => error)
        expect(isUnwantedError(failure), name).to.equal(true)
        expect(await calls[name]('token', { isWanted: () => true }), name).to.be.an('object')
        expect(await calls[name]('token'), name).to.be.an('object')
      }
    })
  }

  it('do not reach adapters of others, which expect the arguments of the contract alone', async () => {
    const received: unknown[][] = []
    const record = (...args: unknown[]) => {
      received.push(args)
      return null
    }
    const calls = callsOf({ ...memoryAdapter(), getSession: record, getSessionAndUser: record })
    for (const name of LOOK_UPS) await calls[name]('token', unwanted)
    expect(received).to.deep.equal([['token'], ['token']])
  })
})
