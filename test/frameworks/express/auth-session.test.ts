import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import connect from 'connect'
import express, { type RequestHandler } from 'express'
import { authSession, csrfToken, expressAuth, requireAuth, updateSession } from '../../../lib/index.js'
import { ADA, createLog, listen, type Running, testConfig } from '../../support/app.js'
import { sendRaw } from '../../support/raw-http.js'

/** Extends the session at every access, so that each answer must carry the cookie. */
const due = () => testConfig({ session: { updateAge: 0 } })

const SESSION = 'authjs.session-token'

describe('authSession', () => {
  let app: Running
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-'))
    writeFileSync(join(folder, 'file.txt'), 'a file')
  })
  after(() => rm(folder, { recursive: true }))
  afterEach(() => app.close())

  const start = async (route: RequestHandler, config = due()) => {
    const server = express().set('env', 'test')
    server.use('/auth', expressAuth(config))
    server.use(authSession(config))
    server.get('/', route)
    app = await listen(server)
    return app.visitor()
  }

  const ROUTES: Readonly<Record<string, RequestHandler>> = {
    'answers at once': (_req, res) => void res.send('done'),
    streams: (_req, res) => {
      res.write('one ')
      setTimeout(() => res.end('two'), 5)
    },
    'calls writeHead early': (_req, res) => void res.writeHead(200, { 'content-type': 'text/plain' }).end('early'),
    'flushes its headers first': (_req, res) => {
      res.flushHeaders()
      setTimeout(() => res.end('late'), 5)
    },
    'sends a file': (_req, res) => res.sendFile(join(folder, 'file.txt')),
    'wraps write and end, as compression does': (_req, res) => {
      const { write, end } = res
      res.write = ((chunk: string) => write.call(res, chunk.toUpperCase(), 'utf8')) as typeof res.write
      res.end = (() => end.call(res, 'LAST', 'utf8')) as typeof res.end
      res.write('first ')
      res.end()
    },
    'sets a cookie of its own': (_req, res) => void res.cookie('theme', 'dark').send('done'),
  }

  for (const [what, route] of Object.entries(ROUTES)) {
    it(`sends the renewed cookie when the route ${what} (COOKIE-11)`, async () => {
      const ada = await start(route)
      await ada.signIn(ADA)
      const before = ada.jar.get(SESSION)
      const answer = await ada.get('/')
      expect(answer.status).to.equal(200)
      expect(answer.cookies.get(SESSION)).to.be.a('string').that.is.not.equal(before)
      expect((await ada.session()).user.name).to.equal('Ada')
    })
  }

  it('puts the session, or null, into res.locals', async () => {
    const ada = await start((_req, res) => void res.json(res.locals['session']))
    expect((await ada.get('/')).json()).to.equal(null)
    await ada.signIn(ADA)
    expect((await ada.get('/')).json().user).to.deep.equal({
      id: '1815',
      name: 'Ada',
      email: 'ada@example.com',
      image: null,
    })
  })

  it('keeps what depends on the visitor out of shared caches (COOKIE-12)', async () => {
    const ada = await start((_req, res) => void res.vary('Accept').send('done'))
    const { headers } = await ada.get('/')
    expect(headers.get('cache-control')).to.equal('private, no-cache, no-store')
    expect(headers.get('vary')).to.equal('Cookie, Accept')
  })

  it('leaves caching to a route that says something else', async () => {
    const ada = await start((_req, res) => void res.set('cache-control', 'private, max-age=5').send('done'))
    expect((await ada.get('/')).headers.get('cache-control')).to.equal('private, max-age=5')
  })

  it('sends no cookie under a Cache-Control for shared caches, whatever an earlier middleware set (COOKIE-12)', async () => {
    const SHARED = [
      'public',
      'public, max-age=600',
      'Public, no-cache',
      'max-age=600',
      's-maxage=600',
      'no-cache',
      'private, s-maxage=600',
      'no-store, public',
      'private="set-cookie", max-age=600',
      'max-age=600, x="private"',
      '',
    ]
    const KEPT = ['private', 'private, max-age=5', 'no-store', 'No-Store, max-age=0', 'PRIVATE']
    for (const given of [...SHARED, ...KEPT]) {
      const config = due()
      const server = express()
      server.use('/auth', expressAuth(config))
      server.use((_req, res, next) => {
        res.set({ 'cache-control': given, 'cdn-cache-control': 'max-age=600', 'surrogate-control': 'max-age=600' })
        res.set({ 'cloudflare-cdn-cache-control': 'public', 'x-accel-expires': '600', 'edge-control': 'max-age=1d' })
        next()
      })
      server.get('/private', requireAuth(config), (_req, res) => void res.send('done'))
      server.get('/session', authSession(config), (_req, res) => void res.send('done'))
      server.post('/changed', async (req, res) => {
        await updateSession(req, res, config, {})
        res.send('done')
      })
      server.get('/form', async (req, res) => void res.send(await csrfToken(req, res, config)))
      server.get(
        '/refused',
        requireAuth({
          ...config,
          callbacks: { authorized: () => Response.json({}, { headers: { 'cache-control': given } }) },
        }),
      )
      server.use('/late', expressAuth({ ...config, basePath: '/late' }))
      app = await listen(server)
      const ada = app.visitor()
      await ada.signIn(ADA)
      for (const path of ['/private', '/session', '/changed', '/form', '/refused', '/late/session']) {
        const { headers, setCookie } = await ada.visit(path, { method: path === '/changed' ? 'POST' : 'GET' })
        const caching = headers.get('cache-control')
        const isOwn = KEPT.includes(given) && path !== '/late/session'
        expect(caching, `${path} after ${given}`).to.equal(isOwn ? given : 'private, no-cache, no-store')
        for (const name of [
          'cdn-cache-control',
          'surrogate-control',
          'cloudflare-cdn-cache-control',
          'x-accel-expires',
        ])
          expect(headers.get(name), `${path}: ${name}`).to.equal(null)
        expect(headers.get('edge-control')).to.equal(null)
        if (path !== '/form') expect(setCookie.join(), path).to.include(SESSION)
      }
      await app.close()
    }
  })

  it('keeps what says to caches of one kind that they keep nothing', async () => {
    const config = due()
    const server = express()
    server.use((_req, res, next) => {
      res.set('cdn-cache-control', 'no-store')
      next()
    })
    server.use(authSession(config), (_req: unknown, res: express.Response) => void res.send('done'))
    app = await listen(server)
    expect((await app.visitor().get('/')).headers.get('cdn-cache-control')).to.equal('no-store')
  })

  it('does not touch the cookie before it is due', async () => {
    const ada = await start((_req, res) => void res.send('done'), testConfig())
    await ada.signIn(ADA)
    expect((await ada.get('/')).setCookie).to.deep.equal([])
  })

  it('deletes a cookie that is no session', async () => {
    const visitor = await start((_req, res) => void res.send('done'))
    visitor.jar.set(SESSION, 'rubbish')
    const { setCookie } = await visitor.get('/')
    expect(setCookie).to.deep.equal([`${SESSION}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`])
  })

  it('sends one cookie of each name, however many middlewares and actions look at the session', async () => {
    const config = due()
    const server = express()
    server.use(authSession(config), authSession(config))
    server.use('/auth', expressAuth(config))
    server.get('/private', requireAuth(config), (_req, res) => void res.send('done'))
    app = await listen(server)
    const ada = app.visitor()
    await ada.signIn(ADA)
    for (const path of ['/private', '/auth/session']) {
      const names = (await ada.get(path)).setCookie.map((cookie) => cookie.split('=', 1)[0])
      expect(names, path).to.deep.equal([SESSION])
    }
    const out = await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
    expect(out.setCookie.filter((cookie) => cookie.startsWith(`${SESSION}=`))).to.deep.equal([
      `${SESSION}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`,
    ])
    expect(await ada.session()).to.equal(null)
  })

  it('hands a fault to the error handler and leaves the cookie alone (SESS-15)', async () => {
    let down = false
    const config = testConfig({
      callbacks: {
        session: ({ session }) => {
          if (down) throw new Error('the store is down')
          return session
        },
      },
    })
    let reached = false
    const ada = await start((_req, res) => {
      reached = true
      res.send('done')
    }, config)
    await ada.signIn(ADA)
    down = true
    const answer = await ada.get('/')
    expect([answer.status, answer.setCookie, reached]).to.deep.equal([503, [], false])
    down = false
    expect((await ada.session()).user.name).to.equal('Ada')
  })

  it('keeps the answer to a fault out of shared caches, whatever failed (COOKIE-12)', async () => {
    const failing = (): never => {
      throw new Error('the store is down')
    }
    const faulty = testConfig({ callbacks: { session: failing } })
    const sources = { 'the session': faulty, 'the configuration function': failing }
    const ada = await start((_req, res) => void res.send('done'), testConfig())
    await ada.signIn(ADA)
    const headers = { cookie: ada.cookieHeader() }
    for (const [what, source] of Object.entries(sources)) {
      for (const make of [authSession, requireAuth]) {
        const server = express().set('env', 'test')
        server.use((_req, res, next) => {
          res.set({ 'cache-control': 'public, max-age=600', 'cdn-cache-control': 'public' })
          next()
        })
        server.use(make(source), (_req, res) => void res.send('done'))
        server.use(((_error, _req, res, _next) => void res.status(503).send('down')) as express.ErrorRequestHandler)
        const other = await listen(server)
        const answer = await sendRaw(other.origin, '/', { headers })
        await other.close()
        expect(answer.status, what).to.equal(503)
        expect(answer.headers.get('cache-control'), `${make.name}, ${what}`).to.contain('no-store')
        expect(answer.headers.get('cdn-cache-control'), `${make.name}, ${what}`).to.equal(undefined)
        expect(answer.headers.get('vary'), `${make.name}, ${what}`).to.contain('Cookie')
      }
    }
  })

  it('answers 400 to a Host header that is none', async () => {
    await start((_req, res) => void res.send('done'))
    expect((await sendRaw(app.origin, '/', { headers: { host: 'a b' } })).status).to.equal(400)
  })

  it('hands on what a configuration function throws, whatever it is', async () => {
    for (const thrown of [undefined, null, 0, '', 'route', 'router']) {
      const server = express()
      server.use(authSession(() => Promise.reject(thrown)))
      server.use((_req: unknown, res: express.Response) => void res.send('went on'))
      server.use((_e: unknown, _q: unknown, res: express.Response, _n: unknown) => void res.status(500).send('handled'))
      app = await listen(server)
      expect((await app.visitor().get('/')).text, String(thrown)).to.equal('handled')
      await app.close()
    }
  })

  it('fails at once for a configuration that cannot work', () => {
    expect(() => authSession({ providers: [], secret: '', logger: createLog().logger })).to.throw(/secret/)
  })

  it('works in Connect, which has no res.locals', async () => {
    const config = due()
    const server = connect().use('/auth', expressAuth(config))
    server.use(authSession(config))
    server.use((_req: unknown, res: ServerResponse & { locals?: { session?: unknown } }) =>
      res.end(JSON.stringify(res.locals?.session)),
    )
    app = await listen(server)
    const ada = app.visitor()
    await ada.signIn(ADA)
    const answer = await ada.get('/')
    expect(answer.json().user.name).to.equal('Ada')
    expect(answer.cookies.has(SESSION)).to.equal(true)
  })
})
