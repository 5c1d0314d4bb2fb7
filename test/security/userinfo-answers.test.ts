import { expect } from 'chai'
import { oidcProvider } from '../../lib/providers/index.js'
import { openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, quiet, resolved } from '../support/oauth-driver.js'
import { goTo, newPerson, type Person, setProviderUser } from '../support/sign-ins.js'

type Claims = Record<string, unknown>

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())
beforeEach(() => idp.reset())

/** What the ID token says of the person, beside `sub`; userinfo says something else. */
const inIdToken = (claims: Claims) => {
  const before = idp.faults.claims
  idp.faults.claims = (all) => {
    const { name: _, email: __, email_verified: ___, picture: ____, ...protocol } = before?.(all) ?? all
    return { ...protocol, ...claims }
  }
}
const atUserinfo = (claims: Claims) => {
  idp.faults.userinfo = () => ({ body: claims })
}

type App = ReturnType<typeof openAccountApp>

/** Signs in at the app of a test as somebody of whom ID token and userinfo say different things. */
const signInAt = async ({ browser, clock }: App, person: Person, idToken: Claims, userinfo: Claims) => {
  setProviderUser(idp, clock, person)
  inIdToken(idToken)
  atUserinfo({ sub: person.sub, ...userinfo })
  const visitor = browser()
  await visitor.get(await goTo(visitor, idp, 'acme'))
}

describe('a signed ID token and userinfo that do not agree', () => {
  /** Mallory signs in with the address of a user who confirmed it. Gives whether she became that user. */
  const attack = async (idToken: Claims, userinfo: Claims, options: Claims = { idToken: false }) => {
    const app = openAccountApp(idp, { provider: { allowDangerousEmailAccountLinking: true, ...options } })
    const mallory = newPerson()
    const email = mallory.email ?? ''
    await app.store.createUser({ id: 'victim', email, emailVerified: new Date(0) })
    const written = Object.entries(idToken).map(([name, value]) => [name, value === '@' ? email.toUpperCase() : value])
    await signInAt(app, mallory, Object.fromEntries(written), { email, ...userinfo })
    return (await app.ownerOf(mallory)) === 'victim'
  }

  const NO = [false, 'false', 'False', 0, '0', 'no', 1, [true], { value: true }]
  for (const said of NO) {
    it(`ACCT-01, OIDC-19: a verified address at userinfo does not link if the ID token says ${JSON.stringify(said)}`, async () => {
      expect(await attack({ email: '@', email_verified: said }, { email_verified: true })).to.equal(false)
      expect(await attack({ email_verified: said }, { email_verified: true })).to.equal(false)
    })
  }

  const OTHERS = ['other@example.com', ['other@example.com'], ['@', 'other@example.com'], { value: '@' }, true, 7]
  for (const email of OTHERS) {
    it(`ACCT-01: it does not link if the ID token has the address ${JSON.stringify(email)}`, async () => {
      expect(await attack({ email, email_verified: true }, { email_verified: true })).to.equal(false)
      expect(await attack({ email }, { email_verified: true })).to.equal(false)
    })
  }

  it('links where the ID token agrees, in any spelling, or says nothing', async () => {
    for (const claims of [{ email: '@', email_verified: true }, { email_verified: 'true' }, { email: '@' }, {}])
      expect(await attack(claims, { email_verified: true }), JSON.stringify(claims)).to.equal(true)
    for (const nothing of [null, ''])
      expect(await attack({ email: nothing, email_verified: nothing }, { email_verified: true })).to.equal(true)
  })

  it('ACCT-01: the yes of the ID token does not stand for an address that only userinfo has', async () => {
    const byDefault = {}
    expect(await attack({ email_verified: true }, {}, byDefault), 'userinfo says nothing').to.equal(false)
    expect(await attack({ email_verified: true }, { email_verified: false }, byDefault)).to.equal(false)
    expect(await attack({ email_verified: false }, { email_verified: true }, byDefault)).to.equal(false)
    expect(await attack({ email: ['@'], email_verified: true }, { email_verified: true }, byDefault)).to.equal(false)
    expect(await attack({}, { email_verified: true }, byDefault), 'where nothing contradicts').to.equal(true)
  })

  it('ACCT-01: an address that userinfo adds for an ID token with a name is not asked for', async () => {
    expect(await attack({ name: 'Mallory' }, { email_verified: true }, {})).to.equal(false)
    expect(idp.callsTo('/userinfo')).to.have.length(0)
  })

  it('ACCT-01: callbacks of the application see the no of the ID token', async () => {
    const seen: unknown[] = []
    const app = openAccountApp(idp, {
      provider: { idToken: false },
      config: { callbacks: { signIn: ({ profile }) => Boolean(seen.push(profile?.email_verified)) } },
    })
    const mallory = newPerson()
    const { email } = mallory
    await signInAt(app, mallory, { email, email_verified: false }, { email, email_verified: true })
    expect(seen).to.deep.equal([false])
  })

  it('ACCT-01: the entries with a claim of their own for it hear the no, too', async () => {
    for (const name of ['intuit', 'frontegg']) {
      const { default: entry } = (await import(`../../lib/providers/catalogue/${name}.js`)) as {
        default: (options: object) => object
      }
      const { verifiedEmail } = resolved(
        entry({ clientId: 'c', clientSecret: 's', issuer: 'https://id.example.com' }) as never,
      )
      const yes = { email: 'ada@example.com', emailVerified: true, verified: true }
      expect(verifiedEmail(yes), name).to.equal('ada@example.com')
      for (const email_verified of [false, null]) expect(verifiedEmail({ ...yes, email_verified }), name).to.equal(null)
    }
  })
})

