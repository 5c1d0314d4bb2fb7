import { expect } from 'chai'
import cors from 'cors'
import express from 'express'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import {
  type AuthConfig,
  corsOptions,
  expressAuth,
  requireAuth,
  revokeOtherSessions,
  startSignIn,
  verifyCsrfToken,
} from '../../lib/index.js'
import type { Provider } from '../../lib/providers/provider.js'
import { openAccountApp } from '../support/account-app.js'
import { ADA, listen, passwords, type Running, testConfig } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { formsOf } from '../support/forms.js'
import { ofFeatures, rowsOfFeatures } from '../support/of-features.js'
import { redirectCorpus } from '../support/redirect-corpus.js'
import { newPerson, setProviderUser } from '../support/sign-ins.js'
import type { Answer, Visitor } from '../support/visitor.js'
import { github } from '../support/web-app.js'

/** Ways to sign in that features bring, and the paths of scripts that a sign-in page names then. */
const PROVIDERS = await rowsOfFeatures<() => Provider>('providers')
const OF_FEATURES = await ofFeatures<(page: string) => readonly string[]>('assets')

const FRONT = 'https://app.example'
const ORIGINS = [FRONT, 'https://*.pr.example', 'http://localhost:5173']
const SESSION = 'authjs.session-token'

/** What a browser sends with a fetch of a page at an origin, with `credentials: 'include'`. */
const from = (origin: string, site = 'cross-site') => ({
  origin,
  'sec-fetch-site': site,
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
})
const AS_JSON = { 'x-auth-return-redirect': '1', accept: 'application/json' }
const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }

/** Texts that are near to a listed origin, and are not one. */
const FOREIGN: readonly string[] = [
  'null',
  'https://evil.example',
  'http://app.example',
  'https://app.example:8443',
  'https://app.example:443',
  'https://app.example.',
  'https://app.example/',
  'https://app.example/path',
  'https://www.app.example',
  'https://example',
  'https://app.example.evil.example',
  'https://evilapp.example',
  'https://app-example',
  'https://app.example@evil.example',
  'https://evil.example@app.example',
  'https://evil.example#https://app.example',
  'https://app.example,https://evil.example',
  'https://evil.example, https://app.example',
  'HTTPS://APP.EXAMPLE',
  'https://App.example',
  'https://аpp.example'.normalize(),
  'https://xn--pp-6kc.example',
  'https://%61pp.example',
  'https://pr.example',
  'https://a.b.pr.example',
  'https://a.pr.example.evil.example',
  'https://a.pr.example:444',
  'https://*.pr.example',
  'https://.pr.example',
  'http://a.pr.example',
  'http://localhost',
  'http://localhost:3000',
  'https://localhost:5173',
  'http://127.0.0.1:5173',
  'http://[::1]:5173',
  'http://localhost.evil.example:5173',
  'file://',
  'chrome-extension://abcdefgh',
  '*',
  ' ',
  `https://${'a'.repeat(4000)}.pr.example`,
]

const corsHeaders = ({ headers }: Answer) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))
const READABLE = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
})
const varies = ({ headers }: Answer) => headers.get('vary')?.split(/,\s*/) ?? []

