import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import connect from 'connect'
import express from 'express'
import express4 from 'express4'
import { type AuthConfig, expressAuth, type MiddlewareRequest, requireAuth } from '../../../lib/index.js'
import { readText } from '../../docs/documents.js'
import { ADA, createLog, listen, passwords, type Running, testConfig } from '../../support/app.js'
import { sendRaw } from '../../support/raw-http.js'
import { SPELLINGS } from '../../support/spellings.js'

type Authorized = NonNullable<NonNullable<AuthConfig['callbacks']>['authorized']>

/** The callbacks that docs/guides/callbacks.md shows for `authorized`, as it stands there. */
async function documented(folder: string): Promise<Authorized> {
  const [, text = ''] = /^### authorized$.*?^```ts\n(.*?)^```$/ms.exec(readText('docs/guides/callbacks.md')) ?? []
  const file = join(folder, 'authorized.ts')
  writeFileSync(file, text)
  const { callbacks } = await import(pathToFileURL(file).href)
  return callbacks.authorized
}

/** Who is signed in and may not see the administration: the example is about another address. */
const GRACE = { ...passwords, authorize: () => ({ id: '1906', name: 'Grace', email: 'grace@other.example' }) }

interface Guarded {
  readonly app: Running
  /** What ran, with the target that was asked for; `admin` begins what nobody here may see. */
  readonly ran: string[]
}

/** Whether a route that looks at its parameter by itself takes it for the administration. */
const isAdmin = (text: unknown, foldsCase: boolean) =>
  new RegExp('^/*admin(?![a-z])', foldsCase ? 'i' : '').test(String(text))

/** Routes and middlewares of every kind that find a path in a way of their own, behind one guard. */
function startExpress(
  framework: typeof express,
  folder: string,
  config: AuthConfig,
  foldsCase = true,
): Promise<Guarded> {
  const ran: string[] = []
  const app = framework().set('env', 'test')
  app.set('case sensitive routing', !foldsCase)
  app.use('/auth', expressAuth(config))
  app.use(requireAuth(config))
  const note = (what: string) => (req: express.Request, res: express.Response) => {
    ran.push(`${what} ${req.originalUrl}`)
    res.send(what)
  }
  app.use(
    framework.static(folder, {
      setHeaders: (res, path) => {
        ran.push(`${path.includes('/admin/') ? 'admin' : 'public'} file ${(res.req as MiddlewareRequest).originalUrl}`)
      },
    }),
  )
  app.get('/admin', note('admin route'))
  app.use('/admin', note('admin mount'))
  app.get('/:section', (req, res) =>
    note(isAdmin(req.params['section'], foldsCase) ? 'admin parameter' : 'public')(req, res),
  )
  app.get('/:section/:page', (req, res) =>
    note(isAdmin(req.params['section'], foldsCase) ? 'admin parameters' : 'public')(req, res),
  )
  app.use(note('public'))
  return listen(app).then((app) => ({ app, ran }))
}

function startConnect(_folder: string, config: AuthConfig): Promise<Guarded> {
  const ran: string[] = []
  const app = connect()
  app.use('/auth', expressAuth(config))
  app.use(requireAuth(config))
  const note =
    (what: string): connect.SimpleHandleFunction =>
    (req, res) => {
      ran.push(`${what} ${(req as MiddlewareRequest).originalUrl}`)
      res.end(what)
    }
  app.use('/admin', note('admin mount'))
  app.use(note('public'))
  return listen(app).then((app) => ({ app, ran }))
}

