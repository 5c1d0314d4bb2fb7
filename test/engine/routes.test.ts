import { expect } from 'chai'
import { FEATURES } from '../../lib/compose.js'
import { FILES, isServedPath, NAMES } from '../../lib/engine/action-names.js'
import { findRoute } from '../../lib/engine/routes.js'
import { webAuth } from '../../lib/frameworks/web/index.js'
import { isAuthAction, skipCSRFCheck } from '../../lib/index.js'
import { loadScript } from '../../lib/pages/loaded-assets.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import type { Feature } from '../../lib/sign-in/feature.js'
import { ADA, passwords, type Running, startApp, testConfig } from '../support/app.js'
import { rowsOfFeatures } from '../support/of-features.js'
import { sendRaw } from '../support/raw-http.js'
import type { Visitor } from '../support/visitor.js'

const github = GitHub({ clientId: 'client', clientSecret: 'secret' })

/** Paths of features with their methods. */
const OF_FEATURES = await rowsOfFeatures<string>('methods')

/** Every action with the methods that it has. */
const METHODS: Readonly<Record<string, string>> = {
  '/auth/providers': 'GET, HEAD',
  '/auth/session': 'GET, HEAD, POST',
  '/auth/csrf': 'GET, HEAD',
  '/auth/signin': 'GET, HEAD, POST',
  '/auth/signin/credentials': 'GET, HEAD, POST',
  '/auth/signin/github': 'GET, HEAD, POST',
  '/auth/signout': 'GET, HEAD, POST',
  '/auth/callback/credentials': 'POST',
  '/auth/verify-request': 'GET, HEAD',
  '/auth/error': 'GET, HEAD',
  ...OF_FEATURES,
}

