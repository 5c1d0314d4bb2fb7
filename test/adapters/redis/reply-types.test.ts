import { expect } from 'chai'
import { createClient, RESP_TYPES } from 'redis'
import { redisAdapter } from '../../../lib/adapters/redis.js'
import { connect, REDIS_URL, skipSuite } from './servers.js'

const TYPES = {
  [RESP_TYPES.BLOB_STRING]: Buffer,
  [RESP_TYPES.SIMPLE_STRING]: Buffer,
  [RESP_TYPES.NUMBER]: String,
  [RESP_TYPES.MAP]: Map,
}
const user = { id: 'ada', name: 'Ada', email: 'ada@x.example', emailVerified: null, image: null }
const session = { sessionToken: 'sha256:a', userId: 'ada', expires: new Date(Date.now() + 24 * 60 * 60_000) }

describe('redisAdapter() with a client of the application that gives replies of other types', () => {
  const prefix = `latchkey-test-types-${process.pid}:`
  before(async function () {
    const client = await connect(REDIS_URL)
    if (!client) return skipSuite(this, `no Redis at ${REDIS_URL}`)
    client.destroy()
  })

  const works = async (adapter: ReturnType<typeof redisAdapter>) => {
    await adapter.createUser(user)
    await adapter.createSession(session)
    expect(await adapter.getSessionAndUser('sha256:a')).to.deep.equal({ session, user })
    expect(await adapter.getUserByEmail('ada@x.example')).to.deep.equal(user)
    expect(await adapter.listSessionsByUserId('ada')).to.have.length(1)
    expect((await adapter.deleteExpired()).complete).to.equal(true)
    expect(await adapter.deleteUser('ada')).to.deep.equal(user)
    await adapter.close()
  }

  for (const RESP of [2, 3] as const) {
    it(`works, and leaves the types of the application’s own calls: RESP${RESP}`, async () => {
      const client = createClient({ url: REDIS_URL, RESP, commandOptions: { typeMapping: TYPES } })
      client.on('error', () => undefined)
      await client.connect()
      await works(redisAdapter(client as never, { prefix }))
      await client.set(`${prefix}own`, 'a')
      expect(await client.get(`${prefix}own`)).to.deep.equal(Buffer.from('a'))
      await client.del(`${prefix}own`)
      client.destroy()
    })
  }

  it('works with such options in { url, client }', () =>
    works(redisAdapter({ url: REDIS_URL, client: { commandOptions: { typeMapping: TYPES } } }, { prefix })))
})
