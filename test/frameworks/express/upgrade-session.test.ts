import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import express from 'express'
import { Server as SocketServer } from 'socket.io'
import { io } from 'socket.io-client'
import { WebSocket, WebSocketServer } from 'ws'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import {
  type AuthConfig,
  expressAuth,
  InvalidConfiguration,
  type Session,
  type UpgradeOptions,
  upgradeSession,
} from '../../../lib/index.js'
import { ADA, createLog, listen, type Running, testConfig } from '../../support/app.js'
import { failureOf } from '../../support/failure.js'
import { inAHurry } from '../../support/timers.js'
import { forge } from '../../support/tokens.js'
import { untyped } from '../../support/untyped.js'
import type { Visitor } from '../../support/visitor.js'

const REASONS: Readonly<Record<number, string>> = { 401: 'Unauthorized', 403: 'Forbidden', 503: 'Service Unavailable' }

/** An application whose WebSockets say who is there, and are closed when the session ends. */
async function startSockets(config: AuthConfig | ((req: IncomingMessage) => AuthConfig), options?: UpgradeOptions) {
  const server = express()
  server.use('/auth', expressAuth(config))
  const app = await listen(server)
  const sockets = new WebSocketServer({ noServer: true })
  app.server.on('upgrade', async (req, socket, head) => {
    const { status, session, signal } = await watched(upgradeSession(req, config, options))
    if (session === null) {
      socket.end(`HTTP/1.1 ${status} ${REASONS[status]}\r\nConnection: close\r\n\r\n`)
      return
    }
    sockets.handleUpgrade(req, socket, head, (connection) => {
      signal?.addEventListener('abort', () => connection.close(4401, signal.reason.message))
      connection.send(`Hello ${session.user?.name}`)
    })
  })
  return {
    ...app,
    async close() {
      for (const connection of sockets.clients) connection.terminate()
      await app.close()
    },
  }
}

/** The members of both answers. */
async function watched(answer: ReturnType<typeof upgradeSession>) {
  const upgrade = await answer
  return upgrade.status === 101 ? upgrade : { ...upgrade, signal: null }
}

/** What the server says to a handshake: the first message, or the status of the refusal. */
async function handshake(app: Running, visitor: Visitor, headers: Record<string, string> = { origin: app.origin }) {
  const socket = new WebSocket(`${app.origin.replace('http', 'ws')}/live`, {
    headers: { cookie: visitor.cookieHeader(), ...headers },
  })
  return new Promise<{ socket: WebSocket; said: string | number }>((resolve, reject) => {
    socket.once('message', (data) => resolve({ socket, said: data.toString() }))
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy()
      resolve({ socket, said: statusCode })
    })
    socket.once('error', reject)
  })
}