describe('the routes (WEB-05)', () => {
  let app: Running
  let ada: Visitor
  before(async () => {
    app = await startApp(testConfig({ providers: [passwords, github] }))
    ada = app.visitor()
    await ada.signIn(ADA)
  })
  after(() => app.close())

  for (const [path, allowed] of Object.entries(METHODS)) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      const has = allowed.split(', ').includes(method)
      it(`${method} ${path} ${has ? 'is served' : 'answers 405 and names the methods there are'}`, async () => {
        const { status, headers, setCookie } = await sendRaw(app.origin, path, {
          method,
          headers: { cookie: ada.cookieHeader() },
        })
        if (has) expect(status).to.be.oneOf([200, 302, 400])
        else {
          expect([status, headers.get('allow')]).to.deep.equal([405, allowed])
          expect(setCookie).to.deep.equal([])
        }
      })
    }
  }

  it('answers 404 to what names no action, as a page to browsers and as JSON to others', async () => {
    for (const path of [
      '/nonsense',
      '/signin/a/b',
      '/signin/credentials/x',
      '/csrf/x',
      '/session/github',
      '/sessions/other',
      '/sessions/revoke/x',
      '/signin/nobody',
      '/callback/nobody',
      '/callback',
      '/SIGNIN',
    ]) {
      for (const method of ['GET', 'POST']) {
        const json = await ada.visit(`/auth${path}`, { method })
        expect([json.status, json.headers.get('content-type')], `${method} ${path}`).to.deep.equal([
          404,
          'application/json',
        ])
        expect(json.json().message).to.be.a('string')
        expect(json.setCookie).to.deep.equal([])
      }
      const page = await ada.get(`/auth${path}`, { accept: 'text/html' })
      expect([page.status, page.headers.get('content-type')], path).to.deep.equal([404, 'text/html; charset=utf-8'])
      expect(page.text).to.contain(`href="${app.origin}/auth/signin"`)
    }
  })

  it('takes the id "undefined" for none, as Auth.js does', async () => {
    expect((await ada.get('/auth/signin/undefined')).status).to.equal(200)
  })

  it('answers HEAD as GET, without a body, a cookie or an effect', async () => {
    // GET would renew a session, or begin a ceremony: it is not run for HEAD, which then has the headers that need no run.
    const getHasEffect = (path: string) => /^\/auth\/(session|webauthn-options)\b/.test(path)
    const stale = app.visitor()
    stale.jar.set('authjs.session-token', 'rubbish')
    for (const [path, allowed] of Object.entries(METHODS)) {
      if (!allowed.includes('HEAD')) continue
      const asGet = await app.visitor().get(path)
      const asHead = await stale.visit(path, { method: 'HEAD' })
      const expected = getHasEffect(path) ? [200, null] : [asGet.status, asGet.headers.get('content-type')]
      expect([asHead.status, asHead.headers.get('content-type')], path).to.deep.equal(expected)
      expect(asHead.headers.get('cache-control'), path).to.equal(asGet.headers.get('cache-control'))
      expect([asHead.text, asHead.setCookie], path).to.deep.equal(['', []])
    }
    const { status, headers } = await sendRaw(app.origin, '/auth/callback/github?code=x&state=y', { method: 'HEAD' })
    expect([status, headers.has('location')]).to.deep.equal([200, false])
  })

  it('keeps every answer out of caches (COOKIE-12)', async () => {
    for (const path of [...Object.keys(METHODS), '/auth/nonsense']) {
      const { headers } = await ada.get(path)
      expect(headers.get('cache-control'), path).to.equal('private, no-cache, no-store')
      expect(headers.get('vary'), path).to.equal('Cookie')
    }
  })

  it('tells GET csrf, providers and session as Auth.js does', async () => {
    expect((await ada.get('/auth/csrf')).json()).to.have.all.keys('csrfToken')
    expect((await ada.get('/auth/providers')).json()).to.deep.equal({
      credentials: {
        id: 'credentials',
        name: 'Credentials',
        type: 'credentials',
        signinUrl: `${app.origin}/auth/signin/credentials`,
        callbackUrl: `${app.origin}/auth/callback/credentials`,
      },
      github: {
        id: 'github',
        name: 'GitHub',
        type: 'oauth',
        signinUrl: `${app.origin}/auth/signin/github`,
        callbackUrl: `${app.origin}/auth/callback/github`,
      },
    })
    const session = await ada.get('/auth/session')
    expect([session.headers.get('content-type'), session.json().user]).to.deep.equal([
      'application/json',
      { name: 'Ada', email: 'ada@example.com', image: null },
    ])
    expect((await app.visitor().get('/auth/session')).text).to.equal('null')
  })

  it('answers POST session with 400 null without a token, and changes nothing', async () => {
    const answer = await ada.postJson('/auth/session', { data: { name: 'Eve' } })
    expect([answer.status, answer.text, answer.setCookie]).to.deep.equal([400, 'null', []])
    expect((await ada.session()).user.name).to.equal('Ada')
  })

  it('sends POST signin without a provider of its own start to the sign-in page', async () => {
    const csrfToken = await ada.csrfToken()
    for (const path of ['/auth/signin', '/auth/signin/credentials']) {
      const answer = await ada.post(path, { csrfToken, provider: 'github' })
      expect([answer.status, answer.headers.get('location')]).to.deep.equal([302, `${app.origin}/auth/signin`])
    }
  })

  it('starts nothing by GET: a link to a provider shows the page with its button (CVE-2015-9284)', async () => {
    const answer = await ada.get('/auth/signin/github?callbackUrl=/x')
    expect(answer.headers.get('location')).to.equal(
      `${app.origin}/auth/signin?${new URLSearchParams({ callbackUrl: `${app.origin}/x` })}`,
    )
  })

  it('gives redirects as JSON to clients that ask for it, with cookies and Location', async () => {
    const visitor = app.visitor()
    const csrfToken = await visitor.csrfToken()
    const headers = { 'x-auth-return-redirect': '1' }
    const signedIn = await visitor.post(
      '/auth/callback/credentials',
      { csrfToken, ...ADA, callbackUrl: '/in' },
      headers,
    )
    expect([signedIn.status, signedIn.json()]).to.deep.equal([200, { url: `${app.origin}/in` }])
    expect(signedIn.headers.get('location')).to.equal(`${app.origin}/in`)
    expect(signedIn.cookies.has('authjs.session-token')).to.equal(true)
    const refused = await visitor.post('/auth/signout', { csrfToken: 'x' }, headers)
    expect([refused.status, refused.json().url]).to.deep.equal([200, `${app.origin}/auth/signin?error=MissingCSRF`])
    expect((await visitor.post('/auth/session', {}, headers)).status).to.equal(400)
    expect((await visitor.get('/auth/nonsense', headers)).status).to.equal(404)
    expect((await visitor.get('/auth/session', { 'x-auth-return-redirect': '' })).json().user.name).to.equal('Ada')
  })

  it('tells of errors with their status', async () => {
    for (const [error, status] of [
      ['Configuration', 500],
      ['AccessDenied', 403],
      ['Verification', 403],
      ['Nonsense', 200],
      ['', 200],
      ['constructor', 200],
    ] as const) {
      expect((await ada.get(`/auth/error?error=${error}`)).status, error).to.equal(status)
    }
    expect((await ada.get('/auth/error')).status).to.equal(200)
    expect((await ada.get('/auth/signin?error=Configuration')).status).to.equal(200)
  })

  it('answers GET csrf with 404 where an integration turned the protection off (specification, errors 8)', async () => {
    const open = await startApp(testConfig({ skipCSRFCheck }))
    const visitor = open.visitor()
    expect((await visitor.get('/auth/csrf')).status).to.equal(404)
    expect((await visitor.post('/auth/callback/credentials', ADA)).cookies.has('authjs.session-token')).to.equal(true)
    expect((await visitor.get('/auth/signin')).cookies.has('authjs.csrf-token')).to.equal(false)
    await open.close()
  })
})

