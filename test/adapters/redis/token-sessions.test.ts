import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Adapter, AdapterTokenSession } from '../../../lib/adapters/adapter.js'
import { redisAdapter } from '../../../lib/adapters/redis.js'
import { AdapterError } from '../../../lib/kernel/errors.js'
import { aroundCommands, connect, hasRedisPrograms, REDIS_URL, skipSuite, startServer } from './servers.js'

type Client = NonNullable<Awaited<ReturnType<typeof connect>>>

const HOUR_MS = 60 * 60 * 1000
const MARGIN_MS = 5 * 60 * 1000
const anyId = () => randomBytes(8).toString('hex')
const inMs = (ms: number) => new Date(Date.now() + ms)

const tokenSession = (members: Partial<AdapterTokenSession> = {}): AdapterTokenSession => ({
  id: anyId(),
  userId: anyId(),
  expires: inMs(HOUR_MS),
  revokedAt: null,
  tokenIssuedAt: null,
  ...members,
})

describe('redisAdapter() with token sessions', () => {
  const prefix = `latchkey-test-${anyId()}:`
  let client: Client
  let adapter: Required<Adapter>

  before(async function () {
    const connected = await connect(REDIS_URL)
    if (!connected) return skipSuite(this, `no Redis answers at ${REDIS_URL}`)
    client = connected
    adapter = redisAdapter(client, { prefix })
  })

  after(async () => {
    if (!client) return
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 })) {
      if (keys.length > 0) await client.unlink(keys)
    }
    client.destroy()
  })

  const rowOf = (id: string) => `${prefix}token-session:${id}`
  const listOf = (userId: string) => `${prefix}{user:${userId}}:token-sessions`
  const idsOf = async (userId: string) => (await adapter.listTokenSessionsByUserId(userId)).map(({ id }) => id)

  /** The adapter over a client that does something before each command, such as to fail. */
  const withEach = (interfere: (command: number) => unknown) => {
    let command = 0
    const watched = aroundCommands(client, async (send) => {
      command += 1
      await interfere(command)
      return send()
    })
    return redisAdapter(watched, { prefix })
  }

  const breakingAt = (command: number) =>
    withEach((sent) => {
      if (sent >= command) throw new Error('Socket closed unexpectedly')
    })

  describe('a row', () => {
    it('stays longer than any token of its session, even if the clock of the server is ahead', async () => {
      const session = tokenSession()
      await adapter.createTokenSession(session)
      expect(await client.pTTL(rowOf(session.id))).to.be.closeTo(HOUR_MS + MARGIN_MS, 2000)
      await adapter.updateTokenSession(session.id, { expires: inMs(2 * HOUR_MS) })
      expect(await client.pTTL(rowOf(session.id))).to.be.closeTo(2 * HOUR_MS + MARGIN_MS, 2000)
    })

    it('keeps its expiry when it is seen, revoked, or stored again', async () => {
      const session = tokenSession()
      await adapter.createTokenSession(session)
      await adapter.updateTokenSession(session.id, { lastSeenAt: new Date() })
      await adapter.revokeTokenSession(session.id, new Date())
      await adapter.createTokenSession({ ...session, expires: inMs(9 * HOUR_MS) })
      expect(await client.pTTL(rowOf(session.id))).to.be.closeTo(HOUR_MS + MARGIN_MS, 2000)
    })

    it('that expires while it is extended is not made again, as one that was never revoked', async () => {
      const session = tokenSession()
      await adapter.createTokenSession(session)
      await adapter.revokeTokenSession(session.id, new Date())
      const late = withEach(async (command) => {
        if (command === 3) await client.del(rowOf(session.id))
      })
      await late.updateTokenSession(session.id, { expires: inMs(2 * HOUR_MS) })
      expect(await client.exists(rowOf(session.id))).to.equal(0)
      expect(await adapter.getTokenSession(session.id)).to.equal(null)
    })

    it('without a field for its revocation can be revoked, once', async () => {
      const session = tokenSession()
      await adapter.createTokenSession({ ...session, revokedAt: undefined as never })
      expect(await adapter.getTokenSession(session.id)).to.include({ revokedAt: null })
      await client.hDel(rowOf(session.id), 'revokedAt')
      expect(await adapter.revokeTokenSession(session.id, new Date(1))).to.equal(true)
      expect(await adapter.revokeTokenSession(session.id, new Date(2))).to.equal(false)
      expect(await adapter.getTokenSession(session.id)).to.deep.include({ revokedAt: new Date(1) })
    })

    it('is revoked only for the adapter with its prefix', async () => {
      const session = tokenSession()
      await adapter.createTokenSession(session)
      const other = redisAdapter(client, { prefix: `${prefix}other:` })
      expect(await other.revokeTokenSession(session.id, new Date())).to.equal(false)
      expect(await other.listTokenSessionsByUserId(session.userId)).to.deep.equal([])
    })
  })

  describe('the list of a user', () => {
    it('never lacks a session that is stored, wherever its storing broke off', async () => {
      for (let command = 1; command <= 2; command += 1) {
        const session = tokenSession()
        const [outcome] = await Promise.allSettled([breakingAt(command).createTokenSession(session)])
        expect(outcome?.status, `broken at command ${command}`).to.equal('rejected')
        expect(await adapter.getTokenSession(session.id), 'not stored').to.equal(null)
        expect(await idsOf(session.userId), 'a name without a row is ignored').to.deep.equal([])
      }
    })

    it('names a session at least as long as its row is there, wherever its extension broke off', async () => {
      for (let command = 1; command <= 4; command += 1) {
        const session = tokenSession()
        await adapter.createTokenSession(session)
        const changes = { expires: inMs(4 * HOUR_MS) }
        const [outcome] = await Promise.allSettled([breakingAt(command).updateTokenSession(session.id, changes)])
        expect(outcome?.status, `broken at command ${command}`).to.equal(command < 4 ? 'rejected' : 'fulfilled')
        const end = Number(await client.zScore(listOf(session.userId), session.id))
        expect(end).to.be.at.least((await client.pExpireTime(rowOf(session.id))) as number)
        expect(await client.pTTL(listOf(session.userId))).to.be.at.least(await client.pTTL(rowOf(session.id)))
      }
    })

    it('names a session until the latest of its ends that are given in parallel', async () => {
      const session = tokenSession()
      await adapter.createTokenSession(session)
      const hours = Array.from({ length: 20 }, (_, index) => ((index * 7) % 20) + 1)
      await Promise.all(hours.map((each) => adapter.updateTokenSession(session.id, { expires: inMs(each * HOUR_MS) })))
      const end = Number(await client.zScore(listOf(session.userId), session.id))
      expect(end).to.be.at.least((await client.pExpireTime(rowOf(session.id))) as number)
    })

    it('loses the names of sessions that ended, and leaves with its last one', async () => {
      const { userId } = tokenSession()
      const ended = tokenSession({ userId, expires: inMs(-HOUR_MS) })
      const [first, last] = [tokenSession({ userId }), tokenSession({ userId, expires: inMs(3 * HOUR_MS) })]
      for (const session of [ended, last, first]) await adapter.createTokenSession(session)
      expect(await client.zRange(listOf(userId), 0, -1)).to.have.members([first.id, last.id])
      expect(await client.pTTL(listOf(userId))).to.be.closeTo(3 * HOUR_MS + MARGIN_MS, 2000)
    })

    it('gives nobody a session whose id somebody else has taken up', async () => {
      const session = tokenSession()
      await adapter.createTokenSession(session)
      const thief = anyId()
      await adapter.createTokenSession({ ...session, userId: thief })
      expect(await idsOf(thief)).to.deep.equal([])
      expect(await idsOf(session.userId)).to.deep.equal([session.id])
    })

    it('loses a session that is revoked, wherever that broke off, and also if it is extended at that moment', async () => {
      for (let command = 1; command <= 3; command += 1) {
        const [session, kept] = [tokenSession({ userId: 'ada' }), tokenSession({ userId: 'ada' })]
        for (const each of [session, kept]) await adapter.createTokenSession(each)
        await Promise.allSettled([breakingAt(command).revokeTokenSession(session.id, new Date())])
        const isRevoked = (await adapter.getTokenSession(session.id))?.revokedAt !== null
        expect(isRevoked).to.equal(command > 1)
        expect((await idsOf('ada')).includes(session.id), `broken at command ${command}`).to.equal(!isRevoked)
        await adapter.revokeTokenSession(session.id, new Date())
        await adapter.updateTokenSession(session.id, { expires: inMs(9 * HOUR_MS) })
        expect(await idsOf('ada'))
          .to.include(kept.id)
          .and.not.to.include(session.id)
        expect(await client.zScore(listOf('ada'), session.id), 'a list forgets it').to.equal(null)
      }
    })

    it('does not name what was revoked when it was stored', async () => {
      const session = tokenSession({ revokedAt: new Date() })
      await adapter.createTokenSession(session)
      expect(await client.exists(listOf(session.userId))).to.equal(0)
    })

    it('can be read when a user has piled up 9,000', async function () {
      this.timeout(120_000)
      const { userId } = tokenSession()
      const sessions = Array.from({ length: 200 }, () => tokenSession({ userId }))
      for (const session of sessions) await adapter.createTokenSession(session)
      const names = Array.from({ length: 8800 }, (_, index) => ({
        value: `gone-${index}`,
        score: Date.now() + HOUR_MS,
      }))
      await client.zAdd(listOf(userId), names)
      expect(await idsOf(userId)).to.have.members(sessions.map(({ id }) => id))
      await adapter.createTokenSession(tokenSession({ userId }))
      expect(await idsOf(userId)).to.have.lengthOf(201)
    })
  })

  describe('stored sessions', () => {
    const session = () => ({ sessionToken: anyId(), userId: anyId(), expires: inMs(HOUR_MS), userAgent: 'curl/8' })

    it('are listed also if one gets another token between any two commands of the look-up', async () => {
      for (let command = 1; command <= 4; command += 1) {
        const moved = session()
        await adapter.createSession(moved)
        const next = anyId()
        const looking = withEach(async (sent) => {
          if (sent === command) await adapter.changeSessionToken(moved.sessionToken, next)
        })
        const listed = await looking.listSessionsByUserId(moved.userId)
        expect(listed.length, `moved before command ${command}`).to.be.at.least(1)
        for (const row of listed) expect(row).to.include({ userId: moved.userId, userAgent: 'curl/8' })
      }
    })

    it('are listed as long as they last, wherever a renewal broke off', async () => {
      for (let command = 1; command <= 3; command += 1) {
        const renewed = session()
        await adapter.createSession(renewed)
        const changes = { sessionToken: renewed.sessionToken, expires: inMs(4 * HOUR_MS) }
        await Promise.allSettled([breakingAt(command).updateSession(changes)])
        const end = Number(await client.zScore(`${prefix}{user:${renewed.userId}}:sessions`, renewed.sessionToken))
        const rowEnd = await client.pExpireTime(`${prefix}session:${renewed.sessionToken}`)
        expect(end, `broken at command ${command}`).to.be.at.least(rowEnd as number)
      }
    })

    it('are not in the list of a user who has nothing but the name of one', async () => {
      const [own, foreign] = [session(), session()]
      for (const created of [own, foreign]) await adapter.createSession(created)
      await client.zAdd(`${prefix}{user:${own.userId}}:sessions`, {
        value: foreign.sessionToken,
        score: Date.now() + HOUR_MS,
      })
      expect(await adapter.listSessionsByUserId(own.userId)).to.deep.equal([own])
    })
  })

  it('deleteUser and deleteExpired leave what was revoked of a deleted user', async () => {
    const { id } = await adapter.createUser({ id: anyId(), email: `${anyId()}@example.com`, emailVerified: null })
    const [session, open] = [tokenSession({ userId: id }), tokenSession({ userId: id })]
    for (const each of [session, open]) await adapter.createTokenSession(each)
    await adapter.revokeTokenSession(session.id, new Date(1))
    await adapter.deleteUser(id)
    expect(await adapter.deleteExpired()).to.include({ sessions: 0, unreadable: 0 })
    expect(await adapter.getTokenSession(session.id)).to.deep.equal({ ...session, revokedAt: new Date(1) })
    expect(await idsOf(id)).to.deep.equal([open.id])
  })

  it('fails when the server is away: nobody is told that a session was never revoked', async function () {
    if (!(await hasRedisPrograms())) return skipSuite(this, 'redis-server and redis-cli are not installed')
    const server = await startServer()
    try {
      const own = await connect(server.url)
      if (!own) throw new Error('the server does not answer')
      const away = redisAdapter(own)
      const session = tokenSession({ userId: 'lovelace@example.com' })
      await away.createTokenSession(session)
      await server.stop()
      const calls = [
        away.createTokenSession(session),
        away.getTokenSession(session.id),
        away.updateTokenSession(session.id, { lastSeenAt: new Date() }),
        away.revokeTokenSession(session.id, new Date()),
        away.listTokenSessionsByUserId(session.userId),
        away.listSessionsByUserId(session.userId),
      ]
      for (const outcome of await Promise.allSettled(calls)) {
        const error = outcome.status === 'rejected' ? outcome.reason : null
        expect(error).to.be.instanceOf(AdapterError)
        expect(String(error.message)).not.to.include(session.id).and.not.to.include('lovelace')
      }
    } finally {
      await server.stop()
    }
  })
})