describe('a front end on another origin', function () {
  // Hundreds of requests in a test.
  this.timeout(120_000)
  let app: Running
  const start = async (more: Partial<AuthConfig> = {}) => {
    const config = testConfig({ providers: [passwords, github], origins: ORIGINS, ...more })
    const server = express()
    server.use('/auth', expressAuth(config))
    server.use('/api', cors(corsOptions(config)))
    server.get('/api/note', requireAuth(config), (_req, res) => void res.json({ note: 'mine' }))
    server.post('/api/note', express.json(), async (req, res) => {
      res.json({ isGood: await verifyCsrfToken(req, config, req.get('x-csrf-token')) })
    })
    server.post('/api/end', async (req, res) => void res.json(await revokeOtherSessions(req, config)))
    server.all('/api/begin', (req, res, next) => void startSignIn(req, res, config, 'github').catch(next))
    server.use(((error, _req, res, _next) => {
      res.status(error.status ?? 500).json({ error: error.type ?? error.name })
    }) satisfies express.ErrorRequestHandler)
    app = await listen(server)
    return app.visitor()
  }
  afterEach(() => app?.close())

  /** Signs in with the form of a front end, as latchkey/client does. */
  const signIn = async (visitor: Visitor, origin: string, more: Record<string, string> = {}, site = 'cross-site') => {
    const csrfToken = await visitor.csrfToken()
    const headers = { ...from(origin, site), ...AS_JSON }
    return visitor.post('/auth/callback/credentials', { csrfToken, ...ADA, ...more }, headers)
  }

  for (const origin of [FRONT, 'https://a.pr.example', 'https://my-1.pr.example', 'http://localhost:5173']) {
    for (const site of ['same-site', 'cross-site']) {
      it(`signs in from ${origin}, ${site}, reads the session, asks the API and signs out`, async () => {
        const visitor = await start()
        const token = await visitor.get('/auth/csrf', from(origin, site))
        expect(corsHeaders(token)).to.deep.equal(READABLE(origin))
        const answer = await signIn(visitor, origin, { callbackUrl: `${origin}/notes?a=1#b` }, site)
        expect(answer.json()).to.deep.equal({ url: `${origin}/notes?a=1#b` })
        expect(corsHeaders(answer)).to.deep.equal(READABLE(origin))
        const session = await visitor.get('/auth/session', from(origin, site))
        expect(session.json().user.name).to.equal('Ada')
        expect(corsHeaders(session)).to.deep.equal(READABLE(origin))
        const note = await visitor.get('/api/note', from(origin, site))
        expect([note.json(), corsHeaders(note)]).to.deep.equal([{ note: 'mine' }, READABLE(origin)])
        const csrfToken = await visitor.csrfToken()
        const posted = await visitor.postJson('/api/note', {}, { ...from(origin, site), 'x-csrf-token': csrfToken })
        expect(posted.json()).to.deep.equal({ isGood: true })
        const left = await visitor.post(
          '/auth/signout',
          { csrfToken, callbackUrl: origin },
          { ...from(origin, site), ...AS_JSON },
        )
        expect(left.json()).to.deep.equal({ url: origin })
        expect(await visitor.session()).to.equal(null)
        const refused = await visitor.get('/api/note', from(origin, site))
        expect([refused.status, corsHeaders(refused)], 'a page can read that it was refused').to.deep.equal([
          401,
          READABLE(origin),
        ])
      })
    }
  }

  it('CSRF-04: an origin that is not exactly a listed one posts nothing, reads nothing and gets no preflight', async () => {
    const visitor = await start()
    for (const origin of FOREIGN.map((text) => Buffer.from(text).toString('latin1'))) {
      const forged = await signIn(visitor, origin, {}, 'cross-site')
      expect(forged.json().url, origin).to.include('error=MissingCSRF')
      expect(visitor.jar.has(SESSION), origin).to.equal(false)
      const csrfToken = await visitor.csrfToken()
      const posted = await visitor.postJson('/api/note', {}, { ...from(origin), 'x-csrf-token': csrfToken })
      expect(posted.json(), origin).to.deep.equal({ isGood: false })
      for (const path of ['/auth/csrf', '/auth/session', '/auth/providers', '/auth/nothing', '/api/note']) {
        const answer = await visitor.get(path, from(origin))
        expect(answer.headers.get('access-control-allow-origin'), `${origin} ${path}`).to.equal(null)
        expect(varies(answer), `${origin} ${path}`).to.include('Origin')
      }
      for (const path of ['/auth/session', '/auth/signout', '/api/note']) {
        const answer = await visitor.visit(path, { method: 'OPTIONS', headers: { ...from(origin), ...PREFLIGHT } })
        expect(answer.headers.get('access-control-allow-origin'), `${origin} ${path}`).to.equal(null)
        expect(varies(answer), `${origin} ${path}`).to.include('Origin')
      }
    }
  })

  it('CSRF-04: a POST without an origin that the browser calls cross-site is refused', async () => {
    const visitor = await start()
    const { origin: _, ...headers } = from(FRONT)
    const csrfToken = await visitor.csrfToken()
    await visitor.post('/auth/callback/credentials', { csrfToken, ...ADA }, headers)
    expect(visitor.jar.has(SESSION)).to.equal(false)
  })

  it('CSRF-01: needs the token of the same browser from a listed origin, too', async () => {
    const visitor = await start()
    const foreign = await app.visitor().csrfToken()
    const own = await visitor.csrfToken()
    for (const csrfToken of ['', 'x', foreign, own.toUpperCase(), own.slice(1)]) {
      const answer = await visitor.post(
        '/auth/callback/credentials',
        { csrfToken, ...ADA },
        { ...from(FRONT), ...AS_JSON },
      )
      expect(answer.json().url).to.include('error=MissingCSRF')
      const posted = await visitor.postJson('/api/note', {}, { ...from(FRONT), 'x-csrf-token': csrfToken })
      expect(posted.json()).to.deep.equal({ isGood: false })
    }
  })

  it('WEB-05: every refusal can be read by a front end, and by nobody else', async () => {
    const visitor = await start()
    const text = { ...from(FRONT), 'content-type': 'text/plain' }
    const csrfToken = await visitor.csrfToken()
    const big = JSON.stringify({ csrfToken, data: 'x'.repeat(2_000_000) })
    const json = { 'content-type': 'application/json' }
    const refusals = (origin: string): readonly [number, Promise<Answer>][] => [
      [404, visitor.get('/auth/nothing', from(origin))],
      [404, visitor.get('/auth/signin/nobody', from(origin))],
      [400, visitor.get('/auth/session?callbackUrl=/a&callbackUrl=/b', from(origin))],
      [405, visitor.visit('/auth/session', { method: 'PUT', headers: from(origin) })],
      [405, visitor.visit('/auth/session', { method: 'DELETE', headers: from(origin) })],
      [405, visitor.post('/auth/csrf', {}, from(origin))],
      [400, visitor.postJson('/auth/session', {}, from(origin))],
      [413, visitor.visit('/auth/session', { method: 'POST', body: big, headers: { ...from(origin), ...json } })],
      [415, visitor.visit('/auth/session', { method: 'POST', body: 'x', headers: { ...text, origin } })],
      [404, visitor.get('/auth/sessions', from(origin))],
    ]
    for (const [status, request] of refusals(FRONT)) {
      const answer = await request
      expect([answer.status, corsHeaders(answer)]).to.deep.equal([status, READABLE(FRONT)])
    }
    for (const [status, request] of refusals('https://evil.example')) {
      const answer = await request
      // What another site sends is not read.
      expect([answer.status, corsHeaders(answer)]).to.deep.equal([status === 413 || status === 415 ? 400 : status, {}])
    }
  })

  it('SESS-15: a front end can read that the store does not answer, and nobody is signed out', async () => {
    const store = memoryAdapter()
    const adapter = { ...store, getSessionAndUser: () => Promise.reject(new Error('down')) }
    const visitor = await start({ adapter, providers: [github], session: { strategy: 'database' } })
    visitor.jar.set(SESSION, 'a'.repeat(64))
    const answer = await visitor.get('/auth/session', from(FRONT))
    expect([answer.status, corsHeaders(answer)]).to.deep.equal([503, READABLE(FRONT)])
    expect(answer.setCookie).to.deep.equal([])
  })

  it('COOKIE-12: every answer says to caches that it depends on the origin', async () => {
    const visitor = await start({
      adapter: memoryAdapter(),
      providers: [passwords, github, ...Object.values(PROVIDERS).map((make) => make())],
    })
    const page = await visitor.get('/auth/signin', { accept: 'text/html' })
    const scripts = OF_FEATURES.flatMap((assetsOf) => assetsOf(page.text))
    const paths = ['signin', 'signout', 'error', 'session', 'csrf', 'providers', 'verify-request', 'nothing', '']
    for (const path of [...paths.map((name) => `/auth/${name}`), ...scripts]) {
      const senders: Record<string, string>[] = [{}, from(FRONT), from('https://evil.example'), { accept: 'text/html' }]
      for (const headers of senders) {
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
          const answer = await visitor.visit(path, { method, headers })
          expect(varies(answer), `${method} ${path}`).to.include('Origin')
          expect(answer.headers.get('access-control-allow-origin')).to.not.equal('*')
        }
      }
    }
    const kept = await visitor.get('/auth/session', from(FRONT))
    expect(varies(kept), 'and still on the visitor').to.include('Cookie')
    expect(kept.headers.get('cache-control')).to.include('no-store')
  })

  it('WEB-01: a page of the mount is read by no front end, and framed by nobody', async () => {
    const visitor = await start({ adapter: memoryAdapter() })
    await signIn(visitor, FRONT)
    for (const path of ['/auth/signin', '/auth/signout', '/auth/error', '/auth/link/github', '/auth/nothing']) {
      const answer = await visitor.get(path, { ...from(FRONT), accept: 'text/html' })
      if (!answer.headers.get('content-type')?.startsWith('text/html')) continue
      expect(corsHeaders(answer), path).to.deep.equal({})
      expect(answer.headers.get('x-frame-options'), path).to.equal('DENY')
      expect(answer.headers.get('content-security-policy'), path).to.include("frame-ancestors 'none'")
      expect(answer.headers.get('cross-origin-resource-policy'), path).to.equal('same-origin')
    }
  })

  it('answers a preflight with what the client sends, for ten minutes, and does nothing', async () => {
    const visitor = await start({ bearer: true })
    await signIn(visitor, FRONT)
    const before = visitor.cookieHeader()
    for (const path of ['session', 'signout', 'signin/github', 'callback/credentials', 'nothing']) {
      const headers = { ...from(FRONT), ...PREFLIGHT }
      const answer = await visitor.visit(`/auth/${path}`, { method: 'OPTIONS', headers })
      expect([answer.status, answer.text, answer.setCookie]).to.deep.equal([204, '', []])
      expect(corsHeaders(answer)).to.deep.equal({
        ...READABLE(FRONT),
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': 'Content-Type, X-Auth-Return-Redirect',
        'access-control-max-age': '600',
      })
      expect(varies(answer)).to.include('Origin')
    }
    expect(visitor.cookieHeader()).to.equal(before)
    const noPreflight = await visitor.visit('/auth/session', { method: 'OPTIONS', headers: from(FRONT) })
    expect(noPreflight.status).to.equal(405)
  })

  it('a wildcard or a reflecting header of the application lets a listed origin read, with its exact name', async () => {
    const config = testConfig({ origins: ORIGINS })
    const server = express()
    server.use(cors())
    server.use('/auth', expressAuth(config))
    app = await listen(server)
    const answer = await app.visitor().get('/auth/session', from(FRONT))
    expect(answer.headers.get('access-control-allow-origin')).to.equal(FRONT)
    const foreign = await app.visitor().get('/auth/session', from('https://evil.example'))
    expect(foreign.headers.get('access-control-allow-credentials')).to.equal(null)
  })

  it('without `origins` nothing is allowed, and no answer changes', async () => {
    const config = testConfig()
    const server = express()
    server.use('/auth', expressAuth(config))
    server.use('/api', cors(corsOptions(config)), (_req, res) => void res.json({}))
    app = await listen(server)
    const visitor = app.visitor()
    const answer = await visitor.get('/auth/session', from(FRONT))
    expect([corsHeaders(answer), varies(answer)]).to.deep.equal([{}, ['Cookie']])
    const preflight = await visitor.visit('/auth/session', {
      method: 'OPTIONS',
      headers: { ...from(FRONT), ...PREFLIGHT },
    })
    expect([preflight.status, corsHeaders(preflight)]).to.deep.equal([405, {}])
    expect((await signIn(visitor, FRONT)).json().url).to.include('error=MissingCSRF')
    const api = await visitor.get('/api/x', from(FRONT))
    expect([api.headers.get('access-control-allow-origin'), varies(api)]).to.deep.equal([null, ['Origin']])
  })

  it('WEB-02: a return target is at the public origin or at a listed one, whatever it looks like', async () => {
    const visitor = await start()
    const targets = [FRONT, 'https://a.pr.example', 'http://localhost:5173'].flatMap(redirectCorpus)
    const near = FOREIGN.filter((text) => /^https?:/i.test(text))
    for (const callbackUrl of [...targets, ...near]) {
      const answer = await visitor.post(
        '/auth/callback/credentials',
        { csrfToken: await visitor.csrfToken(), ...ADA, callbackUrl: Buffer.from(callbackUrl).toString() },
        { origin: app.origin },
      )
      const { location } = answer
      // A NUL is refused, whatever follows it.
      if (answer.status === 400) continue
      const isListed =
        [app.origin, FRONT, 'http://localhost:5173'].includes(location?.origin ?? '') ||
        /^https:\/\/[a-z0-9-]+\.pr\.example$/.test(location?.origin ?? '')
      expect(isListed, `${callbackUrl} leads to ${location}`).to.equal(true)
    }
  })

  it('SESS-13: an open redirect of a front end learns nothing from the way back', async () => {
    const visitor = await start()
    const callbackUrl = `${FRONT}/go?to=https://evil.example/`
    const answer = await signIn(visitor, FRONT, { callbackUrl })
    expect(answer.json().url, 'the target as it was given').to.equal(callbackUrl)
    const failed = await signIn(visitor, FRONT, { callbackUrl, password: 'wrong' })
    expect(new URL(failed.json().url).origin).to.equal(app.origin)
    const left = await visitor.post('/auth/signout', { csrfToken: await visitor.csrfToken(), callbackUrl }, from(FRONT))
    expect(left.location?.href).to.equal(callbackUrl)
  })

  it('keeps the way back to a page of the application that shows errors from going in a circle', async () => {
    const visitor = await start({ pages: { error: `${FRONT}/error` } })
    const callbackUrl = `${FRONT}/error`
    const { status } = await visitor.get(`/auth/error?${new URLSearchParams({ error: 'Configuration', callbackUrl })}`)
    expect(status).to.be.oneOf([200, 302, 500])
  })

  it('lets code of routes that asks for no token do nothing for a front end', async () => {
    const visitor = await start({ adapter: memoryAdapter(), session: { strategy: 'database' }, providers: [github] })
    for (const path of ['/api/end', '/api/begin']) {
      const answer = await visitor.post(path, {}, from(FRONT))
      expect([answer.status, answer.json().error], path).to.deep.equal([500, 'MissingCSRF'])
      expect(corsHeaders(answer)).to.deep.equal(READABLE(FRONT))
    }
    const page = await visitor.get('/api/begin?callbackUrl=https%3A%2F%2Fapp.example%2Fx', {
      ...from(FRONT),
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    })
    expect(page.location?.pathname, 'a link asks first').to.equal('/auth/signin')
    expect(page.location?.searchParams.get('callbackUrl')).to.equal('https://app.example/x')
  })

  it('a GET with credentials of a front end or of anybody changes nothing', async () => {
    const visitor = await start()
    await signIn(visitor, FRONT)
    for (const origin of [FRONT, 'https://evil.example']) {
      for (const path of [
        'signout',
        'signin/github',
        'callback/credentials',
        'session',
        'link/github',
        'accounts/unlink',
      ])
        await visitor.get(`/auth/${path}`, from(origin))
      expect((await visitor.session())?.user?.name, origin).to.equal('Ada')
    }
  })

  it('shows the sign-in page to who comes from a front end, and leads back there', async () => {
    const visitor = await start()
    const page = await visitor.get(`/auth/signin?callbackUrl=${encodeURIComponent(`${FRONT}/x`)}`, {
      accept: 'text/html',
    })
    expect(formsOf(page).map(({ fields }) => fields['callbackUrl'])).to.include(`${FRONT}/x`)
  })
})

