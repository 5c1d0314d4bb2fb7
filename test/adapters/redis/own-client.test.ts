import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { redisAdapter } from '../../../lib/adapters/redis.js'
import { within } from '../../../lib/kernel/awaitable.js'
import { AdapterError, InvalidConfiguration } from '../../../lib/kernel/errors.js'
import { describeAdapter } from '../../../lib/testing/adapter.js'
import { failureOf } from '../../support/failure.js'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js'
import { FEW_ROWS } from '../few-rows.js'
import { connect, hasRedisPrograms, type OwnServer, REDIS_URL, skipSuite, startServer } from './servers.js'

const LIMIT_S = 0.9
/** Far longer than the limit, since the machine may be busy, and shorter than the limit by default. */
const HANGS_MS = 4000
const timely = async <T>(work: T) => within(Promise.resolve(work), HANGS_MS, () => new Error('It hangs.'))
const outcomeOf = (work: unknown) => Promise.resolve(work).catch((error) => error)
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
/** Asks until the answer is right. */
const eventually = async (check: () => Promise<unknown>) => {
  const end = performance.now() + HANGS_MS
  for (;;) {
    try {
      await check()
      return
    } catch (error) {
      if (performance.now() > end) throw error
      await pause(20)
    }
  }
}
const user = { id: 'ada', name: null, email: 'ada@x.example', emailVerified: null, image: null }

