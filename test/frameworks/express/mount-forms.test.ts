import { expect } from 'chai'
import express, { type Express } from 'express'
import express4 from 'express4'
import { expressAuth, type MiddlewareRequest } from '../../../lib/index.js'
import { ADA, createLog, listen, type Running, SECRET, startApp, testConfig } from '../../support/app.js'
import { written } from '../../support/console.js'
import { sendRaw } from '../../support/raw-http.js'

type Mount = (app: Express) => unknown

const handler = () => expressAuth(testConfig())

const FORMS: Readonly<Record<string, { app: () => Express; mount: Mount; base: string }>> = {
  "Express 4, app.use('/auth/*')": { app: express4, mount: (app) => app.use('/auth/*', handler()), base: '/auth' },
  "Express 4, app.all('/auth/*')": { app: express4, mount: (app) => app.all('/auth/*', handler()), base: '/auth' },
  'Express 4, app.use of a pattern': {
    app: express4,
    mount: (app) => app.use(/^\/auth\/(.*)/, handler()),
    base: '/auth',
  },
  "Express 5, app.use('/auth/*splat')": {
    app: express,
    mount: (app) => app.use('/auth/*splat', handler()),
    base: '/auth',
  },
  "Express 5, app.all('/auth/*splat')": {
    app: express,
    mount: (app) => app.all('/auth/*splat', handler()),
    base: '/auth',
  },
  "Express 5, app.all('/auth{/*splat}')": {
    app: express,
    mount: (app) => app.all('/auth{/*splat}', handler()),
    base: '/auth',
  },
  'Express 5, app.use of a pattern': {
    app: express,
    mount: (app) => app.use(/^\/auth\/(.*)/, handler()),
    base: '/auth',
  },
  'Express 5, app.all of a pattern': {
    app: express,
    mount: (app) => app.all(/^\/auth\/(.*)/, handler()),
    base: '/auth',
  },
  'Express 5, app.all of a pattern with two groups': {
    app: express,
    mount: (app) => app.all(/^\/(auth|login)\/(.*)/, handler()),
    base: '/login',
  },
  'Express 4, wildcards before and behind the mount': {
    app: express4,
    mount: (app) => app.all('/t/*/auth/*', handler()),
    base: '/t/a/b/auth',
  },
  'Express 5, wildcards before and behind the mount': {
    app: express,
    mount: (app) => app.all('/t/*tenant/auth/*splat', handler()),
    base: '/t/a/b/auth',
  },
  'Express 5, a wildcard before the mount': {
    app: express,
    mount: (app) => app.use('/t/*tenant/auth', handler()),
    base: '/t/a/b/auth',
  },
  'Express 5, a list of paths': {
    app: express,
    mount: (app) => app.use(['/login', '/auth'], handler()),
    base: '/auth',
  },
}

describe('forms of mounting', () => {
  let app: Running
  afterEach(() => app.close())

  for (const [name, form] of Object.entries(FORMS)) {
    it(`${name}: signs in, and links to where it is`, async () => {
      const server = form.app()
      form.mount(server)
      app = await listen(server)
      const ada = app.visitor()
      const { credentials } = (await ada.get(`${form.base}/providers`)).json()
      expect(credentials.callbackUrl).to.equal(`${app.origin}${form.base}/callback/credentials`)
      await ada.signIn(ADA, form.base)
      expect((await ada.session(form.base)).user.name).to.equal('Ada')
      expect((await ada.get(`${form.base}/csrf/`)).status).to.equal(200)
      expect((await ada.get(`${form.base}//csrf`)).status).to.equal(200)
      expect((await ada.get(`${form.base}/nonsense`)).status).to.equal(404)
    })
  }

  it('at the root, passes on what is not its own', async () => {
    const server = express()
    server.use(expressAuth(testConfig()))
    server.get('/{*path}', (req, res) => void res.send(`the app's ${req.path}`))
    app = await listen(server)
    const ada = app.visitor()
    await ada.signIn(ADA, '')
    expect((await ada.session('')).user.name).to.equal('Ada')
    expect((await ada.get('/')).text).to.equal("the app's /")
    expect((await ada.get('/about/session')).text).to.equal("the app's /about/session")
    expect((await ada.get('/assets/pages.css')).headers.get('content-type')).to.equal('text/css; charset=utf-8')
    expect((await ada.get('/providers')).json().credentials.signinUrl).to.equal(`${app.origin}/signin/credentials`)
  })

  for (const basePath of ['/', '/auth']) {
    it(`at the root with basePath ${basePath}, passes on what is not its own`, async () => {
      const server = express()
      server.use(expressAuth(testConfig({ basePath })))
      server.get('/{*path}', (req, res) => void res.send(`the app's ${req.path}`))
      app = await listen(server)
      const visitor = app.visitor()
      expect((await visitor.get('/about')).text).to.equal("the app's /about")
      expect((await visitor.get('/authors')).text).to.equal("the app's /authors")
      expect((await visitor.get(basePath === '/' ? '/csrf' : '/auth/csrf')).json().csrfToken).to.match(/^[0-9a-f]{64}$/)
    })
  }

  it('serves two mounts with one handler', async () => {
    const both = expressAuth(testConfig())
    app = await listen(express().use('/auth', both).use('/login', both))
    const ada = app.visitor()
    await ada.signIn(ADA, '/login')
    expect((await ada.session('/auth')).user.name).to.equal('Ada')
    for (const mount of ['/auth', '/login']) {
      const { credentials } = (await ada.get(`${mount}/providers`)).json()
      expect(credentials.signinUrl).to.equal(`${app.origin}${mount}/signin/credentials`)
    }
  })

  it('warns once of a mount that is not basePath, with the fix', async () => {
    const log = createLog()
    const warned: unknown[] = []
    const logger = { ...log.logger, warn: (_code: string, metadata?: unknown) => warned.push(metadata) }
    app = await listen(express().use('/login', expressAuth(testConfig({ logger }))))
    await app.visitor().get('/login/csrf')
    await app.visitor().get('/login/csrf')
    expect(warned).to.have.length(1)
    expect(warned[0]).to.include({ expected: '/auth' })
    expect(warned[0]).to.have.property('fix').that.contains('set basePath to its path')
  })

  it('understands a target in absolute form, as proxies send it', async () => {
    app = await startApp()
    const answer = await sendRaw(app.origin, `${app.origin}/auth/providers?x=1`)
    expect(answer.status).to.equal(200)
    expect(answer.body).to.contain(`"signinUrl":"${app.origin}/auth/signin/credentials"`)
  })
})

