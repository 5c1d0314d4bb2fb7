import { expect } from 'chai'
import express, { type Express } from 'express'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import {
  Auth,
  type AuthConfig,
  expressAuth,
  getSession,
  type LogContext,
  requireAuth,
  updateSession,
} from '../../lib/index.js'
import { createLog, listen, passwords, type Running, testConfig } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { registering } from '../support/sign-ins.js'

const fail = () => {
  throw new Error('down')
}

/** All sessions that are read from a store are over. */
function endSessions(adapter: ReturnType<typeof memoryAdapter>): void {
  const { getSessionAndUser } = adapter
  adapter.getSessionAndUser = async (token) => {
    const found = await getSessionAndUser(token)
    return found && { ...found, session: { ...found.session, expires: new Date(0) } }
  }
}

describe('the context of a log line', () => {
  let app: Running
  let log: ReturnType<typeof createLog>
  afterEach(() => app.close())

  async function start(
    options: Partial<AuthConfig> = {},
    extend: (server: Express, config: AuthConfig) => void = () => {},
  ) {
    log = createLog()
    const config = testConfig({ logger: log.logger, ...options })
    const server = express().set('trust proxy', 'loopback').set('env', 'test')
    server.use((req, _res, next) => {
      Object.assign(req, { id: `id of ${req.method}` })
      next()
    })
    server.use('/auth', expressAuth(config))
    extend(server, config)
    app = await listen(server)
    return app.visitor()
  }
  const last = () => log.contexts.at(-1)

  it('says who was refused where: a wrong password, with request id and network', async () => {
    const visitor = await start({
      logging: { repeatInterval: 0, requestId: (req: express.Request & { id?: string }) => req.id, network: true },
    })
    const csrfToken = await visitor.csrfToken()
    await visitor.post('/auth/callback/credentials?x=secret', { csrfToken }, { 'x-forwarded-for': '203.0.113.9' })
    expect(log.infos.map(({ name }) => name)).to.deep.equal(['CredentialsSignin'])
    expect(last()).to.deep.equal({
      method: 'POST',
      path: '/auth/callback/credentials',
      action: 'callback',
      provider: 'credentials',
      requestId: 'id?of?POST',
      network: '203.0.113.0/24',
    })
  })

  it('is there for an unknown action, a missing CSRF token, and a form of another site', async () => {
    const visitor = await start()
    await visitor.get('/auth/nothing')
    expect(last()).to.deep.equal({ method: 'GET', path: '/auth/nothing' })
    await visitor.post('/auth/signout', {})
    expect(last()).to.deep.equal({ method: 'POST', path: '/auth/signout', action: 'signout' })
    await visitor.post('/auth/signout', {}, { origin: 'https://evil.example' })
    expect(log.warnings).to.deep.equal(['cross-site-post'])
    expect(log.contexts.at(-2)).to.deep.equal(last())
    expect(log.infos).to.have.length(3)
  })

  it('reaches the parts that know nothing of requests: events, and rows of a store, after they waited', async () => {
    const adapter = memoryAdapter()
    const visitor = await start({
      adapter,
      providers: [registering(adapter)],
      session: { strategy: 'database', updateAge: 0 },
      events: { signIn: async () => fail() },
    })
    await visitor.signIn({ email: 'ada@example.com' })
    expect(last()).to.deep.equal({
      method: 'POST',
      path: '/auth/callback/credentials',
      action: 'callback',
      provider: 'credentials',
    })
    endSessions(adapter)
    adapter.deleteSession = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return fail()
    }
    await visitor.get('/auth/session')
    expect(log.errors.at(-1)?.message).to.equal('An expired session could not be deleted.')
    expect(last()).to.deep.equal({ method: 'GET', path: '/auth/session', action: 'session' })
  })

  it('is of the request that it happened in, where many are under way', async () => {
    const visitor = await start(
      {
        callbacks: {
          authorized: async ({ request }) => {
            await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
            return fail.call(request)
          },
        },
      },
      (server, config) => server.use(requireAuth(config)),
    )
    const paths = Array.from({ length: 20 }, (_, index) => `/inside/p${index}`)
    await Promise.all(paths.map((path) => visitor.get(path)))
    expect(log.contexts.map((context) => context?.path).sort()).to.deep.equal(paths.sort())
  })

  it('is there for guards, getSession and updateSession', async () => {
    const adapter = memoryAdapter()
    const visitor = await start(
      { adapter, providers: [registering(adapter)], session: { strategy: 'database', updateAge: 0 } },
      (server, config) => {
        server.get('/guarded', requireAuth(config), (_req, res) => void res.end())
        server.get('/read', async (req, res) => void res.json(await getSession(req, config)))
        server.post('/write', async (req, res) => void res.json(await updateSession(req, res, config, {})))
      },
    )
    await visitor.signIn({ email: 'ada@example.com' })
    // The visitor's own are deleted with the answer.
    const cookie = [...visitor.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    endSessions(adapter)
    adapter.deleteSession = async () => fail()
    await visitor.get('/guarded', { cookie })
    expect(last()).to.deep.equal({ method: 'GET', path: '/guarded' })
    await visitor.post('/write', {}, { cookie })
    expect(last()).to.deep.equal({ method: 'POST', path: '/write' })
    adapter.getSessionAndUser = async () => fail()
    expect((await visitor.get('/guarded', { cookie })).status).to.equal(503)
    expect([log.errors.at(-1)?.name, last()]).to.deep.equal(['SessionTokenError', { method: 'GET', path: '/guarded' }])
  })

  it('is there where a configuration cannot work, without what its options would read', async () => {
    log = createLog()
    const broken = { providers: [], secret: '', logger: log.logger, logging: { requestId: 'cookie' } }
    app = await listen(express().use('/auth', expressAuth((() => broken) as never)))
    await app.visitor().get('/auth/signin', { cookie: 'a=secret' })
    expect(last()).to.deep.equal({ method: 'GET', path: '/auth/signin' })
  })

  it('is there for web requests', async () => {
    app = await listen(express())
    log = createLog()
    const config = testConfig({ logger: log.logger, logging: { requestId: 'x-request-id' } })
    await Auth(
      new Request('http://localhost/auth/callback/credentials', { method: 'POST', headers: { 'x-request-id': 'r-1' } }),
      config,
    )
    const expected: LogContext = {
      method: 'POST',
      path: '/auth/callback/credentials',
      action: 'callback',
      provider: 'credentials',
      requestId: 'r-1',
    }
    expect(last()).to.deep.equal(expected)
  })
})