describe('the list of actions', () => {
  it('has a route for each name, and a name for each route of a feature', () => {
    const served = NAMES.filter((name) => findRoute(`/auth/${name}`, '/auth').route !== null)
    expect(served).to.deep.equal(NAMES)
    const ofFeatures = FEATURES.flatMap(({ routes = {} }) => Object.keys(routes))
    expect(ofFeatures.length).to.be.greaterThan(5)
    expect(ofFeatures.filter((name) => !isAuthAction(name))).to.deep.equal([])
  })

  it('is that of the paths which integrations serve: each route, those below it, and each file', async () => {
    const pathsIn = (routes: Feature['routes'], above = ''): readonly string[] =>
      Object.entries(routes ?? {}).flatMap(([name, { below }]) => [
        `${above}/${name}`,
        ...pathsIn(below, `${above}/${name}`),
      ])
    const files = ['/assets/pages.css', '/assets/passkey-buttons.js', `/${(await loadScript()).path}`]
    expect(FILES.filter(({ path }) => !files.some((file) => path.test(file)))).to.deep.equal([])
    const ofFeatures = FEATURES.flatMap(({ routes }) => pathsIn(routes))
    const { isServed } = webAuth(testConfig({ basePath: '/auth' }))
    for (const path of [...NAMES.map((name) => `/${name}`), '/sessions/revoke', ...ofFeatures, ...files]) {
      expect(findRoute(`/auth${path}`, '/auth').route, path).to.not.equal(null)
      expect(isServedPath(path), path).to.equal(true)
      expect(isServed(`/auth${path}`), path).to.equal(true)
    }
  })

  it('counts the forms of every feature, but not what ends something, which nobody must be kept from', () => {
    const uncounted = (routes: Feature['routes'], above = ''): readonly string[] =>
      Object.entries(routes ?? {}).flatMap(([name, { POST, limit, below }]) => [
        ...(POST && !limit ? [above + name] : []),
        ...uncounted(below, `${above}${name}/`),
      ])
    expect(FEATURES.flatMap(({ routes }) => uncounted(routes))).to.deep.equal(['backchannel-logout', 'act-as/end'])
  })
})

describe('isAuthAction', () => {
  it('knows the nine actions of Auth.js and nothing else', () => {
    const others = Object.keys(OF_FEATURES).map((path) => path.split('/')[2] ?? '')
    for (const action of [
      ...'providers session csrf signin signout callback verify-request error'.split(' '),
      ...others,
    ]) {
      expect(isAuthAction(action), action).to.equal(true)
    }
    for (const action of ['', 'Signin', 'constructor', '__proto__', 'toString', 'signin/'])
      expect(isAuthAction(action), action).to.equal(false)
  })
})