describe('a front end that somebody has taken over', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  const open = async (more: Partial<AuthConfig> = {}) => {
    const app = openAccountApp(idp, { config: { origins: [FRONT], ...more } })
    const victim = { browser: app.browser(), person: newPerson() }
    await app.signIn(victim.browser, victim.person, 'other')
    return { ...app, victim }
  }

  it('ACCT-02: adds no account to the visitor by a sign-in that it begins', async () => {
    const app = await open()
    const { browser, person } = app.victim
    const attacker = newPerson()
    const begun = await browser.post('/auth/signin/acme', { csrfToken: await browser.csrfToken() }, from(FRONT))
    setProviderUser(idp, app.clock, attacker)
    await browser.get(`/auth/callback/acme?${idp.authorize(begun.location ?? '')}`)
    expect(await app.ownerOf(attacker, 'acme')).to.not.equal(await app.ownerOf(person, 'other'))
  })

  it('ACCT-02: is led to the page that asks the visitor, if it wants to add an account', async () => {
    const app = await open()
    const { browser } = app.victim
    const fields = { csrfToken: await browser.csrfToken(), callbackUrl: `${FRONT}/settings` }
    const asked = await browser.post('/auth/link/acme', fields, { ...from(FRONT), ...AS_JSON })
    const { url } = asked.json()
    expect(url).to.equal(
      `http://app.example/auth/link/acme?${new URLSearchParams({ callbackUrl: fields.callbackUrl })}`,
    )
    const page = await browser.get(new URL(url).pathname + new URL(url).search)
    expect(page.body).to.include('<button')
    const own = await browser.post('/auth/link/acme', fields, from('http://app.example', 'same-origin'))
    expect(new URL(own.location ?? '').origin, 'the button of the page').to.equal(idp.issuer)
  })

  // A page can have browsers leave its origin out (Referrer-Policy: no-referrer), so that it looks like no page of a front end.
  const HIDDEN: Record<string, Record<string, string>> = {
    'as current browsers say it': { origin: 'null', 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'document' },
    'as old browsers say it': { origin: 'null' },
  }
  for (const [how, headers] of Object.entries(HIDDEN)) {
    it(`ACCT-02: adds nothing by hiding its origin, ${how}`, async () => {
      const app = await open()
      const { browser } = app.victim
      const linked = await browser.post('/auth/link/acme', { csrfToken: await browser.csrfToken() }, headers)
      expect(new URL(linked.location ?? '', 'http://app.example').origin).to.equal('http://app.example')
    })
  }

  it('a page of the public origin adds an account as before, also if its origin is listed', async () => {
    const app = await open({ origins: [FRONT, 'http://app.example'] })
    const { browser, person } = app.victim
    const own = newPerson()
    const begun = await browser.post(
      '/auth/signin/acme',
      { csrfToken: await browser.csrfToken() },
      from('http://app.example', 'same-origin'),
    )
    setProviderUser(idp, app.clock, own)
    await browser.get(`/auth/callback/acme?${idp.authorize(begun.location ?? '')}`)
    expect(await app.ownerOf(own, 'acme')).to.equal(await app.ownerOf(person, 'other'))
  })
})
