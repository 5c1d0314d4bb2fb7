import { expect } from 'chai'
import type { ErrorRequestHandler, Express } from 'express'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type RequestAuth, webAuth } from '../../lib/frameworks/web/index.js'
import {
  type AuthConfig,
  defineAuth,
  issueToken,
  type MiddlewareRequest,
  type MiddlewareResponse,
  RequestRefused,
  revokeOtherSessions,
  revokeSession,
  signOut,
  startSignIn,
  unlinkAccount,
  updateSession,
} from '../../lib/index.js'
import { ADA, type Running, startApp, testConfig } from '../support/app.js'
import { follow, OWN_LINK } from '../support/calling-app.js'
import { failureOf } from '../support/failure.js'
import { FakeProvider } from '../support/fake-provider.js'
import { ofFeatures } from '../support/of-features.js'
import { oauth } from '../support/sign-ins.js'
import { github, ORIGIN, OWN_PAGE, webConfig } from '../support/web-app.js'

/** Functions of features that change something. */
const OF_FEATURES =
  await ofFeatures<(config: AuthConfig) => Readonly<Record<string, (req: MiddlewareRequest) => Promise<unknown>>>>(
    'changes-by-link',
  )

const ACCOUNT = { provider: 'github', providerAccountId: 'of-mallory' }

const lists = (): Partial<AuthConfig> => {
  const adapter = memoryAdapter()
  return { adapter, bearer: true, session: { strategy: 'jwt', revocation: { store: adapter } } }
}

