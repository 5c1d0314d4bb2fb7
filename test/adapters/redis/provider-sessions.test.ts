import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { redisAdapter } from '../../../lib/adapters/redis.js'
import { connect, REDIS_URL, skipSuite } from './servers.js'

type Client = NonNullable<Awaited<ReturnType<typeof connect>>>

const HOUR_MS = 60 * 60 * 1000
const MARGIN_MS = 5 * 60 * 1000
const anyId = () => randomBytes(8).toString('hex')
const inMs = (ms: number) => new Date(Date.now() + ms)

describe('redisAdapter() with sessions of providers', () => {
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

  const place = () => ({ provider: 'acme', subject: anyId(), sid: anyId() })
  const session = (members: object) => ({ sessionToken: anyId(), userId: anyId(), expires: inMs(HOUR_MS), ...members })
  const setsOf = ({ subject, sid }: ReturnType<typeof place>, kind = 'sessions-at') => [
    `${prefix}${kind}:acme:sid:${sid}`,
    `${prefix}${kind}:acme:subject:${subject}`,
  ]
  const namesIn = (set: string) => client.zRange(set, 0, -1)

  it('keeps their names as long as the last of the sessions, and no longer', async () => {
    const at = place()
    const [short, long] = [session(at), session({ ...at, expires: inMs(HOUR_MS) })]
    for (const one of [long, short]) await adapter.createSession(one)
    await adapter.updateSession({ sessionToken: long.sessionToken, expires: inMs(9 * HOUR_MS) })
    for (const set of setsOf(at)) {
      expect(await namesIn(set)).to.have.members([short.sessionToken, long.sessionToken])
      expect(await client.pTTL(set)).to.be.within(8 * HOUR_MS, 9 * HOUR_MS)
    }
    await adapter.changeSessionToken(short.sessionToken, `${short.sessionToken}-new`)
    await adapter.deleteSessionsByUserId(long.userId)
    for (const set of setsOf(at)) expect(await namesIn(set)).to.deep.equal([`${short.sessionToken}-new`])
    await adapter.deleteSession(`${short.sessionToken}-new`)
    expect(await client.exists(setsOf(at))).to.equal(0)
  })

  it('makes no such set for a session that began elsewhere', async () => {
    const before = await client.keys(`${prefix}*-at:*`)
    await adapter.createSession(session({}))
    await adapter.createSession(session({ provider: 'acme', subject: null, sid: '' }))
    await adapter.createSession(session({ subject: anyId(), sid: anyId() }))
    expect(await client.keys(`${prefix}*-at:*`)).to.have.members(before)
  })

  it('passes names whose session is gone, and those that were moved to another provider', async () => {
    const [at, elsewhere] = [place(), place()]
    const [gone, moved, kept] = [session(at), session(at), session(at)]
    for (const one of [gone, moved, kept]) await adapter.createSession(one)
    await client.del(`${prefix}session:${gone.sessionToken}`)
    await adapter.updateSession({ sessionToken: moved.sessionToken, ...elsewhere })
    const tokens = (await adapter.listSessionsByProvider(at)).map(({ sessionToken }) => sessionToken)
    expect(tokens).to.deep.equal([kept.sessionToken])
  })

  it('finds none of the sessions that were stored before there were such sets', async () => {
    const at = place()
    await adapter.createSession(session(at))
    await client.del(setsOf(at))
    expect(await adapter.listSessionsByProvider(at)).to.deep.equal([])
  })

  it('forgets a token session that was revoked, also when the revocation broke off', async () => {
    const at = place()
    const row = { id: anyId(), userId: anyId(), expires: inMs(HOUR_MS), revokedAt: null, tokenIssuedAt: null, ...at }
    const other = { ...row, id: anyId() }
    for (const one of [row, other]) await adapter.createTokenSession(one)
    const sets = setsOf(at, 'token-sessions-at')
    for (const set of sets) expect(await client.pTTL(set)).to.be.within(HOUR_MS, HOUR_MS + MARGIN_MS)
    await adapter.revokeTokenSession(row.id, new Date())
    for (const set of sets) expect(await namesIn(set)).to.deep.equal([other.id])
    await adapter.updateTokenSession(other.id, { revokedAt: new Date() })
    expect(await adapter.listTokenSessionsByProvider(at)).to.deep.equal([])
    expect(await client.exists(sets)).to.equal(0)
  })
})