describe('a person of whom the ID token says nothing', () => {
  const ada = { name: 'Ada', email: 'ada@example.com' }
  const warnings: [string, unknown][] = []
  const logger = { ...quiet, warn: (code: string, data?: unknown) => void warnings.push([code, data]) }
  beforeEach(() => {
    warnings.length = 0
    inIdToken({})
    atUserinfo({ sub: 'person-1', ...ada })
    idp.profile = { sub: 'person-1' }
  })

  const signIn = async (options: Claims = {}) => {
    const provider = resolved(
      oidcProvider({ id: 'acme', name: 'Acme' })({ issuer: idp.issuer, clientId: 'c', clientSecret: 's', ...options }),
    )
    const driver = new OAuthDriver({ logger })
    const jar = new CookieJar()
    const { user } = identityOf(
      await driver.finish(provider, jar, idp.authorize((await driver.start(provider, jar)).href)),
    )
    return { name: user.name ?? null, email: user.email ?? null, asked: idp.callsTo('/userinfo').length }
  }
  const nobody = { name: null, email: null }

  it('gets name and address from userinfo (OpenID Connect Core 1.0 §5.4), and their ID token stays what counts', async () => {
    expect(await signIn()).to.deep.equal({ ...ada, asked: 1 })
    inIdToken({ name: '', email: '', preferred_username: null, email_verified: false })
    expect(await signIn(), 'empty texts').to.include(ada)
    expect(warnings).to.deep.equal([])
  })

  it('is not asked about again if the ID token has a name or an address', async () => {
    for (const claims of [{ name: 'Ada' }, { email: 'ada@example.com' }, { preferred_username: 'ada' }]) {
      inIdToken(claims)
      expect((await signIn()).asked, JSON.stringify(claims)).to.equal(0)
    }
  })

  it('is not asked about with idToken: true, without a scope for it, or where nobody can be asked', async () => {
    expect(await signIn({ idToken: true })).to.deep.equal({ ...nobody, asked: 0 })
    idp.faults.token = (answer) => ({ body: { ...answer, scope: 'openid' } })
    expect(await signIn(), 'the person granted less').to.deep.equal({ ...nobody, asked: 0 })
    idp.faults.token = ({ scope: _, ...answer }) => ({ body: answer })
    expect(await signIn({ scope: 'openid offline_access' })).to.deep.equal({ ...nobody, asked: 0 })
    expect((await signIn({ scope: 'openid email' })).asked).to.equal(1)
    const url = `${idp.issuer}/authorize?scope=openid+email`
    expect((await signIn({ authorization: { url } })).asked, 'in the address').to.equal(2)
    const scope = () => `openid ${'offline_access'.replace(/ profile /, '')}`
    expect((await signIn({ authorization: { params: { scope } } })).asked, 'the code of a function is none').to.equal(2)
    idp.faults.metadata = ({ userinfo_endpoint: _, ...document }) => document
    idp.calls.length = 0
    expect(await signIn()).to.deep.equal({ ...nobody, asked: 0 })
    expect(warnings).to.deep.equal([])
  })

  const FAILURES: Record<string, FakeProvider['faults']['userinfo']> = {
    'is of another person': () => ({ body: { sub: 'mallory', ...ada } }),
    'has no sub': () => ({ body: ada }),
    'has a list as sub': () => ({ body: { ...ada, sub: ['person-1'] } }),
    'is an error': () => ({
      status: 500,
      body: { error: 'server_error', error_description: 'marked-access-token is bad' },
    }),
    'is refused': () => ({ status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' }, body: '' }),
    'is no JSON': () => ({ body: 'Ada' }),
    'is a list': () => ({ body: [ada] }),
  }
  for (const [what, fault] of Object.entries(FAILURES)) {
    it(`OIDC-17: is signed in without a name if the answer of userinfo ${what}, and the log says so`, async () => {
      idp.faults.userinfo = fault
      expect(await signIn()).to.deep.equal({ ...nobody, asked: 1 })
      expect(warnings.map(([code]) => code)).to.deep.equal(['userinfo-not-read'])
      expect(warnings[0]?.[1]).to.include({ provider: 'acme' })
      expect(JSON.stringify(warnings)).not.to.match(/marked|ada@/i)
      await failure(signIn({ idToken: false }), 'CallbackRouteError')
    })
  }

  it('keeps the claims of the ID token, which are signed', async () => {
    const kept: Claims[] = []
    inIdToken({ roles: ['reader'], hd: 'acme.example' })
    atUserinfo({ sub: 'person-1', ...ada, roles: ['admin'], hd: 'mallory.example', iss: 'https://mallory.example' })
    await signIn({
      profile: (profile: Claims) => {
        kept.push(profile)
        return { id: String(profile['sub']) }
      },
    })
    expect(kept[0]).to.deep.include({ ...ada, roles: ['reader'], hd: 'acme.example', iss: idp.issuer })
  })

  it('is stored with name and address', async () => {
    const app = openAccountApp(idp)
    const person = newPerson()
    await signInAt(app, person, {}, { name: 'Ada', email: person.email })
    const row = await app.store.getUserByAccount({ provider: 'acme', providerAccountId: person.sub })
    expect(row).to.include({ name: 'Ada', email: person.email })
  })
})