describe('what code of the application changes, at a link (CSRF-04, SESS-12, LINK-01, LOGOUT-01)', () => {
  /** Everything of latchkey/web that changes something, or has another site see nothing of it. */
  const CHANGES: Readonly<Record<string, (auth: RequestAuth) => unknown>> = {
    updateSession: (auth) => auth.updateSession({ admin: true }),
    'signIn with credentials': (auth) => auth.signIn({ provider: 'credentials', fields: ADA }),
    signOut: (auth) => auth.signOut('/'),
    issueToken: (auth) => auth.issueToken({ maxAge: 60 }),
    revokeSession: (auth) => auth.revokeSession('some-id'),
    revokeOtherSessions: (auth) => auth.revokeOtherSessions(),
    unlinkAccount: (auth) => auth.unlinkAccount(ACCOUNT),
    checkSender: (auth) => auth.checkSender(),
  }
  const requestBy = (method: string | undefined, headers: Record<string, string>) => ({
    headers: new Headers(headers),
    url: `${ORIGIN}/go`,
    ...(method !== undefined && { method }),
  })
  /** A promise also of what throws at once. */
  const attempt = async (work: () => unknown) => work()

  for (const [name, change] of Object.entries(CHANGES)) {
    for (const method of ['GET', 'HEAD', 'get']) {
      it(`latchkey/web: ${name} is 405 for ${method}, whatever the browser says of the page`, async () => {
        const auth = webAuth(webConfig(lists()))
        for (const headers of [OWN_LINK, OWN_PAGE, { authorization: 'Bearer x' }] as Record<string, string>[]) {
          const visitor = auth.forRequest(requestBy(method, headers))
          const error = await failureOf<RequestRefused>(attempt(() => change(visitor)))
          expect([error.constructor, error.status, error.headers]).to.deep.equal([
            RequestRefused,
            405,
            { allow: 'POST' },
          ])
        }
      })
    }

    it(`latchkey/web: ${name} needs Origin where the framework says no method`, async () => {
      const visitor = webAuth(webConfig(lists())).forRequest(requestBy(undefined, OWN_LINK))
      expect((await failureOf(attempt(() => change(visitor)))).name).to.equal('MissingCSRF')
    })
  }

  it('latchkey/web: a sign-in at a provider needs Origin where the framework says no method', async () => {
    const auth = webAuth(webConfig())
    expect(
      (await failureOf(auth.forRequest({ headers: new Headers(OWN_LINK) }).signIn({ provider: 'github' }))).name,
    ).to.equal('MissingCSRF')
    const own = auth.forRequest({ headers: new Headers(OWN_PAGE) })
    expect(new URL((await own.signIn({ provider: 'github' })).url).origin).to.equal('https://github.example')
  })

  it('latchkey/web: a link begins a sign-in at a provider only in a page of this origin, and only for a person', async () => {
    const auth = webAuth(webConfig())
    const leadsTo = async (headers: Record<string, string>, method = 'GET') => {
      const { url, cookies } = await auth.forRequest(requestBy(method, headers)).signIn({ provider: 'github' })
      return [new URL(url).origin, cookies.length > 0]
    }
    expect(await leadsTo(OWN_LINK)).to.deep.equal(['https://github.example', true])
    for (const headers of [
      { ...OWN_LINK, 'sec-fetch-site': 'cross-site' },
      { ...OWN_LINK, 'sec-fetch-site': 'none' },
      { ...OWN_LINK, 'sec-purpose': 'prefetch' },
      { ...OWN_LINK, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
    ])
      expect(await leadsTo(headers), JSON.stringify(headers)).to.deep.equal([ORIGIN, false])
    expect(await leadsTo(OWN_LINK, 'HEAD')).to.deep.equal([ORIGIN, false])
  })

  it('latchkey/web: a link to add an account leads to the page that asks', async () => {
    const auth = webAuth(webConfig({ adapter: memoryAdapter(), providers: [github] }))
    const { url, cookies } = await auth.forRequest(requestBy('GET', OWN_LINK)).startLink('github')
    expect([url, cookies]).to.deep.equal([
      `${ORIGIN}/auth/link/github?${new URLSearchParams({ callbackUrl: `${ORIGIN}/` })}`,
      [],
    ])
  })

  it('Express: every change is 405 for a link in a page of the application, also through defineAuth', async () => {
    const config = testConfig({ ...lists(), providers: [...testConfig().providers, github] })
    const auth = defineAuth(config)
    type Call = (req: MiddlewareRequest, res: MiddlewareResponse) => Promise<unknown>
    const calls: Readonly<Record<string, Call>> = {
      updateSession: (req, res) => updateSession(req, res, config, {}),
      signOut: (req, res) => signOut(req, res, config),
      issueToken: (req) => issueToken(req, config, { maxAge: 60 }),
      revokeSession: (req) => revokeSession(req, config, 'some-id'),
      revokeOtherSessions: (req) => revokeOtherSessions(req, config),
      unlinkAccount: (req) => unlinkAccount(req, config, ACCOUNT),
      ...Object.assign({}, ...OF_FEATURES.map((changesOf) => changesOf(config))),
      startSignIn: (req, res) => startSignIn(req, res, config, 'credentials', { fields: ADA }),
      'auth.updateSession': (req, res) => auth.updateSession(req, res, {}),
      'auth.signOut': (req, res) => auth.signOut(req, res),
      'auth.issueToken': (req) => auth.issueToken(req, { maxAge: 60 }),
      'auth.revokeSession': (req) => auth.revokeSession(req, 'some-id'),
      'auth.revokeOtherSessions': (req) => auth.revokeOtherSessions(req),
      'auth.unlinkAccount': (req) => auth.unlinkAccount(req, ACCOUNT),
    }
    const app = await startApp(config, (server) => {
      for (const [name, call] of Object.entries(calls))
        server.all(`/go/${name}`, (req, res, next) => {
          call(req, res).then((done) => res.headersSent || res.json(done ?? null), next)
        })
      server.use(refusals)
    })
    try {
      const visitor = app.visitor()
      await visitor.signIn(ADA)
      for (const name of Object.keys(calls)) {
        for (const method of ['GET', 'HEAD'])
          expect((await follow(visitor, `/go/${name}`, OWN_LINK, method)).status, `${method} ${name}`).to.equal(405)
      }
      expect((await visitor.session()).user.name).to.equal('Ada')
    } finally {
      await app.close()
    }
  })

  it('Express: updateSession is refused to a form that the browser says another site sent', async () => {
    const config = testConfig()
    const app = await startApp(config, (server) => {
      server.post('/name', async (req, res) => void res.json(await updateSession(req, res, config, {})))
      server.use(refusals)
    })
    try {
      const answer = await app.visitor().post('/name', {}, { origin: 'https://evil.example' })
      expect(answer.json()).to.deep.equal({ type: 'MissingCSRF' })
    } finally {
      await app.close()
    }
  })
})

const refusals: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(typeof error?.status === 'number' ? error.status : 403).json({ type: error?.name })
}

