import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, authSession, getSession, InvalidConfiguration, type JWT } from '../../lib/index.js'
import { decode, encode, getToken } from '../../lib/jwt/index.js'
import { ADA, type Running, SECRET, startApp, testConfig } from '../support/app.js'
import { failureOf } from '../support/failure.js'
import { SystemClock } from '../support/session-checks.js'
import { SESSION } from '../support/test-app.js'
import { forge } from '../support/tokens.js'
import type { Visitor } from '../support/visitor.js'

const SECURE = `__Secure-${SESSION}`
const clock = new SystemClock()

describe('getToken(req, config)', () => {
  const running: Running[] = []
  before(() => clock.install())
  beforeEach(() => clock.restart())
  afterEach(() => Promise.all(running.splice(0).map((app) => app.close())))
  after(() => clock.uninstall())

  /** An application whose route tells what getToken and getSession see of a request. */
  async function open(more: Partial<AuthConfig> = {}) {
    const config = testConfig(more)
    const app = await startApp(config, (express) => {
      express.get('/token', async (req, res) => res.json(await getToken(req, config)))
      express.get('/session', async (req, res) => res.json(await getSession(req, config)))
      express.get('/renewed', authSession(config), async (req, res) => res.json(await getToken(req, config)))
    })
    running.push(app)
    const signedIn = async () => {
      const visitor = app.visitor()
      await visitor.signIn(ADA)
      return visitor
    }
    return { app, config, signedIn }
  }

  const tokenOf = async (visitor: Visitor, path = '/token') => (await visitor.get(path)).json() as JWT | null
  const headersOf = (visitor: Visitor) => ({ cookie: visitor.cookieHeader(), host: new URL(visitor.origin).host })

  it('gives the claims of the session, and not the claim of Latchkey', async () => {
    const { config, signedIn } = await open({ callbacks: { jwt: ({ token }) => ({ ...token, role: 'writer' }) } })
    const ada = await signedIn()
    const claims = await tokenOf(ada)
    expect(claims).to.include({ sub: '1815', name: 'Ada', email: 'ada@example.com', role: 'writer' })
    expect(claims).to.have.all.keys('sub', 'name', 'email', 'picture', 'role', 'iat', 'exp', 'jti')
    const token = ada.jar.get(SESSION) ?? ''
    expect(await decode({ token, secret: SECRET, salt: SESSION }), 'it is there').to.include.keys('latchkey')
    expect(await getToken({ req: { headers: headersOf(ada) }, secret: SECRET })).to.deep.equal(claims)
    expect(await getToken({ headers: headersOf(ada) }, config)).to.deep.equal(claims)
  })

  it('has no claim latchkey, also if the jwt callback gives one', async () => {
    const { signedIn } = await open({ callbacks: { jwt: ({ token }) => ({ ...token, latchkey: { id: 'mine' } }) } })
    expect(await tokenOf(await signedIn()))
      .to.include({ sub: '1815' })
      .and.not.have.property('latchkey')
  })

  it('takes every form of a request', async () => {
    const { app, config, signedIn } = await open()
    const headers = headersOf(await signedIn())
    const requests = {
      Request: new Request(app.origin, { headers }),
      Headers: { headers: new Headers(headers) },
      record: { headers },
      'record with lists': { headers: { cookie: [headers.cookie], host: headers.host, 'set-cookie': undefined } },
      'odd names': { headers: { COOKIE: headers.cookie, hOsT: headers.host } },
      'two Cookie fields': { headers: { Cookie: 'other=1', cookie: headers.cookie, host: headers.host } },
      'two Cookie fields in Headers': {
        headers: new Headers([
          ['cookie', 'other=1'],
          ['cookie', headers.cookie],
          ['host', headers.host],
        ]),
      },
    }
    for (const [form, req] of Object.entries(requests)) {
      expect(await getToken(req, config), form).to.include({ sub: '1815' })
      expect(await getToken({ req, secret: SECRET }), form).to.include({ sub: '1815' })
    }
    expect(await getToken({ headers: { host: headers.host } }, config), 'nobody').to.equal(null)
  })

  it('takes a function that gives the configuration for a request', async () => {
    const { config, signedIn } = await open()
    const req = { headers: { ...headersOf(await signedIn()), tenant: 'acme' } }
    const tenants: Record<string, AuthConfig> = { acme: config }
    const of = ({ headers }: typeof req) => tenants[headers.tenant] ?? testConfig({ secret: 'x'.repeat(40) })
    expect(await getToken(req, of)).to.include({ sub: '1815' })
  })

  it('reads the token of a WebSocket request', async () => {
    const { config, signedIn } = await open()
    const ada = await signedIn()
    const server = createServer()
    server.on('upgrade', async (req, socket) => {
      const token = await getToken(req, config)
      socket.end(
        token ? `HTTP/1.1 101 Switching Protocols\r\nname: ${token.name}\r\n\r\n` : 'HTTP/1.1 401 Unauthorized\r\n\r\n',
      )
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const upgrade = async (cookie: string) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(
        `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${cookie}\r\n`,
      )
      const [data] = await once(socket, 'data')
      socket.destroy()
      return String(data)
    }
    expect(await upgrade(`cookie: ${ada.cookieHeader()}\r\n`))
      .to.include(' 101 ')
      .and.include('name: Ada')
    expect(await upgrade(`cookie: other=1\r\ncookie: ${ada.cookieHeader()}\r\n`)).to.include(' 101 ')
    expect(await upgrade('')).to.include(' 401 ')
    const copy = ada.cookieHeader()
    await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
    expect(await upgrade(`cookie: ${copy}\r\n`), 'after the sign-out').to.include(' 401 ')
    server.close()
  })

  it('looks again at each call, because the request of a socket outlives sessions', async () => {
    const { config, signedIn } = await open()
    const ada = await signedIn()
    const req = { headers: headersOf(ada) }
    expect(await getToken(req, config)).to.include({ sub: '1815' })
    await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
    expect(await getToken(req, config)).to.equal(null)
  })

  it('is not changed by what a caller does with the claims', async () => {
    const { config, signedIn } = await open()
    const req = { headers: headersOf(await signedIn()) }
    const first = (await getToken(req, config)) ?? {}
    first['sub'] = 'somebody else'
    expect(await getToken(req, config)).to.include({ sub: '1815' })
  })

  it('finds the session of https by its own name', async () => {
    const { config } = await open({ url: 'https://app.example' })
    const token = await encode({ token: { sub: '1' }, secret: SECRET, salt: SECURE })
    for (const cookie of [`${SECURE}=${token}`, `${SESSION}=${token}; ${SECURE}=${token}`]) {
      expect(await getToken({ headers: { cookie } }, config)).to.include({ sub: '1' })
    }
    expect(await getToken({ headers: { cookie: `${SESSION}=${token}` } }, config)).to.equal(null)
  })

  it('reads tokens of an instance, which getToken without a configuration cannot', async () => {
    const { config, signedIn } = await open({ instance: 'acme' })
    const req = { headers: headersOf(await signedIn()) }
    expect(await getToken(req, config)).to.include({ sub: '1815' })
    expect(await getToken({ req, secret: SECRET })).to.equal(null)
    expect(await getToken(req, testConfig({ instance: 'other' }))).to.equal(null)
  })

  it('uses jwt.secret, and jwt.decode of the application', async () => {
    const secret = 'the secret of tokens, which is long enough too'
    const own = await open({ jwt: { secret } })
    const ada = await own.signedIn()
    expect(await tokenOf(ada)).to.include({ sub: '1815' })
    expect(await getToken({ req: { headers: headersOf(ada) }, secret: SECRET })).to.equal(null)
    const decoding = testConfig({
      jwt: { decode: ({ token }) => (token === 'good' ? { sub: '7', latchkey: 1 } : null) },
    })
    const req = (value: string) => ({ headers: { cookie: `${SESSION}=${value}`, host: 'localhost' } })
    expect(await getToken(req('good'), decoding)).to.deep.equal({ sub: '7' })
    expect(await getToken(req('bad'), decoding)).to.equal(null)
  })

  it('throws if a callback or decode fails: that does not mean that nobody is signed in', async () => {
    const fail = () => {
      throw new Error('the store is down')
    }
    const { config, signedIn } = await open()
    const req = { headers: headersOf(await signedIn()) }
    for (const more of [{ callbacks: { jwt: fail } }, { callbacks: { session: fail } }, { jwt: { decode: fail } }]) {
      expect(await failureOf(getToken(req, { ...config, ...more }))).to.have.property('name', 'JWTSessionError')
    }
    const failure = await failureOf(getToken({ req, secret: SECRET, decode: fail }))
    expect(failure).to.have.property('name', 'JWTSessionError')
    expect(failure.message).not.to.include(req.headers.cookie)
  })

  it('says that there are no tokens where sessions are in a store, also if nobody is signed in', async () => {
    const { config } = await open({ adapter: memoryAdapter() })
    const failure = await failureOf(getToken({ headers: { host: 'localhost' } }, config))
    expect(failure).to.be.instanceOf(InvalidConfiguration)
    expect(failure.message).to.include('getSession(req, config)')
  })

  it('does not believe a host that the configuration does not know', async () => {
    const config = testConfig({ hosts: ['app.example'] })
    for (const headers of [{ host: 'evil.example' }, {}, { host: 'app.example', Host: 'app.example' }]) {
      expect((await failureOf(getToken({ headers }, config))).name).to.equal('RequestRefused')
    }
    expect(await getToken({ headers: { host: 'app.example' } }, config)).to.equal(null)
  })

  describe('and getToken({ req, secret })', () => {
    it('refuse a session that was signed out in this process, with every later form of its token', async () => {
      const { config, signedIn } = await open()
      const ada = await signedIn()
      const first = ada.cookieHeader()
      clock.advance(2 * 24 * 60 * 60)
      expect(await tokenOf(ada, '/renewed')).to.include({ sub: '1815' })
      const renewed = ada.cookieHeader()
      expect(renewed).not.to.equal(first)
      const { latchkey, ...shown } =
        (await decode({ token: ada.jar.get(SESSION), secret: SECRET, salt: SESSION })) ?? {}
      expect(latchkey).to.be.an('object')
      // An application that changes claims by itself, with what decode gives.
      const again = await encode({ token: { ...shown, latchkey, role: 'writer' }, secret: SECRET, salt: SESSION })
      const copies = [first, renewed, `${SESSION}=${again}`]
      const read = (cookie: string) => {
        const req = { headers: { cookie, host: new URL(ada.origin).host } }
        return Promise.all([
          getToken(req, config),
          getToken({ req, secret: SECRET }),
          getToken({ req, secret: ['y'.repeat(40), SECRET] }),
        ])
      }
      for (const copy of copies) for (const token of await read(copy)) expect(token).to.include({ sub: '1815' })
      await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
      for (const copy of copies) expect(await read(copy)).to.deep.equal([null, null, null])
      expect(await decode({ token: again, secret: SECRET, salt: SESSION })).to.equal(null)
      expect(await getToken({ req: { headers: { cookie: first } }, secret: SECRET, raw: true })).to.equal(null)
    })

    it('refuse an expired token; only a configuration knows the absolute limit', async () => {
      const { config, signedIn } = await open({ session: { maxAge: 3600, maxLifetime: 600 } })
      const ada = await signedIn()
      const long = testConfig()
      const req = { headers: headersOf(ada) }
      expect(await getToken(req, config)).to.include({ sub: '1815' })
      const { exp = 0 } = (await getToken(req, long)) ?? {}
      expect(exp, 'the token itself ends at the limit').to.equal(clock.seconds + 600)
      const lasting = await forge({
        sub: '1',
        iat: clock.seconds,
        exp: clock.seconds + 7200,
        latchkey: { id: 'a', subject: null, authenticatedAt: clock.ms },
      })
      const forged = { headers: { cookie: `${SESSION}=${lasting}`, host: req.headers.host } }
      clock.advance(700)
      expect(await getToken(req, long), 'expired').to.equal(null)
      expect(await getToken({ req, secret: SECRET })).to.equal(null)
      expect(await getToken(forged, config), 'over its limit').to.equal(null)
      expect(await getToken({ req: forged, secret: SECRET })).to.include({ sub: '1' })
    })

    it('do not take a token from the header Authorization, in any spelling', async () => {
      const { app, config, signedIn } = await open()
      const token = (await signedIn()).jar.get(SESSION)
      const { host } = new URL(app.origin)
      for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `Bearer  ${token}`, `${token}`]) {
        const req = { headers: { authorization, host } }
        expect([await getToken(req, config), await getToken({ req, secret: SECRET })]).to.deep.equal([null, null])
        expect((await app.visitor().get('/token', { authorization })).json()).to.equal(null)
      }
    })
  })

  it('does not read a token from the query', async () => {
    const { app, signedIn } = await open()
    const token = (await signedIn()).jar.get(SESSION) ?? ''
    expect((await app.visitor().get(`/token?token=${token}&${SESSION}=${token}`)).json()).to.equal(null)
  })
})
