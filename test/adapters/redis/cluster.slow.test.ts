import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createCluster } from 'redis'
import type { SignUp } from '../../../lib/adapters/adapter.js'
import { redisAdapter } from '../../../lib/adapters/redis.js'
import { describeAdapter } from '../../../lib/testing/adapter.js'
import { aroundCommands, hasRedisPrograms, skipSuite, startCluster } from './servers.js'

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

  const connected = () => {
    if (!client) throw new Error('not connected')
    return client
  }
  const adapter = () => redisAdapter(connected())

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

  describe('a sign-up that breaks off', () => {
    /** The adapter over a client that loses its connection at a command, before or after the server has done it, and for good. */
    const breakingAt = (command: number, isDone: boolean) => {
      let sent = 0
      const fragile = aroundCommands(connected(), async (send) => {
        sent += 1
        const lost = () => new Error('Socket closed unexpectedly')
        if (sent > command || (sent === command && !isDone)) throw lost()
        const reply = await send()
        if (sent === command) throw lost()
        return reply
      })
      return { broken: redisAdapter(fragile), sent: () => sent }
    }

    const signUp = (): Required<SignUp> => {
      const id = randomBytes(8).toString('hex')
      return {
        user: { id, email: `${id}@example.com`, emailVerified: null },
        account: { provider: 'acme', type: 'webauthn', providerAccountId: id },
        authenticator: {
          credentialID: id,
          providerAccountId: id,
          credentialPublicKey: 'AAAA',
          counter: 0,
          credentialBackedUp: false,
          credentialDeviceType: 'singleDevice',
        },
      }
    }
    const expiryOf = async (key: string) => {
      const expiry = await client?.pTTL(`latchkey:${key}`)
      return expiry === -1 ? 'stays' : expiry === -2 ? 'absent' : Number(expiry) <= 60_000 ? 'leaves' : expiry
    }

    /** Breaks one off at every command, before and after the server has done it. */
    const atEveryCommand = async () => {
      const broken: { at: string; given: Required<SignUp>; isStored: boolean }[] = []
      for (let command = 1; ; command += 1) {
        for (const isDone of [false, true]) {
          const given = signUp()
          const { broken: adapter, sent } = breakingAt(command, isDone)
          const [outcome] = await Promise.allSettled([adapter.createUserWithAccount(given)])
          if (sent() < command) return broken
          broken.push({
            at: `command ${command}, ${isDone ? 'done' : 'not done'}`,
            given,
            isStored: outcome?.status === 'fulfilled',
          })
        }
      }
    }

    it('counts for nothing and leaves by itself, or was stored as a whole', async function () {
      this.timeout(120_000)
      const all = await atEveryCommand()
      expect(all.length).to.be.greaterThan(15)
      let stored = 0
      for (const { at, given } of all) {
        const { id } = given.user
        const owner = await adapter().getUserByAccount(given.account)
        expect(await adapter().getUser(id), at).to.deep.equal(owner)
        expect(await adapter().getUserByEmail(given.user.email), at).to.deep.equal(owner)
        expect((await adapter().getAccount(id, 'acme')) !== null, at).to.equal(owner !== null)
        if (owner) {
          stored += 1
          for (const key of [`{user:${id}}`, `account:acme:${id}`, `authenticator:${id}`, `{user:${id}}:accounts`]) {
            expect(await expiryOf(key), `${at}: ${key}`).to.equal('stays')
          }
        } else {
          for (const key of [`{user:${id}}`, `{user:${id}}:accounts`, `{user:${id}}:authenticators`]) {
            expect(await expiryOf(key), `${at}: ${key}`).to.be.oneOf(['absent', 'leaves'])
          }
        }
      }
      // Only where the last answer was lost.
      expect(stored).to.equal(1)
      const retried = await Promise.all(
        all.map(async ({ at, given }) => {
          if (await adapter().getUserByAccount(given.account)) return
          const again = { ...given, user: { ...given.user, id: `${given.user.id}-again` } }
          const user = await adapter().createUserWithAccount(again)
          expect(await adapter().getUserByAccount(given.account), at).to.deep.equal(user)
          expect(await adapter().getUserByEmail(given.user.email), at).to.deep.equal(user)
          expect(await adapter().getUser(given.user.id), at).to.equal(null)
        }),
      )
      expect(retried).to.have.length(all.length)
    })

    it('loses nothing to deleteExpired() while it is under way, at any of its commands', async function () {
      this.timeout(120_000)
      for (let command = 1; ; command += 1) {
        let sent = 0
        const slow = aroundCommands(connected(), async (send) => {
          sent += 1
          if (sent === command) await adapter().deleteExpired({ batch: 10_000 })
          return send()
        })
        const given = signUp()
        const user = await redisAdapter(slow).createUserWithAccount(given)
        if (sent < command) break
        const at = `before command ${command}`
        await adapter().deleteExpired({ batch: 10_000 })
        expect(await adapter().getUserByAccount(given.account), at).to.deep.equal(user)
        expect(await adapter().getUserByEmail(given.user.email), at).to.deep.equal(user)
        expect(await adapter().getAuthenticator(given.user.id), at).to.have.property('userId', user.id)
        expect(await adapter().listAccountsByUserId(user.id), at).to.have.length(1)
      }
    })

    it('leaves its reservation to deleteExpired() once its user is gone, and nothing that stays', async function () {
      this.timeout(120_000)
      await adapter().deleteExpired({ batch: 10_000 })
      const all = await atEveryCommand()
      // While the users are under way, nobody takes anything from them.
      expect(await adapter().deleteExpired({ batch: 10_000 })).to.include({ leftovers: 0 })
      const broken: string[] = []
      for (const { given } of all) {
        if (await adapter().getUser(given.user.id)) continue
        // As its time runs out.
        await client?.del(`latchkey:{user:${given.user.id}}`)
        broken.push(given.user.id)
      }
      expect((await adapter().deleteExpired({ batch: 10_000 })).leftovers).to.be.greaterThan(broken.length / 2)
      expect(await adapter().deleteExpired({ batch: 10_000 })).to.include({ leftovers: 0 })
      for (const id of broken) {
        expect(await client?.get(`latchkey:email:${encodeURIComponent(`${id}@example.com`)}`), id).to.equal(null)
        for (const key of [`account:acme:${id}`, `{user:${id}}:accounts`]) {
          expect(await expiryOf(key), key).to.be.oneOf(['absent', 'leaves'])
        }
      }
    })

    it('keeps nobody from the address who follows a mailed link', async () => {
      const given = signUp()
      // Before the passkey: what went first are the script for one server, the user, the reservation, what is the user's, and the account.
      await Promise.allSettled([breakingAt(6, false).broken.createUserWithAccount(given)])
      const user = await adapter().createUser({
        ...given.user,
        id: `${given.user.id}-link`,
        emailVerified: new Date(0),
      })
      expect(await adapter().getUserByEmail(given.user.email)).to.deep.equal(user)
    })
  })

  it('finds leftovers on every node', async () => {
    await adapter().deleteExpired()
    for (let index = 0; index < 12; index++) {
      const id = `gone-${index}`
      await adapter().createUser({ id, email: `${id}@gone.example`, emailVerified: null })
      await adapter().linkAccount({ userId: id, type: 'oidc', provider: 'acme', providerAccountId: id })
      await client?.del(`latchkey:{user:${id}}`)
    }
    // An account and a reservation each.
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
