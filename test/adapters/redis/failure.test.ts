import { expect } from 'chai'
import { createClient } from 'redis'
import { redisAdapter } from '../../../lib/adapters/redis.js'
import { AdapterError } from '../../../lib/kernel/errors.js'
import { describeError } from '../../../lib/kernel/logger.js'
import { connect, hasRedisPrograms, type OwnServer, skipSuite, startServer } from './servers.js'

const session = {
  sessionToken: 'a-very-secret-token',
  userId: 'lovelace@example.com',
  expires: new Date(Date.now() + 60 * 60_000),
}

/** Runs a call that fails and gives its error. */
async function failureOf(call: PromiseLike<unknown> | unknown): Promise<AdapterError> {
  try {
    await call
  } catch (error) {
    expect(error).to.be.instanceOf(AdapterError)
    return error as AdapterError
  }
  throw new Error('expected a failure')
}

describe('redisAdapter() on a server that fails', () => {
  const servers: OwnServer[] = []

  before(async function () {
    if (!(await hasRedisPrograms())) return skipSuite(this, 'redis-server and redis-cli are not installed')
  })

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()))
  })

  const start = async (settings: readonly string[] = []) => {
    const server = await startServer(settings)
    servers.push(server)
    const client = await connect(server.url)
    if (!client) throw new Error('the server does not answer')
    return { server, client, adapter: redisAdapter(client) }
  }

  it('rejects when the server is gone: an outage is never "no session"', async () => {
    const { server, adapter } = await start()
    await adapter.createSession(session)
    await server.stop()
    const error = await failureOf(adapter.getSessionAndUser(session.sessionToken))
    expect(error.message).to.equal('Redis failed at getSessionAndUser().')
    expect(error.cause).to.include({ method: 'getSessionAndUser' })
    expect(error.cause?.err).to.be.instanceOf(Error)
  })

  it('works again when the server is back, with the same client', async () => {
    const server = await startServer()
    servers.push(server)
    // As docs/guides/redis.md has it: calls fail at once while the server is away, and are not kept for later.
    const client = createClient({ url: server.url, disableOfflineQueue: true, socket: { reconnectStrategy: 20 } })
    client.on('error', () => undefined)
    await client.connect()
    const adapter = redisAdapter(client)
    await adapter.createSession(session)
    await server.stop()
    await failureOf(adapter.getSession(session.sessionToken))
    await failureOf(adapter.deleteSession(session.sessionToken))
    const ready = new Promise((resolve) => client.once('ready', resolve))
    servers.push(await startServer([], server.port))
    await ready
    await adapter.createSession(session)
    expect(await adapter.getSession(session.sessionToken)).to.deep.equal(session)
    client.destroy()
  })

  it('keeps the values of rows out of what is logged', async () => {
    // Of a command that it does not know, Redis repeats the arguments.
    const { adapter, client } = await start(['--rename-command', 'EVALSHA', ''])
    const error = await failureOf(adapter.createSession(session))
    const log = describeError(error)
    expect(log).to.match(/unknown command/i)
    expect(log).not.to.include(session.sessionToken).and.not.to.include('lovelace')
    client.destroy()
  })

  it('says so when the memory of the server is full, and stores nothing', async () => {
    const { adapter, client } = await start(['--maxmemory', '1', '--maxmemory-policy', 'noeviction'])
    const error = await failureOf(adapter.createSession(session))
    expect(error.cause?.err?.message).to.match(/OOM|maxmemory/)
    expect(await adapter.getSession(session.sessionToken)).to.equal(null)
    client.destroy()
  })

  it('refuses text that is not well-formed, without asking the server', async () => {
    const { adapter, client } = await start()
    const error = await failureOf(adapter.getUserByEmail('\ud800@example.com'))
    expect(error.message).to.equal('A value to look up is not well-formed Unicode.')
    client.destroy()
  })
})