describe('upgradeSession', () => {
  // A check each second is fifty then.
  inAHurry()
  let app: Running
  const start = async (...args: Parameters<typeof startSockets>) => {
    app = await startSockets(...args)
    return app.visitor()
  }
  const signedIn = async (config: AuthConfig = testConfig(), options?: UpgradeOptions) => {
    const ada = await start(config, options)
    await ada.signIn(ADA)
    return ada
  }
  afterEach(() => app.close())

  it('gives the session to a WebSocket of a page of the application', async () => {
    const ada = await signedIn()
    const { socket, said } = await handshake(app, ada)
    expect(said).to.equal('Hello Ada')
    socket.terminate()
  })

  it('refuses visitors who are not signed in, with 401', async () => {
    const nobody = await start(testConfig())
    expect((await handshake(app, nobody)).said).to.equal(401)
    expect((await handshake(app, nobody, { origin: app.origin, cookie: 'authjs.session-token=x' })).said).to.equal(401)
  })

  it('refuses pages of other sites, though the browser sends the cookies (cross-site WebSocket hijacking)', async () => {
    const ada = await signedIn()
    const { host, port } = new URL(app.origin)
    for (const origin of [
      'https://evil.example',
      `https://${host}`,
      `${app.origin}.evil.example`,
      `${app.origin}:80`,
      `http://127.0.0.1:${Number(port) + 1}`,
      `${app.origin}/`,
      `${app.origin}@evil.example`,
      app.origin.toUpperCase(),
      'null',
      '',
      'file://',
    ]) {
      expect((await handshake(app, ada, { origin })).said, origin).to.equal(403)
    }
    expect((await handshake(app, ada, {})).said, 'no Origin').to.equal(403)
    expect((await handshake(app, ada, { 'sec-websocket-origin': app.origin })).said).to.equal(403)
  })

  it('accepts further origins, and these exactly', async () => {
    const ada = await signedIn(testConfig(), { origins: ['https://admin.example', 'http://localhost:5173'] })
    for (const origin of ['https://admin.example', 'http://localhost:5173', app.origin]) {
      const { socket, said } = await handshake(app, ada, { origin })
      expect(said, origin).to.equal('Hello Ada')
      socket.terminate()
    }
    for (const origin of ['http://admin.example', 'https://admin.example:8443', 'http://localhost:5174']) {
      expect((await handshake(app, ada, { origin })).said, origin).to.equal(403)
    }
  })

  for (const strategy of ['jwt', 'database'] as const) {
    it(`closes the connection soon after the sign-out, with ${strategy} sessions, and no other connection`, async () => {
      const adapter = memoryAdapter()
      await adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', emailVerified: null })
      const config = testConfig(strategy === 'jwt' ? {} : { adapter, session: { strategy } })
      const ada = await signedIn(config, { checkEvery: 1 })
      const elsewhere = app.visitor()
      await elsewhere.signIn(ADA)
      const { socket } = await handshake(app, ada)
      const other = await handshake(app, elsewhere)
      const closed = once(socket, 'close')
      await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
      const [code, reason] = await closed
      expect([code, String(reason)]).to.deep.equal([4401, 'The session of this connection has ended.'])
      expect(other.socket.readyState).to.equal(WebSocket.OPEN)
      expect((await handshake(app, ada)).said).to.equal(401)
      other.socket.terminate()
    })
  }

  it('closes the connection when the session expires, also if the next check is far away', async () => {
    const ada = await start(testConfig(), { checkEvery: 3600 })
    // A token counts for 15 seconds after its expiry, because clocks differ.
    const seconds = Math.floor(Date.now() / 1000)
    const token = await forge({
      sub: '1815',
      name: 'Ada',
      iat: seconds - 60,
      exp: seconds - 13,
      jti: crypto.randomUUID(),
    })
    const { socket, said } = await handshake(app, ada, { origin: app.origin, cookie: `authjs.session-token=${token}` })
    expect(said).to.equal('Hello Ada')
    expect((await once(socket, 'close'))[0]).to.equal(4401)
  })

  it('opens nothing while the store is down, and closes what is open; the log has it, and no cookie', async () => {
    const log = createLog()
    const adapter = memoryAdapter()
    await adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', emailVerified: null })
    let isDown = false
    const breaking = {
      ...adapter,
      getSessionAndUser(token: string) {
        if (isDown) throw new Error(`no connection for ${token}`)
        return adapter.getSessionAndUser(token)
      },
    }
    const config = testConfig({ adapter: breaking, session: { strategy: 'database' }, logger: log.logger })
    const ada = await signedIn(config, { checkEvery: 1 })
    const { socket } = await handshake(app, ada)
    const closed = once(socket, 'close')
    isDown = true
    expect((await handshake(app, ada)).said).to.equal(503)
    expect(String((await closed)[1])).to.equal('The session of this connection could not be checked.')
    expect(log.errors.map(({ name }) => name)).to.include('SessionTokenError')
    const cookie = ada.jar.get('authjs.session-token') ?? ''
    expect(JSON.stringify(log.errors.map(({ message, stack }) => [message, stack]))).to.not.include(cookie)
    isDown = false
    const again = await handshake(app, ada)
    expect(again.said).to.equal('Hello Ada')
    again.socket.terminate()
  })

  it('closes the connection if a callback never answers: nobody would check it any more', async () => {
    const log = createLog()
    let hangs = false
    const config = testConfig({
      logger: log.logger,
      storeTimeout: 1,
      callbacks: { session: ({ session }) => (hangs ? new Promise(() => {}) : session) },
    })
    const ada = await signedIn(config, { checkEvery: 1 })
    const { socket } = await handshake(app, ada)
    hangs = true
    const [code, reason] = await once(socket, 'close')
    expect([code, String(reason)]).to.deep.equal([4401, 'The session of this connection could not be checked.'])
    expect(log.errors.map(({ message }) => message)).to.deep.equal([
      'The check of the session of a connection takes too long.',
    ])
  })

  it('stops checking when the connection closes', async () => {
    const reads: (string | null | undefined)[] = []
    let noticed = () => {}
    const session = ({ session }: { session: Session }) => {
      reads.push(session.user?.name)
      noticed()
    }
    await start(testConfig({ events: { session } }), { checkEvery: 1 })
    const open = async (name: string) => {
      const request = once(app.server, 'upgrade')
      const cookie = `authjs.session-token=${await forge({ sub: name, name })}`
      const { socket } = await handshake(app, app.visitor(), { origin: app.origin, cookie })
      const [req] = (await request) as [IncomingMessage]
      return { socket, gone: once(req.socket, 'close') }
    }
    const ada = await open('Ada')
    const bob = await open('Bob')
    ada.socket.terminate()
    await ada.gone
    reads.length = 0
    await new Promise<void>((resolve) => {
      noticed = () => (reads.filter((name) => name === 'Bob').length === 2 ? resolve() : undefined)
    })
    expect(reads).to.deep.equal(['Bob', 'Bob'])
    bob.socket.terminate()
  })

  it('survives a client that leaves during the check, and a function that gives no configuration', async () => {
    const log = createLog()
    const config = testConfig({ logger: log.logger, callbacks: { session: ({ session }) => gate.then(() => session) } })
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    app = await startSockets((req) => {
      if (req.headers['x-tenant'] === 'unknown') throw new Error('There is no such tenant.')
      return config
    })
    const ada = app.visitor()
    const cookie = `authjs.session-token=${await forge({ sub: '1815', name: 'Ada' })}`
    expect((await handshake(app, ada, { origin: app.origin, 'x-tenant': 'unknown' })).said).to.equal(503)

    const upgrade = once(app.server, 'upgrade')
    const { port } = new URL(app.origin)
    const raw = connect(Number(port), '127.0.0.1')
    raw.write(
      `GET /live HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${app.origin}\r\nCookie: ${cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    )
    const [{ socket }] = (await upgrade) as [IncomingMessage]
    const gone = new Promise((resolve) => socket.once('close', resolve))
    raw.resetAndDestroy()
    await gone
    open()
    const next = await handshake(app, ada, { origin: app.origin, cookie })
    expect(next.said).to.equal('Hello Ada')
    next.socket.terminate()
  })

  it('works with Socket.IO', async () => {
    const config = testConfig()
    const server = express()
    server.use('/auth', expressAuth(config))
    app = await listen(server)
    const sockets = new SocketServer(app.server, {
      transports: ['websocket'],
      allowRequest: (req, decide) => {
        upgradeSession(req, config, { checkEvery: 1 }).then((upgrade) => {
          Object.assign(req, { upgrade })
          decide(null, upgrade.status === 101)
        })
      },
    })
    sockets.on('connection', (socket) => {
      const { upgrade } = socket.request as IncomingMessage & { upgrade: Awaited<ReturnType<typeof upgradeSession>> }
      if (upgrade.status !== 101) throw new Error('Socket.IO connected a refused request.')
      upgrade.signal.addEventListener('abort', () => socket.disconnect(true))
      socket.emit('hello', upgrade.session.user?.name)
    })
    const ada = app.visitor()
    const dial = (headers: Record<string, string>) =>
      io(app.origin, { transports: ['websocket'], reconnection: false, forceNew: true, extraHeaders: headers })
    const said = async (headers: Record<string, string>) => {
      const client = dial(headers)
      const words = await Promise.race([
        new Promise<string>((resolve) => client.once('hello', resolve)),
        new Promise<string>((resolve) => client.once('connect_error', () => resolve('refused'))),
      ])
      return { client, words }
    }
    expect((await said({ origin: app.origin })).words).to.equal('refused')
    await ada.signIn(ADA)
    const cookie = ada.cookieHeader()
    expect((await said({ origin: 'https://evil.example', cookie })).words).to.equal('refused')
    const { client, words } = await said({ origin: app.origin, cookie })
    expect(words).to.equal('Ada')
    const left = new Promise<string>((resolve) => client.once('disconnect', resolve))
    await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
    expect(await left).to.equal('io server disconnect')
    await sockets.close()
  })

  it('opens no Socket.IO connection over long polling: it would outlive the socket, and the sign-out', async () => {
    const config = testConfig()
    const server = express()
    server.use('/auth', expressAuth(config))
    app = await listen(server)
    const said: number[] = []
    const sockets = new SocketServer(app.server, {
      allowRequest: (req, decide) => {
        upgradeSession(req, config).then(({ status }) => {
          said.push(status)
          decide(null, status === 101)
        })
      },
    })
    const ada = app.visitor()
    await ada.signIn(ADA)
    const { port } = new URL(app.origin)
    for (const more of ['', 'Upgrade: websocket\r\n', 'Upgrade: websocket\r\nConnection: not-upgrade\r\n']) {
      const raw = connect(Number(port), '127.0.0.1')
      raw.write(
        `GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${app.origin}\r\nCookie: ${ada.cookieHeader()}\r\n${more}Connection: close\r\n\r\n`,
      )
      const [answer] = await once(raw, 'data')
      expect(String(answer), more).to.match(/^HTTP\/1\.1 403 /)
      raw.destroy()
    }
    expect(said).to.deep.equal([403, 403, 403])
    await sockets.close()
  })

  it('fails with options that are unknown or of a wrong type', async () => {
    await start(testConfig())
    const request = untyped<IncomingMessage>({ headers: {}, socket: {} })
    for (const [options, says] of [
      [{ origin: 'https://app.example' }, 'Did you mean `origins`?'],
      [{ origins: 'https://app.example' }, '`origins` is'],
      [{ origins: ['https://app.example/'] }, '`origins[0]` is'],
      [{ origins: ['*'] }, '`origins[0]` is'],
      [{ origins: ['null'] }, '`origins[0]` is'],
      [{ origins: [undefined] }, '`origins[0]` is'],
      [{ checkEvery: 0 }, '`checkEvery` is'],
      [{ checkEvery: Number.POSITIVE_INFINITY }, '`checkEvery` is'],
      ['https://app.example', 'are a string'],
    ] as const) {
      const error = await failureOf(upgradeSession(request, testConfig(), untyped(options)))
      expect(error, says).to.be.instanceOf(InvalidConfiguration).with.property('message').that.contains(says)
    }
  })
})