describe('several configurations in one app', () => {
  let app: Running
  afterEach(() => app.close())

  const staff = () =>
    testConfig({ secret: 'another secret that is long enough, too', cookies: { sessionToken: { name: 'staff' } } })

  it('keeps instances apart that have cookies of their own', async () => {
    app = await listen(express().use('/auth', expressAuth(testConfig())).use('/staff', expressAuth(staff())))
    const ada = app.visitor()
    await ada.signIn(ADA)
    expect(await ada.session('/staff')).to.equal(null)
    await ada.signIn(ADA, '/staff')
    expect([...ada.jar.keys()]).to.include.members(['authjs.session-token', 'staff'])
    await ada.post('/staff/signout', { csrfToken: await ada.csrfToken('/staff') })
    expect(await ada.session('/staff')).to.equal(null)
    expect((await ada.session()).user.name).to.equal('Ada')
  })

  for (const kind of ['sync', 'async']) {
    it(`takes the configuration of each tenant from a${kind === 'sync' ? '' : 'n async'} function of the request`, async () => {
      const tenants = new Map(['a', 'b'].map((id) => [id, testConfig({ secret: `${SECRET} of tenant ${id}` })]))
      const find = (req: MiddlewareRequest) => {
        const config = tenants.get((req.params as Record<string, string>)['tenant'] ?? '')
        if (!config) throw Object.assign(new Error('no such tenant'), { status: 404 })
        return config
      }
      const source = kind === 'sync' ? find : async (req: MiddlewareRequest) => find(req)
      app = await listen(express().set('env', 'test').use('/:tenant/auth', expressAuth(source)))
      const ada = app.visitor()
      await ada.signIn(ADA, '/a/auth')
      expect((await ada.session('/a/auth')).user.name).to.equal('Ada')
      expect(await ada.copy().session('/b/auth')).to.equal(null)
      expect((await ada.get('/c/auth/session')).status).to.equal(404)
    })
  }

  it('answers 500 and says why in the log when a function gives what cannot work', async () => {
    const log = createLog()
    const given = [{ providers: [], secret: '', logger: log.logger }, undefined, null, 'config']
    for (const config of given) {
      app = await listen(express().use('/auth', expressAuth((() => config) as never)))
      const visitor = app.visitor()
      const lines = await written(async () => {
        const answer = await visitor.get('/auth/session')
        expect(answer.status).to.equal(500)
        expect(answer.json().message).to.match(/problem with the server configuration/)
      })
      expect([...lines, ...log.errors.map(String)].join()).to.match(config ? /secret|type string/i : /undefined|null/)
      await app.close()
    }
  })

  it('hands what a function throws to the error handler, whatever it is', async () => {
    for (const thrown of [undefined, null, 0, 'route', 'router', new Error('down')]) {
      const server = express().use(
        '/auth',
        expressAuth(() => Promise.reject(thrown)),
      )
      server.use((_req: unknown, res: express.Response) => void res.send('went on'))
      server.use((_e: unknown, _q: unknown, res: express.Response, _n: unknown) => void res.status(500).send('handled'))
      app = await listen(server)
      expect((await app.visitor().get('/auth/session')).text, String(thrown)).to.equal('handled')
      await app.close()
    }
  })
})