describe('redisAdapter({ url })', () => {
  const servers: OwnServer[] = []
  let proxy: TcpProxy
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)

  before(async function () {
    if (!(await hasRedisPrograms())) return skipSuite(this, 'redis-server and redis-cli are not installed')
  })
  beforeEach(() => {
    process.on('unhandledRejection', note)
  })
  afterEach(async () => {
    await proxy?.close()
    await Promise.all(servers.splice(0).map((server) => server.stop()))
    process.off('unhandledRejection', note)
    expect(unhandled.splice(0)).to.deep.equal([])
  })

  const open = async (options: Parameters<typeof redisAdapter>[1] = { commandTimeout: LIMIT_S }) => {
    const server = await startServer()
    servers.push(server)
    proxy = await startTcpProxy(server.port)
    return { server, adapter: redisAdapter({ url: `redis://127.0.0.1:${proxy.port}` }, options) }
  }

  it('connects at its first use, once, and again after it was closed', async () => {
    const { adapter } = await open()
    expect(proxy.openConnections).to.equal(0)
    await Promise.all([adapter.createUser(user), adapter.getUser('nobody'), adapter.getUser('nobody')])
    expect(proxy.openConnections).to.equal(1)
    await adapter.close()
    await pause(20)
    expect(proxy.openConnections).to.equal(0)
    expect(await adapter.getUser('ada')).to.deep.equal(user)
    await adapter.close()
  })

  it('leaves a server that was demoted and takes no writes, and finishes what it has begun there', async () => {
    const { server, adapter } = await open()
    const next = await startServer()
    servers.push(next)
    await adapter.createUser(user)
    const administrator = await connect(server.url)
    await administrator?.sendCommand(['REPLICAOF', '127.0.0.1', String(next.port)])
    administrator?.destroy()
    proxy.moveTo(next.port)
    const reads = Promise.all(Array.from({ length: 50 }, () => adapter.getUser('ada')))
    const refusal = await failureOf(adapter.createUser({ ...user, id: 'bob', email: 'bob@x.example' }))
    expect(String((refusal.cause as { err?: Error } | undefined)?.err?.message)).to.match(/READONLY|MASTERDOWN/)
    await reads
    await adapter.createUser({ ...user, id: 'bob', email: 'bob@x.example' })
    await eventually(async () => expect(proxy.openConnections).to.equal(1))
    await adapter.close()
  })

  for (const every of [0, 20]) {
    const traffic = every === 0 ? 'idle' : 'in steady use'
    it(`fails calls in time when its connection dies without a word, and works by itself afterwards: ${traffic}`, async () => {
      const { adapter } = await open()
      await adapter.createUser(user)
      proxy.swallow()
      const background: Promise<unknown>[] = []
      const use = () => void background.push(timely(outcomeOf(adapter.getUser('ada'))))
      const timer = every === 0 ? undefined : setInterval(use, every)
      const calls = Array.from({ length: 60 }, () => outcomeOf(adapter.getUser('ada')))
      for (const error of await timely(Promise.all(calls))) expect(error).to.be.instanceOf(AdapterError)
      await pause(every === 0 ? 0 : LIMIT_S * 1000 + 400)
      proxy.forward()
      // A connection that was begun in the silence must be given up first.
      await eventually(async () => expect(await outcomeOf(adapter.getUser('ada'))).to.deep.equal(user))
      clearInterval(timer)
      await Promise.all(background)
      await eventually(async () => expect(proxy.openConnections).to.equal(1))
      await adapter.close()
    })
  }

  it('fails calls at once while the server is away, and works when it is back', async () => {
    const { adapter, server } = await open()
    await adapter.createSession({ sessionToken: 'one', userId: 'ada', expires: new Date(Date.now() + 60_000) })
    await server.stop()
    for (let call = 0; call < 5; call += 1) {
      const error = await timely(failureOf(adapter.getSession('one')))
      expect(error).to.be.instanceOf(AdapterError)
    }
    servers.push(await startServer([], server.port))
    await eventually(async () => expect(await outcomeOf(adapter.getSession('one'))).to.equal(null))
    await adapter.close()
  })

  it('ends in time on a dead connection', async () => {
    const { adapter } = await open()
    await adapter.getUser('ada')
    proxy.swallow()
    await timely(adapter.close())
  })

  it('keeps the values of rows out of its errors', async () => {
    const { adapter } = await open()
    await adapter.getUser('ada')
    proxy.swallow()
    const error = await failureOf(adapter.getUserByEmail('lovelace@example.com'))
    const place = `Redis at 127.0.0.1:${proxy.port}`
    expect(error.message).to.match(
      new RegExp(`^${place} gave no answer to \\w+ within 0.9 seconds \\(commandTimeout\\).$`),
    )
    await pause(150)
    const { message } = await failureOf(adapter.getUser('ada'))
    expect(message).to.equal(`${place} could not be reached within 0.9 seconds.`)
  })

  it('refuses what is no server', () => {
    for (const [server, options] of [
      [{ url: 'postgres://h' }, {}],
      [{ url: 5 }, {}],
      [{ url: REDIS_URL, client: 'quick' }, {}],
      [{ url: REDIS_URL }, { commandTimeout: 0 }],
      [{ url: REDIS_URL }, { commandTimeout: '5' }],
      [{}, {}],
    ]) {
      expect(() => redisAdapter(server as never, options as never), JSON.stringify(server)).to.throw(
        InvalidConfiguration,
      )
    }
  })

  it('takes options of the client', async () => {
    const { server } = await open()
    const adapter = redisAdapter({ url: server.url, client: { name: 'shop', socket: { noDelay: true } } })
    await adapter.getUser('ada')
    const outside = await connect(server.url)
    expect((await outside?.clientList())?.map(({ name }) => name)).to.include('shop')
    outside?.destroy()
    await adapter.close()
  })
})

describe('redisAdapter({ url }) in the adapter suite', () => {
  const prefix = `latchkey-test-${randomBytes(6).toString('hex')}:`
  const adapter = redisAdapter({ url: REDIS_URL }, { prefix })

  before(async function () {
    const client = await connect(REDIS_URL)
    if (!client) return skipSuite(this, `no Redis at ${REDIS_URL}`)
    client.destroy()
  })
  after(async () => {
    await adapter.close()
    const client = await connect(REDIS_URL)
    for await (const keys of client?.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 }) ?? []) {
      if (keys.length > 0) await client?.unlink(keys)
    }
    client?.destroy()
  })

  describeAdapter('redisAdapter({ url })', { runner: FEW_ROWS, create: () => adapter })
})