describe('a redirect of the mount vouches for nothing (SESS-12)', () => {
  let idp: FakeProvider
  let app: Running
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())
  afterEach(() => app.close())

  /** Applications whose `GET /go` begins a sign-in at the provider, and leads to `/done` in the end. */
  const EDGES: Readonly<Record<string, (server: Express, config: AuthConfig) => void>> = {
    Express: (server, config) => {
      server.get('/go', (req, res, next) => {
        startSignIn(req, res, config, 'oidc', { redirectTo: '/done' }).catch(next)
      })
    },
    'latchkey/web': (server, config) => {
      const auth = webAuth(config)
      server.get('/go', async (req, res) => {
        const headers = new Headers(Object.entries(req.headers).map(([name, value]) => [name, String(value)]))
        const request = new Request(`http://${req.headers.host}${req.originalUrl}`, { headers })
        const { url, cookies } = await auth.forRequest(request).signIn({ provider: 'oidc', redirectTo: '/done' })
        for (const { name, value } of cookies) res.append('set-cookie', `${name}=${encodeURIComponent(value)}; Path=/`)
        res.redirect(url)
      })
    },
  }
  for (const [edge, add] of Object.entries(EDGES)) {
    const start = async (more: Partial<AuthConfig> = {}) => {
      const config = testConfig({ providers: [...testConfig().providers, oauth(idp)], ...more })
      app = await startApp(config, (server) => add(server, config))
      return app.visitor()
    }
    const signInTo = async (visitor: ReturnType<Running['visitor']>, callbackUrl: string) =>
      visitor.signIn({ ...ADA, callbackUrl })

    for (const target of ['/go', '/go?x=1', '/GO/']) {
      it(`${edge}: the return target ${target} that another site has named begins nothing after a sign-in`, async () => {
        const visitor = await start()
        const { location } = await signInTo(visitor, target)
        expect(location?.pathname.toLowerCase().replace(/\/$/, '')).to.equal('/go')
        // The framework may have brought the address into the spelling of its route.
        const led = await follow(visitor, '/go', OWN_LINK)
        expect(led.location?.href).to.equal(`${app.origin}/done`)
        // From then on the visitor decides.
        expect((await follow(visitor, '/go', OWN_LINK)).location?.origin).to.equal(idp.issuer)
      })
    }

    it(`${edge}: leads to the sign-in page where nobody is signed in`, async () => {
      const visitor = await start()
      await visitor.get('/auth/signin?callbackUrl=/go')
      const { location } = await follow(visitor, '/go', OWN_LINK)
      expect(location?.pathname).to.equal('/auth/signin')
      expect(location?.searchParams.get('callbackUrl')).to.equal(`${app.origin}/done`)
      expect((await follow(visitor, '/go', OWN_LINK)).location?.origin).to.equal(idp.issuer)
    })

    it(`${edge}: a page of the mount that the visitor came from vouches for nothing, as after a sign-out`, async () => {
      const visitor = await start()
      await visitor.signIn(ADA)
      const csrfToken = await visitor.csrfToken()
      const { location } = await visitor.post('/auth/signout', { csrfToken, callbackUrl: '/go' })
      expect(location?.pathname).to.equal('/go')
      const headers = { ...OWN_LINK, referer: `${app.origin}/auth/signout?callbackUrl=/go` }
      expect((await follow(visitor, '/go', headers)).location?.pathname).to.equal('/auth/signin')
    })

    it(`${edge}: an honest return target does not keep a link from beginning a sign-in`, async () => {
      const visitor = await start()
      await signInTo(visitor, '/home')
      const headers = { ...OWN_LINK, referer: `${app.origin}/home` }
      expect((await follow(visitor, '/go', headers)).location?.origin).to.equal(idp.issuer)
    })
  }
})
