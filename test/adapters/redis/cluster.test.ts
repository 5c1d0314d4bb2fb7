import { expect } from 'chai'
import { createCluster } from 'redis'
import { redisAdapter } from '../../../lib/adapters/redis.js'
import { describeAdapter } from '../../../lib/testing/adapter.js'
import { hasRedisPrograms, skipSuite, startCluster } from './servers.js'

describe('redisAdapter() on a cluster of three', () => {
  let cluster: Awaited<ReturnType<typeof startCluster>> | undefined
  let client: ReturnType<typeof connectTo> | undefined

  const connectTo = (urls: readonly string[]) => createCluster({ rootNodes: urls.map((url) => ({ url })) })

  before(async function () {
    if (!(await hasRedisPrograms())) return skipSuite(this, 'redis-server and redis-cli are not installed')
    cluster = await startCluster()
    client = connectTo(cluster.nodes.map(({ url }) => url))
    client.on('error', () => undefined)
    await client.connect()
  })

  after(async () => {
    client?.destroy()
    await cluster?.stop()
  })

  const adapter = () => {
    if (!client) throw new Error('not connected')
    return redisAdapter(client)
  }

  describeAdapter('redisAdapter()', { create: adapter })

  it('finds the slot of a user whose id has braces', async () => {
    for (const id of ['}', '{}', 'a}b', '{user', 'x:y', ' ']) {
      const user = await adapter().createUser({
        id,
        email: `${encodeURIComponent(id)}@braces.example`,
        emailVerified: null,
      })
      await adapter().linkAccount({ userId: id, type: 'oidc', provider: '{}', providerAccountId: `}${id}` })
      expect(await adapter().getUserByAccount({ provider: '{}', providerAccountId: `}${id}` })).to.deep.equal(user)
      await adapter().deleteUser(id)
    }
  })

  it('finds leftovers on every node', async () => {
    await adapter().deleteExpired()
    for (let index = 0; index < 12; index++) {
      const id = `gone-${index}`
      await adapter().createUser({ id, email: `${id}@gone.example`, emailVerified: null })
      await adapter().linkAccount({ userId: id, type: 'oidc', provider: 'acme', providerAccountId: id })
      await client?.del(`latchkey:{user:${id}}`)
    }
    // An account and a claim each.
    expect(await adapter().deleteExpired({ batch: 10 })).to.include({ leftovers: 24, complete: true })
    expect(await adapter().deleteExpired()).to.include({ leftovers: 0 })
  })

  // Nested, so that it comes after the suite above has stored its rows.
  describe('rows', () => {
    it('spreads its rows over all nodes', async () => {
      for (const { client: node } of client?.masters ?? []) {
        expect(await (await node)?.dbSize()).to.be.greaterThan(50)
      }
    })
  })
})