describe('the level of what a provider says', () => {
  let app: Running
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  const answered = async (change: (params: URLSearchParams) => void) => {
    const log = createLog()
    const oidc = {
      id: 'oidc',
      name: 'OIDC',
      type: 'oidc',
      issuer: idp.issuer,
      clientId: 'client',
      clientSecret: 'secret',
    } as const
    app = await listen(
      express().use('/auth', expressAuth(testConfig({ providers: [oidc, passwords], logger: log.logger }))),
    )
    const visitor = app.visitor()
    const { location } = await visitor.post('/auth/signin/oidc', { csrfToken: await visitor.csrfToken() })
    const params = idp.authorize(location?.href ?? '')
    change(params)
    await visitor.get(`/auth/callback/oidc?${params}`)
    await app.close()
    expect(log.errors).to.have.length(1)
    expect(log.contexts.at(-1)?.provider, log.errors[0]?.message).to.equal('oidc')
    const [{ name = '', message = '' } = {}] = log.errors
    return { level: log.infos.length === 1 ? 'info' : 'error', name, message }
  }
  const answeredWith = (error: string) =>
    answered((params) => {
      params.delete('code')
      params.set('error', error)
    })

  it('is info for what a person can choose there, and for what is in no standard: anybody can write it', async () => {
    for (const code of ['access_denied', 'login_required', 'request_forbidden', '__proto__', 'constructor', 'a\nb']) {
      const { level, name } = await answeredWith(code)
      expect([level, name], code).to.deep.equal(['info', 'OAuthCallbackError'])
    }
  })

  it('is info for an answer that cannot be one: another issuer, a JWT, nothing', async () => {
    const forged: Record<string, (params: URLSearchParams) => void> = {
      'another issuer': (params) => params.set('iss', 'https://evil.example'),
      'a JWT': (params) => params.set('response', 'e30.e30.'),
      'neither code nor error': (params) => params.delete('code'),
    }
    for (const [what, change] of Object.entries(forged)) expect((await answered(change)).level, what).to.equal('info')
  })

  it('is error where the provider itself says it, at the token endpoint', async () => {
    idp.faults.token = () => ({ status: 401, body: { error: 'invalid_client' } })
    const { level, name } = await answered(() => {})
    idp.reset()
    expect([level, name]).to.deep.equal(['error', 'CallbackRouteError'])
  })
})

describe('logging.requestId', () => {
  it('is refused where it names a header that holds a secret', () => {
    const start = (requestId: string) => () => expressAuth(testConfig({ logging: { requestId } }))
    for (const name of [
      'Cookie',
      'authorization',
      'Proxy-Authorization',
      'X-CSRF-Token',
      'x-api-key',
      'X-Session-Id',
    ]) {
      expect(start(name), name).to.throw(/logging\.requestId.*has a secret/)
    }
    for (const name of ['', 'a b', 'a:b', 'a\nb']) expect(start(name), name).to.throw(/must be the name of a header/)
    expect(start('X-Request-Id')).to.not.throw()
  })
})
