import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { expect } from 'chai'
import connect from 'connect'
import cors from 'cors'
import express from 'express'
import session from 'express-session'
import express4 from 'express4'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { authSession, csrfToken, expressAuth, requireAuth, signOut, updateSession } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'
import { ADA, createLog, listen, passwords, type Running, testConfig } from '../../support/app.js'
import { ofFeatures } from '../../support/of-features.js'
import type { Visitor } from '../../support/visitor.js'

const SESSION = 'authjs.session-token'
/** Paths of scripts that a sign-in page names. */
const OF_FEATURES = await ofFeatures<(page: string) => readonly string[]>('assets')
type Route = (req: IncomingMessage, res: ServerResponse) => void

/** Ways in which a route, or what it calls, replaces `Set-Cookie`, or makes an answer that caches may keep. */
const ROUTES: Readonly<Record<string, Route>> = {
  '/set-header': (_req, res) => {
    res.setHeader('Set-Cookie', 'app=1')
    res.end()
  },
  '/set-headers': (_req, res) => {
    res.setHeader('set-cookie', ['app=1', 'more=2'])
    res.end()
  },
  '/write-head': (_req, res) => res.writeHead(200, { 'Set-Cookie': 'app=1' }).end(),
  '/write-head-lower': (_req, res) => res.writeHead(200, { 'set-cookie': ['app=1', 'more=2'] }).end(),
  '/write-head-message': (_req, res) => res.writeHead(200, 'Fine', { 'Set-Cookie': 'app=1' }).end(),
  '/write-head-list': (_req, res) => res.writeHead(200, ['Set-Cookie', 'app=1', 'Set-Cookie', 'more=2']).end(),
  '/write-head-pairs': (_req, res) =>
    res
      .writeHead(200, [
        ['Set-Cookie', 'app=1'],
        ['Set-Cookie', 'more=2'],
      ] as never)
      .end(),
  '/write-head-without-reason': (_req, res) => res.writeHead(200, undefined, { 'Set-Cookie': 'app=1' }).end(),
  '/write-head-public': (_req, res) => res.writeHead(200, { 'Set-Cookie': 'app=1', 'Cache-Control': 'public' }).end(),
  '/public': (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=600')
    res.setHeader('CDN-Cache-Control', 'max-age=600')
    res.end('app=1')
  },
  '/removed': (_req, res) => {
    res.removeHeader('Set-Cookie')
    res.end('app=1')
  },
  '/streamed': (_req, res) => {
    res.setHeader('Set-Cookie', 'app=1')
    res.write('a')
    res.end('b')
  },
  '/flushed': (_req, res) => {
    res.setHeader('Set-Cookie', 'app=1')
    res.flushHeaders()
    res.end()
  },
  '/proxied': (req, res) => {
    const inner = request({ port: req.headers['x-inner'] as string, host: '127.0.0.1' }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    inner.on('error', () => res.destroy())
    inner.end()
  },
}

const FRAMEWORKS = { 'Express 5': express, 'Express 4': express4, Connect: connect } as const

for (const [name, framework] of Object.entries(FRAMEWORKS)) {
  describe(`${name}: a renewed session cookie behind a guard`, () => {
    let app: Running
    let ada: Visitor
    const inner = createServer((_req, res) =>
      res.writeHead(200, { 'Set-Cookie': ['app=1', 'more=2'], 'Cache-Control': 'public' }).end(),
    )

    before(async () => {
      const adapter = memoryAdapter()
      const config = testConfig({
        adapter,
        session: { strategy: 'jwt', updateAge: 0 },
        providers: [passwords, Passkey()],
      })
      const server = framework() as unknown as ReturnType<typeof connect>
      const guard = requireAuth(config)
      for (const [path, route] of Object.entries(ROUTES)) {
        server.use(path, guard as never)
        server.use(path, route)
      }
      server.use('/leave', authSession(config) as never)
      server.use('/leave', (req, res, next) => {
        // What a route removes, a sign-out must not bring back.
        res.removeHeader('set-cookie')
        signOut(req, res, config).then(() => res.writeHead(200, { 'Set-Cookie': 'app=1' }).end(), next)
      })
      server.use('/form', (req, res, next) => {
        csrfToken(req, res, config).then((token) => res.writeHead(200, { 'Set-Cookie': 'app=1' }).end(token), next)
      })
      server.use('/update', (req, res, next) => {
        updateSession(req, res, config, {}).then(() => res.writeHead(200, { 'Set-Cookie': 'app=1' }).end(), next)
      })
      server.use(authSession(config) as never)
      server.use('/auth', expressAuth(config))
      app = await listen(server)
      await new Promise<void>((resolve) => void inner.listen(0, '127.0.0.1', resolve))
      ada = app.visitor()
      await ada.signIn(ADA)
    })
    after(async () => {
      await app.close()
      inner.close()
    })

    const innerPort = () => String((inner.address() as { port: number }).port)
    const cookieNames = (lines: readonly string[]) => lines.map((line) => line.slice(0, line.indexOf('='))).sort()

    for (const path of Object.keys(ROUTES)) {
      it(`${path}: is in the answer, beside what the route sets, and no shared cache keeps it (COOKIE-12, SESS-06)`, async () => {
        const { headers } = await ada.get(path, { 'x-inner': innerPort() })
        const names = cookieNames(headers.getSetCookie())
        expect(names.filter((each) => each === SESSION)).to.have.length(1)
        if (!['/public', '/removed'].includes(path)) expect(names).to.include('app')
        if (/headers|lower|list|proxied/.test(path)) expect(names).to.include('more')
        expect(headers.get('cache-control'))
          .to.match(/private/)
          .and.not.match(/public/)
        expect(headers.get('cdn-cache-control')).to.equal(null)
      })
    }

    it('stays out of an answer with which the session ends', async () => {
      const eve = app.visitor()
      await eve.signIn(ADA)
      const { status, headers } = await eve.post('/leave', {}, { 'sec-fetch-site': 'same-origin' })
      expect(status).to.equal(200)
      const sessions = headers.getSetCookie().filter((line) => line.startsWith(SESSION))
      expect(sessions.map((line) => line.split(';', 1)[0])).to.deep.equal([`${SESSION}=`])
    })

    it('is not lost after updateSession and csrfToken', async () => {
      expect(
        cookieNames(
          (
            await ada.post('/update', {}, { origin: app.origin, 'sec-fetch-site': 'same-origin' })
          ).headers.getSetCookie(),
        ),
      ).to.include.members(['app', SESSION])
      const form = await app.visitor().get('/form')
      expect(form.headers.getSetCookie().some((line) => line.includes('csrf-token'))).to.equal(true)
    })

    it('is never in an answer of the mount that caches may share (COOKIE-12)', async () => {
      const page = await ada.get('/auth/signin')
      for (const path of [
        ...OF_FEATURES.flatMap((assetsOf) => assetsOf(page.text)),
        '/auth/session',
        '/auth/providers',
        '/auth/signin',
      ]) {
        const { headers, status } = await ada.get(path)
        expect(status, path).to.equal(200)
        expect(
          headers.getSetCookie().some((line) => line.startsWith(SESSION)),
          path,
        ).to.equal(true)
        expect(headers.get('cache-control'), path)
          .to.match(/private|no-store/)
          .and.not.match(/public/)
      }
    })
  })
}

describe('Vary of a middleware before the mount', () => {
  let app: Running
  after(() => app.close())

  it('stays in every answer', async () => {
    const config = testConfig({
      adapter: memoryAdapter(),
      providers: [passwords, Passkey()],
      bearer: true,
      session: { strategy: 'jwt' },
    })
    const server = express().use(cors({ origin: ['https://a.example', 'https://b.example'], credentials: true }))
    server.use('/auth', expressAuth(config))
    server.get('/private', requireAuth(config), (_req, res) => void res.end())
    app = await listen(server)
    for (const path of [
      '/auth/session',
      '/auth/signin',
      '/auth/assets/passkey-buttons.js',
      '/auth/nonsense',
      '/auth/callback/credentials',
      '/private',
    ]) {
      const vary = (await app.visitor().get(path, { origin: 'https://a.example' })).headers.get('vary') ?? ''
      const names = vary.split(/, */)
      expect(names, path).to.include('Origin')
      expect(new Set(names).size, path).to.equal(names.length)
      if (!path.includes('assets')) expect(names, path).to.include.members(['Cookie', 'Authorization'])
    }
  })
})

describe('authSession, while the session cannot be read', () => {
  it('gives the error handler what a guard answers: 503, and when to try again (SESS-15)', async () => {
    const adapter = { ...memoryAdapter(), getSessionAndUser: () => Promise.reject(new Error('down')) }
    const config = testConfig({ adapter, providers: [], session: { strategy: 'database' }, logger: createLog().logger })
    const server = express().set('env', 'test').use(authSession(config))
    server.get('/', (_req, res) => void res.send('ran'))
    const app = await listen(server)
    const visitor = app.visitor()
    visitor.jar.set(SESSION, '0123456789abcdef-ada')
    const { status, headers, text } = await visitor.get('/')
    expect([status, headers.get('retry-after')]).to.deep.equal([503, '5'])
    expect(text).not.to.contain('ran')
    await app.close()
  })
})

describe('the script of the sign-in page behind a middleware that sets a cookie when the headers are written', () => {
  it('is kept by no shared cache, as every answer with a cookie (COOKIE-12)', async () => {
    const config = testConfig({
      adapter: memoryAdapter(),
      providers: [passwords, Passkey()],
      session: { strategy: 'jwt' },
    })
    const server = express().use(
      session({ secret: 'a secret of the application', resave: false, saveUninitialized: true }),
    )
    server.use('/auth', expressAuth(config))
    const app = await listen(server)
    const script =
      /src="[^"]*(\/auth\/assets\/passkey\.[^"]+)"/.exec((await app.visitor().get('/auth/signin')).text)?.[1] ?? ''
    const { headers } = await app.visitor().get(script)
    expect(headers.getSetCookie()).to.have.length(1)
    expect(headers.get('cache-control')).not.to.match(/public/)
    await app.close()
  })
})
