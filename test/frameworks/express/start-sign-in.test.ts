import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { type AuthConfig, authSession, startSignIn } from '../../../lib/index.js'
import GitHub from '../../../lib/providers/catalogue/github.js'
import Credentials from '../../../lib/providers/credentials.js'
import { ADA, createLog, listen, type Running, testConfig } from '../../support/app.js'
import {
  type CallingOptions,
  FOREIGN_LINK,
  follow,
  OWN_LINK,
  ownForm,
  startCallingApp,
} from '../../support/calling-app.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { Mailbox, oauth } from '../../support/sign-ins.js'
import type { Visitor } from '../../support/visitor.js'

describe('startSignIn', () => {
  let idp: FakeProvider
  let app: Running
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())
  afterEach(() => app.close())

  const mailbox = new Mailbox()
  const start = async (more: Partial<AuthConfig> = {}, options: CallingOptions = {}) => {
    const { providers } = testConfig()
    const all = [...providers, oauth(idp), mailbox.provider()]
    app = await startCallingApp(testConfig({ adapter: memoryAdapter(), providers: all, ...more }), options)
    return app.visitor()
  }
  /** Agrees at the provider to which an answer leads, and comes back. */
  const comeBack = (visitor: Visitor, location: URL | null) =>
    visitor.get(`/auth/callback/oidc?${idp.authorize(location?.href ?? '')}`)

  it('says that a provider is named by its id', async () => {
    app = await listen((req, res) => {
      startSignIn(req, res, testConfig(), GitHub as unknown as string).catch((error: Error) => res.end(error.message))
    })
    const { text } = await app.visitor().get('/')
    expect(text).to.include('it must be the id of a provider').and.include('startSignIn(req, res, config, provider')
  })

  it('signs in at a provider by a link in a page of the application', async () => {
    const visitor = await start({ session: { strategy: 'jwt' } })
    const sent = await follow(visitor, '/login/oidc?to=/private', OWN_LINK)
    expect([sent.status, sent.location?.origin]).to.deep.equal([302, idp.issuer])
    expect(sent.location?.searchParams.get('redirect_uri')).to.equal(`${app.origin}/auth/callback/oidc`)
    expect(sent.headers.get('cache-control')).to.include('no-store')
    expect((await comeBack(visitor, sent.location)).headers.get('location')).to.equal(`${app.origin}/private`)
    expect((await visitor.session()).user.name).to.equal('Ada')
  })

  it('signs in at a provider by a form of the application, without a CSRF token', async () => {
    const visitor = await start()
    const sent = await visitor.post('/login/oidc?to=/private', {}, ownForm(app.origin))
    expect((await comeBack(visitor, sent.location)).headers.get('location')).to.equal(`${app.origin}/private`)
    expect((await visitor.session()).user.name).to.equal('Ada')
  })

  it('signs in with the fields of a form of the application', async () => {
    const visitor = await start({ session: { strategy: 'jwt' } })
    const signedIn = await visitor.post('/login/credentials?to=/private', ADA, ownForm(app.origin))
    expect([signedIn.status, signedIn.headers.get('location')]).to.deep.equal([302, `${app.origin}/private`])
    expect((await visitor.session()).user.name).to.equal('Ada')
  })

  it('throws to the route that nobody was accepted, with the code, and signs nobody in', async () => {
    const log = createLog()
    const visitor = await start({ session: { strategy: 'jwt' }, logger: log.logger })
    const refused = await visitor.post('/login/credentials', { ...ADA, password: 'wrong' }, ownForm(app.origin))
    expect(refused.json()).to.deep.equal({ type: 'CredentialsSignin', code: 'credentials' })
    expect(refused.setCookie).to.deep.equal([])
    expect(await visitor.session()).to.equal(null)
    expect(log.errors.map(({ name }) => name)).to.deep.equal(['CredentialsSignin'])
  })

  it('sends a mailed link, which signs in', async () => {
    const visitor = await start()
    const sent = await visitor.post('/login/email?to=/private', { email: 'ada@example.com' }, ownForm(app.origin))
    expect(sent.location?.pathname).to.equal('/auth/verify-request')
    expect((await visitor.get(mailbox.pathFor('ada@example.com'))).headers.get('location')).to.equal(
      `${app.origin}/private`,
    )
  })

  it('gives a script that asks for it the URL as JSON', async () => {
    const visitor = await start()
    const headers = { origin: app.origin, 'x-auth-return-redirect': '1' }
    const answer = await visitor.post('/login/oidc', {}, headers)
    expect([answer.status, new URL(answer.json().url).origin]).to.deep.equal([200, idp.issuer])
    expect(answer.setCookie.length).to.be.greaterThan(0)
  })

  it('leads to the sign-in page without a provider, with the address to come back to', async () => {
    const visitor = await start()
    const sent = await follow(visitor, '/login?to=/private', FOREIGN_LINK)
    expect(sent.location?.href).to.equal(
      `${app.origin}/auth/signin?callbackUrl=${encodeURIComponent(`${app.origin}/private`)}`,
    )
  })

  it('answers 404 for a provider that there is not', async () => {
    const visitor = await start()
    for (const id of ['other', '__proto__', 'undefined', '..%2fsignout', 'oidc%0d%0aX:1']) {
      expect((await follow(visitor, `/login/${id}`, OWN_LINK)).status, id).to.equal(404)
    }
  })

  const LEADS_BACK: Readonly<Record<string, readonly [query: string, referer: string | null, target: string]>> = {
    'to what the route says': ['?to=/private&callbackUrl=/guarded', '/page', '/private'],
    'to the page that a guard stopped': ['?callbackUrl=/guarded', '/page', '/guarded'],
    'to the page with the link': ['', '/page?x=1', '/page?x=1'],
    'to the root': ['', null, '/'],
  }
  for (const [name, [query, referer, target]] of Object.entries(LEADS_BACK)) {
    it(`leads back ${name}`, async () => {
      const visitor = await start()
      const headers = { ...OWN_LINK, ...(referer !== null && { referer: app.origin + referer }) }
      const back = await comeBack(visitor, (await follow(visitor, `/login/oidc${query}`, headers)).location)
      expect(back.headers.get('location')).to.equal(app.origin + target)
    })
  }

  it('begins from a bookmark or another site where the route says so', async () => {
    const visitor = await start({}, { fromAnywhere: true })
    for (const site of ['none', 'cross-site', 'same-site']) {
      const sent = await follow(visitor, '/login/oidc', { ...OWN_LINK, 'sec-fetch-site': site })
      expect(sent.location?.origin, site).to.equal(idp.issuer)
    }
    const old = await follow(visitor, '/login/oidc', { accept: 'text/html,*/*;q=0.8' })
    expect(old.location?.origin).to.equal(idp.issuer)
  })

  it('says what to do where the sign-in page would lead to itself', async () => {
    const log = createLog()
    const visitor = await start({ pages: { signIn: '/login/oidc' }, logger: log.logger })
    const answer = await follow(visitor, '/login/oidc', FOREIGN_LINK)
    expect([answer.status, JSON.parse(answer.body).type]).to.deep.equal([500, 'InvalidConfiguration'])
    expect((await follow(visitor, '/login/oidc', OWN_LINK, 'HEAD')).status).to.equal(403)
    await app.close()
    const other = await start({ pages: { signIn: '/login/oidc' } }, { fromAnywhere: true })
    expect((await follow(other, '/login/oidc', FOREIGN_LINK)).location?.origin).to.equal(idp.issuer)
  })

  it('signs the new visitor in, also where authSession has renewed the session of the last one', async () => {
    let size = 10
    const config = testConfig({
      callbacks: {
        jwt: ({ token, user }) => {
          // The last visitor's token shrinks into one cookie, and that of the new one has pieces.
          size = user ? 6000 : 10
          return { ...token, data: 'x'.repeat(size) }
        },
      },
      providers: [
        Credentials({ credentials: { name: {} }, authorize: ({ name }) => ({ id: `${name}`, name: `${name}` }) }),
      ],
    })
    app = await startCallingApp(config, { extend: (server) => server.use(authSession(config)) })
    const visitor = app.visitor()
    await visitor.post('/login/credentials', { name: 'Bob' }, ownForm(app.origin))
    await visitor.post('/login/credentials', { name: 'Ada' }, ownForm(app.origin))
    expect([...visitor.jar.keys()]).not.to.include('authjs.session-token')
    expect((await visitor.session()).user.name).to.equal('Ada')
  })

  it('throws to the route that the provider is down, and keeps what a callback has put into the session', async () => {
    let count = 0
    const jwt: NonNullable<AuthConfig['callbacks']>['jwt'] = ({ token }) => {
      count += 1
      return { ...token, count }
    }
    const down = oauth(idp, 'oidc', { id: 'down', issuer: 'http://127.0.0.1:9' })
    const { providers } = testConfig()
    const visitor = await start({ session: { strategy: 'jwt' }, providers: [...providers, down], callbacks: { jwt } })
    await visitor.signIn(ADA)
    const before = visitor.jar.get('authjs.session-token')
    const answer = await visitor.post('/login/down', {}, ownForm(app.origin))
    expect([answer.status, answer.location]).to.deep.equal([500, null])
    expect(answer.json().type).to.equal('OAuthSignInError')
    expect(visitor.jar.get('authjs.session-token')).to.be.a('string').and.not.equal(before)
    expect((await visitor.session()).user.name).to.equal('Ada')
  })

  it('passes parameters on to the provider, and none that belong to the protocol', async () => {
    const config = testConfig({ providers: [oauth(idp)] })
    app = await startCallingApp(config, {
      extend: (server) =>
        server.get('/hinted', (req, res, next) => {
          const authorizationParams = { login_hint: 'ada', redirect_uri: 'https://evil.example', state: 'x' }
          startSignIn(req, res, config, 'oidc', { authorizationParams }).catch(next)
        }),
    })
    const { searchParams } = (await follow(app.visitor(), '/hinted', OWN_LINK)).location ?? new URL('about:blank')
    expect(searchParams.get('login_hint')).to.equal('ada')
    expect(searchParams.get('redirect_uri')).to.equal(`${app.origin}/auth/callback/oidc`)
    expect(searchParams.getAll('state')).to.have.length(1).and.not.include('x')
  })
})
