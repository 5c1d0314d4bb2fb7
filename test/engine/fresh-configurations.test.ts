import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { Auth, type AuthConfig, expressAuth, getSession, type MiddlewareRequest, requireAuth } from '../../lib/index.js'
import { ADA, createLog, listen, passwords, type Running, testConfig } from '../support/app.js'
import { withEnv } from '../support/env.js'
import { FakeProvider } from '../support/fake-provider.js'
import { oauth } from '../support/sign-ins.js'
import { SESSION } from '../support/test-app.js'

/** An app whose configuration is a function. */
async function start(configOf: (req: MiddlewareRequest) => AuthConfig): Promise<Running> {
  const app = express()
  app.use('/auth', expressAuth(configOf))
  app.get('/private', requireAuth(configOf), (_req, res) => res.json(res.locals['session']))
  app.get('/peek', async (req, res) => res.json(await getSession(req, configOf)))
  return listen(app)
}

describe('a configuration function that gives a fresh object for each request', () => {
  let idp: FakeProvider
  let app: Running
  before(async () => {
    idp = await FakeProvider.start()
    const adapter = memoryAdapter()
    app = await start(() =>
      testConfig({
        adapter,
        // Not that of the configurations below, which would be a warning of its own.
        secret: 'the secret of the store, long enough for all',
        providers: [passwords, oauth(idp, 'oidc')],
        session: { strategy: 'jwt' },
      }),
    )
  })
  after(async () => {
    await app.close()
    await idp.stop()
  })

  it('LOGOUT-02: knows that a token was signed out', async () => {
    const ada = app.visitor()
    await ada.signIn(ADA)
    const thief = ada.copy()
    expect((await thief.get('/private')).status).to.equal(200)
    await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
    expect((await thief.get('/private')).status).to.equal(401)
    expect((await thief.get('/peek')).json()).to.equal(null)
  })

  it('TOK-07: takes the answer of a provider once', async () => {
    const ada = app.visitor()
    const { location } = await ada.post('/auth/signin/oidc', { csrfToken: await ada.csrfToken() })
    const thief = ada.copy()
    const comesIn = async (visitor: typeof ada) => {
      // A code of its own each time, so that it is not the provider who refuses.
      await visitor.get(`/auth/callback/oidc?${idp.authorize(location?.href ?? '')}`)
      return visitor.jar.has(SESSION)
    }
    expect([await comesIn(ada), await comesIn(thief)]).to.deep.equal([true, false])
  })
})

describe('the warning of configurations that are made anew', () => {
  const warningsOf = async (
    configOf: (log: ReturnType<typeof createLog>) => (req: MiddlewareRequest) => AuthConfig,
  ) => {
    const log = createLog()
    const app = await start(configOf(log))
    try {
      const visitor = app.visitor()
      for (let n = 0; n < 30; n += 1) await visitor.get(n % 2 === 0 ? '/peek' : '/auth/session')
      return log.warnings
    } finally {
      await app.close()
    }
  }

  it('comes once, when nothing but fresh objects came for a while', async () => {
    const warnings = await warningsOf(
      ({ logger }) =>
        () =>
          testConfig({ logger }),
    )
    expect(warnings).to.deep.equal(['fresh-configurations'])
  })

  it('comes with Auth(), too', async () => {
    const log = createLog()
    const configOf = () => testConfig({ logger: log.logger, trustHost: true })
    for (let n = 0; n < 30; n += 1) await Auth(new Request('http://app.example/auth/session'), configOf)
    expect(log.warnings).to.deep.equal(['fresh-configurations'])
  })

  it('comes for a copy of the configuration in each call of getSession', async () => {
    const log = createLog()
    const config = testConfig({ logger: log.logger })
    const app = express()
    app.use('/auth', expressAuth(config))
    app.get('/peek', async (req, res) => res.json(await getSession(req, { ...config })))
    const running = await listen(app)
    try {
      for (let n = 0; n < 30; n += 1) await running.visitor().get('/peek')
      expect(log.warnings).to.deep.equal(['fresh-configurations'])
    } finally {
      await running.close()
    }
  })

  it('does not come for a function that gives the same objects, of however many tenants', async () => {
    expect(
      await warningsOf(({ logger }) =>
        (
          (config) => () =>
            config
        )(testConfig({ logger })),
      ),
    ).to.deep.equal([])
    let n = 0
    const tenants = await warningsOf(({ logger }) => {
      const all = Array.from({ length: 15 }, () => testConfig({ logger }))
      return () => all[n++ % all.length] ?? testConfig()
    })
    expect(tenants).to.deep.equal([])
  })

  it('does not come for tenants that are first seen one after the other, each with a secret of its own', async () => {
    let n = 0
    const warnings = await warningsOf(
      ({ logger }) =>
        () =>
          testConfig({ logger, secret: `the secret of tenant number ${n++}, long enough` }),
    )
    expect(warnings).to.deep.equal([])
  })
})

describe('the warning of a call that gets a new configuration for each request', () => {
  let app: Running
  afterEach(() => app.close())

  /** Starts an app with this route, and gives the metadata of the warnings that come of 30 requests. */
  async function warningsOf(
    route: (req: MiddlewareRequest, config: AuthConfig, n: number) => unknown,
    more: Partial<AuthConfig> = {},
  ) {
    const warned: object[] = []
    const { logger } = createLog()
    const warn = (code: string, data: object) => void (code === 'fresh-configurations' && warned.push(data))
    const config = testConfig({ logger: { ...logger, warn: warn as never }, ...more })
    let n = 0
    const server = express().use('/auth', expressAuth(config))
    server.get('/', async (req, res) => res.json((await route(req, config, n++)) ?? null))
    app = await listen(server)
    for (let count = 0; count < 30; count += 1) expect((await app.visitor().get('/')).status).to.equal(200)
    return warned
  }

  it('comes once, and names the place and the cure', async () => {
    const warned = await warningsOf(async (req, config) => {
      // A call that is right, before and after the one that is wrong.
      await getSession(req, config)
      return getSession(req, { ...config })
    })
    expect(warned).to.have.length(1)
    expect(warned[0])
      .to.have.property('place')
      .that.matches(/fresh-configurations\.test\.ts:\d+:\d+$/)
    expect(warned[0]).to.include({
      call: 'getSession(req, config)',
      fix: 'Make the configuration once, outside of the route, and give the same object to each call.',
    })
  })

  it('comes in production, too', async () => {
    await withEnv({ NODE_ENV: 'production' }, async () => {
      const url = 'http://localhost'
      expect(await warningsOf((req, config) => getSession(req, { ...config }), { url })).to.have.length(1)
    })
  })

  it('does not come for one object, nor for tenants with a name each', async () => {
    expect(await warningsOf((req, config) => getSession(req, config))).to.deep.equal([])
    await app.close()
    const tenants = await warningsOf((req, config, n) => getSession(req, { ...config, instance: `tenant-${n}` }))
    expect(tenants).to.deep.equal([])
  })
})