describe('the authorized callback and the routes behind the guard', () => {
  let folder: string
  let guarded: Guarded
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-paths-'))
    for (const name of ['admin', 'public']) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'secret.txt'), name)
    }
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  afterEach(() => guarded.app.close())

  const servers: Readonly<Record<string, (config: AuthConfig) => Promise<Guarded>>> = {
    'Express 5': (config) => startExpress(express, folder, config),
    'Express 4': (config) => startExpress(express4 as unknown as typeof express, folder, config),
    Connect: (config) => startConnect(folder, config),
    'Express 5 with case sensitive routing': (config) => startExpress(express, folder, config, false),
  }

  for (const [name, start] of Object.entries(servers)) {
    it(`read no spelling of a path differently: ${name} (WEB-08)`, async () => {
      expect(SPELLINGS.length).to.be.greaterThan(60)
      const config = testConfig({ providers: [GRACE], callbacks: { authorized: await documented(folder) } })
      guarded = await start(config)
      const visitor = guarded.app.visitor()
      await visitor.signIn(ADA)
      const headers = { cookie: visitor.cookieHeader() }
      for (const spelling of SPELLINGS) {
        // Connect itself reads it before any middleware, and throws.
        if (name === 'Connect' && spelling.includes('[::1/')) continue
        const { status } = await sendRaw(guarded.app.origin, spelling, { headers })
        expect(
          guarded.ran.filter((what) => what.startsWith('admin')),
          spelling,
        ).to.deep.equal([])
        expect(status, spelling).to.be.oneOf([200, 400, 401, 404, 405])
      }
      expect((await sendRaw(guarded.app.origin, '/welcome', { headers })).status).to.equal(200)
      expect((await sendRaw(guarded.app.origin, '/admin', { headers })).status).to.equal(401)
    })
  }

  it('agree where only one part is open: no spelling of it opens another (WEB-08)', async () => {
    const authorized: Authorized = ({ auth, request }) =>
      auth !== null || new URL(request.url).pathname.startsWith('/public/')
    const ran: string[] = []
    for (const framework of [express, express4 as unknown as typeof express]) {
      const app = framework().set('env', 'test')
      app.use(requireAuth(testConfig({ callbacks: { authorized } })))
      app.get('/public/:page', (_req, res) => void res.send('public'))
      app.use(
        '/public',
        framework.Router({ caseSensitive: true }).get('/Open', (_req, res) => void res.send('public')),
      )
      app.use((req, res) => {
        ran.push(req.originalUrl)
        res.send('private')
      })
      guarded = { app: await listen(app), ran }
      for (const target of ['/public/x', '/public/a%20b', '/public/a%2Bb', '/public/x?next=%2F..%2F#']) {
        const { status } = await sendRaw(guarded.app.origin, target.replace('#', ''))
        expect(status, target).to.equal(200)
      }
      for (const target of [
        ...[
          '/%70ublic/x',
          '/public%2Fx',
          '/public%2fx/',
          '/%50ublic/x',
          '/public',
          '/public%2F',
          '/publi%63/x',
          '/x/public/',
        ],
        ...[
          '/public/../x',
          '/public/%2e%2e/x',
          '/public//',
          '//public/x',
          '/public/#',
          '/x?/public/',
          '/x;/public/',
          '/x%3F/public/',
        ],
        ...[
          'http://other.example;/public/x',
          'http://other.example:a/public/x',
          'x:///public/x',
          'http://u@h/public/x',
          '*',
          ...SPELLINGS,
        ],
      ]) {
        if (target.startsWith('/public/') && !target.includes('#')) continue
        await sendRaw(guarded.app.origin, target)
        expect(ran, target).to.deep.equal([])
      }
      await guarded.app.close()
    }
    guarded = { app: await listen(express()), ran }
  })

  /** What the callback is asked about, for one request to an app. */
  const asked = async (
    build: (guard: ReturnType<typeof requireAuth>, framework: typeof express) => express.Express,
    target: string,
  ) => {
    const all: string[][] = []
    for (const framework of [express, express4 as unknown as typeof express]) {
      const seen: string[] = []
      const authorized: Authorized = ({ request }) =>
        seen.push(request.url.slice(new URL(request.url).origin.length)) > 0
      const app = build(requireAuth(testConfig({ callbacks: { authorized } })), framework).use(
        (_req, res) => void res.send('ran'),
      )
      guarded = { app: await listen(app), ran: [] }
      await sendRaw(guarded.app.origin, target)
      await guarded.app.close()
      all.push(seen)
    }
    guarded = { app: await listen(express()), ran: [] }
    expect(all[0]).to.deep.equal(all[1])
    return all[0]
  }

  it('agree on the query, which stays as it came', async () => {
    const query = '?a=%61&b=/../C&D=//x&next=%2F%2f'
    expect(await asked((guard, framework) => framework().use(guard), `/admin${query}`)).to.deep.equal([
      `/admin${query}`,
    ])
    expect(await asked((guard, framework) => framework().use(guard), `/Admin${query}`)).to.deep.equal([
      `/Admin${query}`,
      `/admin${query}`,
    ])
    expect(await asked((guard, framework) => framework().use(guard), 'http://other.example?x')).to.deep.equal(['/?x'])
  })

  it('agree on case: it counts where every router on the way says so when it is made, and nowhere else', async () => {
    const sensitive = (framework: typeof express) => framework().set('case sensitive routing', true)
    expect(await asked((guard, framework) => sensitive(framework).use(guard), '/Admin')).to.deep.equal(['/Admin'])
    const both = ['/Area/Admin', '/area/admin']
    expect(
      await asked((guard, framework) => framework().use('/area', sensitive(framework).use(guard)), '/Area/Admin'),
    ).to.deep.equal(both)
    // An app that had its routes before it was mounted has made its router without the setting, which it then inherits.
    const late = (guard: ReturnType<typeof requireAuth>, framework: typeof express) =>
      sensitive(framework).use('/Area', framework().use(guard))
    expect(await asked(late, '/Area/Admin')).to.deep.equal(both)
    expect(
      await asked((guard, framework) => framework().use(guard).set('case sensitive routing', true), '/Area/Admin'),
    ).to.deep.equal(both)
  })

  it('agree on mounts, whose path the callback sees, and on what a middleware before the guard made of the address', async () => {
    const mounted = (guard: ReturnType<typeof requireAuth>, framework: typeof express) =>
      framework().use('/a', framework.Router().use('/b', framework().use('/c', guard)))
    expect(await asked(mounted, '/a/b/c/d?x')).to.deep.equal(['/a/b/c/d?x'])
    expect(await asked(mounted, '/a/b/c')).to.deep.equal(['/a/b/c'])
    expect(await asked(mounted, '/a/b/c/')).to.deep.equal(['/a/b/c/', '/a/b/c'])
    expect(await asked(mounted, 'http://other.example/a/b/c')).to.deep.equal(['/a/b/c'])
    const withoutLanguage: express.RequestHandler = (req, _res, next) => {
      req.url = req.url.replace(/^\/en(?=\/)/, '')
      next()
    }
    expect(await asked((guard, framework) => framework().use(withoutLanguage, guard), '/en/admin?x')).to.deep.equal([
      '/en/admin?x',
      '/admin?x',
    ])
  })

  it('agree on the query of an address that was rewritten: its own, and that which was asked for', async () => {
    const rewrite =
      (to: string): express.RequestHandler =>
      (req, _res, next) => {
        req.url = to
        next()
      }
    const through =
      (to: string, mount = '/') =>
      (guard: ReturnType<typeof requireAuth>, framework: typeof express) =>
        framework().use(rewrite(to)).use(mount, guard)
    expect(await asked(through('/view?section=admin'), '/go/admin')).to.deep.equal([
      '/go/admin',
      '/view?section=admin',
      '/view',
    ])
    expect(await asked(through('/view?section=admin', '/view'), '/view?section=public')).to.deep.equal([
      '/view?section=public',
      '/view?section=admin',
    ])
    // What has parsed the query before keeps what it found, as `req.query` of Express 4 does.
    expect(await asked(through('/view'), '/go?section=admin')).to.deep.equal([
      '/go?section=admin',
      '/view',
      '/view?section=admin',
    ])
  })

  it('agree in Connect on what a middleware before the guard made of the address, and on mounts (WEB-08)', async () => {
    const seenBy = async (build: (guard: ReturnType<typeof requireAuth>) => connect.Server, target: string) => {
      const seen: string[] = []
      const authorized: Authorized = ({ request }) =>
        seen.push(request.url.slice(new URL(request.url).origin.length)) > 0
      const app = await listen(
        build(requireAuth(testConfig({ callbacks: { authorized } }))).use((_req, res) => res.end()),
      )
      guarded = { app, ran: [] }
      await sendRaw(app.origin, target)
      await app.close()
      return seen
    }
    const rewritten = (to: (url: string) => string, mount: string) => (guard: ReturnType<typeof requireAuth>) =>
      connect()
        .use((req, _res, next) => {
          req.url = to(req.url ?? '/')
          next()
        })
        .use(mount, guard)
    const withoutLanguage = (url: string) => url.replace(/^\/en(?=\/)/, '')
    expect(await seenBy(rewritten(withoutLanguage, '/'), '/en/admin?x')).to.deep.equal(['/en/admin?x', '/admin?x'])
    expect(await seenBy(rewritten(withoutLanguage, '/admin'), '/en/admin')).to.deep.equal(['/en/admin', '/admin'])
    expect(await seenBy(rewritten(withoutLanguage, '/admin'), '/admin/x')).to.deep.equal(['/admin/x'])
    const toView = () => '/view?section=admin'
    expect(await seenBy(rewritten(toView, '/'), '/go')).to.deep.equal(['/go', '/view?section=admin', '/view'])
    const mounted = (guard: ReturnType<typeof requireAuth>) => connect().use('/a', guard)
    for (const target of ['/a', '/a?x', '/a/b?x', '/a.json']) {
      expect(await seenBy(mounted, target), target).to.deep.equal([target])
    }
    expect(await seenBy(mounted, 'http://other.example/a/b')).to.deep.equal(['/a/b'])
    const itself = (guard: ReturnType<typeof requireAuth>) =>
      connect().use((req, res, next) => {
        req.url = '/admin'
        guard(req, res, next)
      })
    expect(await seenBy(itself, '/x')).to.deep.equal(['/x', '/admin'])
    guarded = { app: await listen(express()), ran: [] }
  })

  it('agree on a trailing slash: a rule for the path without one is valid with it, and an exact list stays usable (WEB-08)', async () => {
    const authorized: Authorized = ({ request }) => {
      const { pathname } = new URL(request.url)
      return pathname !== '/admin' && ['/', '/login', '/admin/', '/folder/', '/folder'].includes(pathname)
    }
    for (const framework of [express, express4 as unknown as typeof express, connect]) {
      const ran: string[] = []
      const app = framework().use(requireAuth(testConfig({ callbacks: { authorized } })))
      const running = await listen(
        app.use((req: MiddlewareRequest, res: { end(): void }) => {
          ran.push(String(req.originalUrl))
          res.end()
        }),
      )
      guarded = { app: running, ran }
      for (const target of ['/admin', '/admin/', '/Admin/', '/admin%2F', '/admin/?x', '/%61dmin/', '/login/']) {
        expect((await sendRaw(running.origin, target)).status, target).to.equal(401)
      }
      expect(ran).to.deep.equal([])
      for (const target of ['/', '/login', '/login?x', '/folder/', '/folder']) {
        expect((await sendRaw(running.origin, target)).status, target).to.equal(200)
      }
      await running.close()
    }
    guarded = { app: await listen(express()), ran: [] }
  })

  it('are refused if the callback decides differently about them, and this is logged once', async () => {
    const log = createLog()
    const config = testConfig({
      logger: log.logger,
      callbacks: { authorized: ({ request }) => !new URL(request.url).pathname.startsWith('/adminPanel') },
    })
    const app = express().set('env', 'test').use(requireAuth(config))
    guarded = { app: await listen(app.use((_req, res) => void res.send('ran'))), ran: [] }
    for (const path of ['/adminPanel', '/adminPanel/Users']) {
      expect((await sendRaw(guarded.app.origin, path)).status).to.equal(401)
    }
    expect(log.warnings).to.deep.equal(['authorized-spelling'])
  })
})
