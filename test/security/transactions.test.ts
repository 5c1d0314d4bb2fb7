import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import type { Provider } from '../../lib/providers/provider.js'
import type { JWTCallback } from '../../lib/sessions/jwt-claims.js'
import type { SessionCallback } from '../../lib/sessions/session-callback.js'
import { FakeProvider } from '../support/fake-provider.js'
import { ofFeatures } from '../support/of-features.js'
import { askForLink, goTo, Mailbox, newPerson, oauth, type Person, setProviderUser } from '../support/sign-ins.js'
import { Clock, openTestApp, type TestBrowser, whoIs } from '../support/test-app.js'

const ORIGIN = 'https://app.example'
const ENDED = `${ORIGIN}/auth/signin?error=SessionChanged`
/** The same, with where the visitor wanted to go. */

/** A kind of transaction that a feature has. */
const OF_FEATURES = await ofFeatures<{
  readonly provider: () => Provider
  readonly begin: (browser: TestBrowser) => Promise<unknown>
  readonly cookie: string
  readonly title: string
  readonly run: (app: TransactionApp) => Promise<void>
}>('transactions')

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

/** An application with every kind of sign-in. Ada and Bob have accounts at one provider; the account at the other is to be added. */
function setUp(config: Partial<AuthConfig> = {}) {
  const store = memoryAdapter()
  const mailbox = new Mailbox()
  const formPost = { authorization: { params: { response_mode: 'form_post' } } }
  const testApp = openTestApp(
    {
      adapter: store,
      providers: [
        oauth(idp, 'oidc', { id: 'work' }),
        oauth(idp, 'oidc', { id: 'other' }),
        oauth(idp, 'oidc', { id: 'posted', ...formPost }),
        oauth(idp, 'oidc', { id: 'unchecked', checks: ['none'] }),
        mailbox.provider(),
        ...OF_FEATURES.map(({ provider }) => provider()),
      ],
      ...config,
    },
    { clock: new Clock(Math.floor(Date.now() / 1000) * 1000), origin: ORIGIN },
  )
  const signIn = async (browser: TestBrowser, person: Person) => {
    setProviderUser(idp, testApp.clock, person)
    const { location } = await browser.get(await goTo(browser, idp, 'work'))
    expect(location).to.match(/^https:\/\/app\.example(\/two)?$/)
    return (await store.getUserByAccount({ provider: 'work', providerAccountId: person.sub }))?.id
  }
  const begin = async (browser: TestBrowser, person: Person, id = 'other', callbackUrl?: string) => {
    setProviderUser(idp, testApp.clock, person)
    const { location } = await browser.post(`/auth/signin/${id}`, {
      csrfToken: await browser.csrfToken(),
      ...(callbackUrl !== undefined && { callbackUrl }),
    })
    return `/auth/callback/${id}?${idp.authorize(location ?? '')}`
  }
  const ownerOf = async ({ sub }: Person, provider = 'other') =>
    (await store.getUserByAccount({ provider, providerAccountId: sub }))?.id
  return { ...testApp, store, mailbox, signIn, begin, ownerOf }
}

type TransactionApp = ReturnType<typeof setUp>

/** The cookies of open transactions, to be put back after an answer deleted them, as one who can plant cookies would. */
function keep(browser: TestBrowser): () => void {
  const kept = [...browser.jar].filter(([name]) => /\.(state|code_verifier|nonce|challenge|email-request)\./.test(name))
  return () => {
    for (const [name, cookie] of kept) browser.jar.set(name, cookie)
  }
}

const openIn = (browser: TestBrowser) =>
  [...browser.jar.keys()].filter((name) => /\.(state|code_verifier|nonce|challenge|email-request)\./.test(name))

describe('a sign-in that begins in a session which the jwt callback has to do with', () => {
  const jwtSession = { strategy: 'jwt' } as const

  it('begins though the callback throws, and adds nothing to anybody: signing in again is the cure', async () => {
    let isBroken = false
    const jwt: JWTCallback = ({ token, account }) => {
      if (isBroken && !account) throw new Error('the refresh token was refused')
      return token
    }
    const { browser, signIn, begin, ownerOf, log } = setUp({ session: jwtSession, callbacks: { jwt } })
    const [ada, other] = [newPerson(), newPerson()]
    const shared = browser()
    const id = await signIn(shared, ada)
    isBroken = true
    const path = await begin(shared, other)
    expect(log.errors.at(-1)).to.have.property('type', 'JWTSessionError')
    expect((await shared.get(path)).location).to.equal(ORIGIN)
    expect(await ownerOf(other))
      .to.be.a('string')
      .and.not.equal(id)
    isBroken = false
    expect(await whoIs(shared)).to.equal(other.email)
  })

  it('keeps what the callback gave: a token that was rotated is not lost when the visitor cancels', async () => {
    const jwt: JWTCallback = ({ token }) => ({ ...token, rotated: Number(token['rotated'] ?? 0) + 1 })
    const session: SessionCallback = ({ session, token }) => ({ ...session, rotated: token['rotated'] })
    const { browser, signIn, begin } = setUp({ session: jwtSession, callbacks: { jwt, session } })
    const ada = browser()
    await signIn(ada, newPerson())
    await begin(ada, newPerson())
    expect(await ada.session()).to.have.property('rotated', 3)
  })
})

for (const strategy of ['jwt', 'database'] as const) {
  describe(`ACCT-02 a sign-in belongs to the session that it began in, with ${strategy} sessions`, () => {
    const session = { strategy }

    for (const isKnown of [false, true]) {
      it(`begun signed out, and ended as another than who signed in meanwhile, ${isKnown ? 'who is known' : 'who is new'}, it asks first`, async () => {
        const { browser, signIn, begin, ownerOf, store } = setUp({ session })
        const [ada, bob] = [newPerson(), newPerson()]
        if (isKnown) {
          const bobs = browser()
          await bobs.get(await begin(bobs, bob))
        }
        const owner = await ownerOf(bob)
        const shared = browser()
        const path = await begin(shared, bob, 'other', '/two')
        await signIn(shared, ada)
        setProviderUser(idp, new Clock(Date.now()), bob)
        const { location } = await shared.get(path)
        expect(location).to.equal(ENDED)
        const page = await shared.get((location ?? '').replace(ORIGIN, ''))
        expect(page.body).to.include(`href="${ORIGIN}/two"`).and.to.include('/auth/signout')
        expect(await whoIs(shared)).to.equal(ada.email)
        expect(await ownerOf(bob)).to.equal(owner)
        expect((await store.getUserByEmail(bob.email ?? '')) === null).to.equal(!isKnown)
      })
    }

    for (const hasStore of [true, false]) {
      it(`of one person in two tabs both end where they wanted to go, ${hasStore ? 'with' : 'without'} stored users`, async () => {
        if (!hasStore && strategy === 'database') return
        const config = hasStore ? {} : { adapter: undefined, providers: [oauth(idp, 'oidc', { id: 'other' })] }
        const { browser, begin } = setUp({ session, ...config } as Partial<AuthConfig>)
        const [own, ada, bob] = [browser(), newPerson(), newPerson()]
        const [one, two] = [await begin(own, ada, 'other', '/one'), await begin(own, ada, 'other', '/two')]
        const three = await begin(own, bob, 'other', '/three')
        setProviderUser(idp, new Clock(Date.now()), ada)
        expect((await own.get(two)).location).to.equal(`${ORIGIN}/two`)
        expect((await own.get(one)).location).to.equal(`${ORIGIN}/one`)
        setProviderUser(idp, new Clock(Date.now()), bob)
        const { location } = await own.get(three)
        expect(location).to.equal(ENDED)
        expect((await own.get((location ?? '').replace(ORIGIN, ''))).body).to.include(`${ORIGIN}/three`)
        expect(await whoIs(own)).to.equal(ada.email)
        expect((await own.get(one)).location, 'the back button').to.equal(
          `${ORIGIN}/auth/signin?error=OAuthCallbackError`,
        )
      })
    }

    it('begun as one user and ended as another, it is refused and says so', async () => {
      const { browser, signIn, begin, ownerOf, log } = setUp({ session })
      const [ada, bob, extra] = [newPerson(), newPerson(), newPerson()]
      const shared = browser()
      await signIn(shared, ada)
      const path = await begin(shared, extra)
      const restore = keep(shared)
      await shared.signOut()
      await signIn(shared, bob)
      restore()
      setProviderUser(idp, new Clock(Date.now()), extra)
      expect((await shared.get(path)).location).to.equal(ENDED)
      expect(log.errors.at(-1)?.name).to.equal('SessionChanged')
      expect(await ownerOf(extra)).to.equal(undefined)
      expect(await whoIs(shared)).to.equal(bob.email)
    })

    it('begun as one user and ended as nobody, it is refused, and makes no user', async () => {
      const { browser, signIn, begin, ownerOf } = setUp({ session })
      const [ada, extra] = [newPerson(), newPerson()]
      const shared = browser()
      await signIn(shared, ada)
      const path = await begin(shared, extra)
      const restore = keep(shared)
      await shared.signOut()
      restore()
      setProviderUser(idp, new Clock(Date.now()), extra)
      expect((await shared.get(path)).location).to.equal(ENDED)
      expect(await ownerOf(extra)).to.equal(undefined)
      expect(await whoIs(shared)).to.equal(null)
    })

    it('begun and ended as one user, it adds the account, also when they signed in again in between', async () => {
      const { browser, signIn, begin, ownerOf } = setUp({ session })
      const [ada, extra, more] = [newPerson(), newPerson(), newPerson()]
      const own = browser()
      const id = await signIn(own, ada)
      await own.get(await begin(own, extra))
      expect(await ownerOf(extra)).to.equal(id)
      const path = await begin(own, more)
      const restore = keep(own)
      await signIn(own, ada)
      restore()
      setProviderUser(idp, new Clock(Date.now()), more)
      await own.get(path)
      expect(await ownerOf(more)).to.equal(id)
    })

    it('without checks it may have begun anywhere, and adds nothing to anybody', async () => {
      const { browser, signIn, begin, ownerOf } = setUp({ session })
      const [ada, mallory] = [newPerson(), newPerson()]
      const own = browser()
      const id = await signIn(own, ada)
      await own.get(await begin(browser(), mallory, 'unchecked'))
      expect(await ownerOf(mallory, 'unchecked'))
        .to.be.a('string')
        .and.not.equal(id)
    })
  })
}

describe('ACCT-02 open sign-ins', () => {
  let app: ReturnType<typeof setUp>
  beforeEach(() => {
    app = setUp()
  })

  /** A browser in which one sign-in of each kind is open. */
  const withOpen = async (own: TestBrowser, address: string | null) => {
    const { begin, mailbox } = app
    const paths = [await begin(own, newPerson()), await begin(own, newPerson(), 'posted')]
    for (const { begin } of OF_FEATURES) await begin(own)
    await askForLink(own, mailbox, address)
    expect(new Set(openIn(own).map((name) => name.replace(/\.[\w-]{8}$/, '')))).to.deep.equal(
      new Set(
        ['pkce.code_verifier', 'email-request', ...OF_FEATURES.map(({ cookie }) => cookie)].map(
          (name) => `__Host-authjs.${name}`,
        ),
      ),
    )
    return paths
  }

  it('stay when somebody signs in, but for mailed links; another person is asked first, and nothing is added', async () => {
    const { browser, signIn, begin, ownerOf } = app
    const [ada, extra] = [newPerson(), newPerson()]
    const own = browser()
    await withOpen(own, newPerson().email)
    const other = await begin(own, extra)
    await signIn(own, ada)
    expect(openIn(own).filter((name) => name.includes('email-request'))).to.deep.equal([])
    setProviderUser(idp, new Clock(Date.now()), extra)
    const { location } = await own.get(other)
    expect(location).to.equal(ENDED)
    const shown = await browser().get(new URL(location ?? '').pathname + new URL(location ?? '').search)
    expect([shown.status, shown.body.includes('has signed in or out in this browser meanwhile')]).to.deep.equal([
      200,
      true,
    ])
    expect(await ownerOf(extra)).to.equal(undefined)
    expect(await whoIs(own)).to.equal(ada.email)
  })

  it('end when somebody signs out', async () => {
    const { browser, signIn } = app
    const own = browser()
    await signIn(own, newPerson())
    const [other = ''] = await withOpen(own, newPerson().email)
    await own.signOut()
    expect(openIn(own)).to.deep.equal([])
    expect((await own.get(other)).location).to.equal(`${ORIGIN}/auth/signin?error=OAuthCallbackError`)
  })

  it('of two tabs are open at once, and whichever ends first signs in', async () => {
    const { browser, begin } = app
    const [ada, bob] = [newPerson(), newPerson()]
    const own = browser()
    const first = await begin(own, ada)
    const second = await begin(own, bob)
    setProviderUser(idp, new Clock(Date.now()), bob)
    expect((await own.get(second)).location).to.equal(ORIGIN)
    setProviderUser(idp, new Clock(Date.now()), ada)
    expect((await own.get(first)).location).to.equal(ENDED)
    expect(await whoIs(own)).to.equal(bob.email)
  })

  it('stay when another transaction fails', async () => {
    const { browser, begin } = app
    const own = browser()
    const first = await begin(own, newPerson())
    const failing = await begin(own, newPerson())
    await own.get(failing.replace(/code=[^&]*/, 'error=access_denied'))
    expect((await own.get(first)).location).to.equal(ORIGIN)
  })

  it('with a mailed link ask before they sign in, once somebody else has signed in', async () => {
    const { browser, mailbox, signIn } = app
    const [ada, bob] = [newPerson(), newPerson()]
    const own = browser()
    const path = await askForLink(own, mailbox, bob.email)
    await signIn(own, ada)
    const opened = await own.get(path)
    expect([opened.status, opened.location, opened.body.includes(bob.email ?? '')]).to.deep.equal([200, null, true])
    expect(await whoIs(own)).to.equal(ada.email)
  })

  for (const { title, run } of OF_FEATURES) it(title, () => run(app))

  it('are not reported as ended if the store cannot say who is signed in', async () => {
    const store = memoryAdapter()
    const testApp = openTestApp(
      { adapter: store, providers: [oauth(idp, 'oidc', { id: 'work' })], session: { strategy: 'database' } },
      { clock: new Clock(Date.now()), origin: ORIGIN },
    )
    const own = testApp.browser()
    setProviderUser(idp, testApp.clock, newPerson())
    await own.get(await goTo(own, idp, 'work'))
    store.getSessionAndUser = () => Promise.reject(new Error('down'))
    const { location } = await own.get('/auth/callback/work?code=c&state=unknown')
    expect(location).to.equal(`${ORIGIN}/auth/signin?error=OAuthCallbackError`)
  })

  it('COOKIE-02: are in cookies that no sibling host can plant, whatever the provider answers with', async () => {
    const { browser, begin, engine } = app
    const own = browser()
    await withOpen(own, newPerson().email)
    for (const name of openIn(own)) expect(name).to.match(/^__Host-/)
    const sibling = browser()
    const path = await begin(sibling, newPerson())
    const planted = browser()
    for (const [name, { value }] of sibling.jar) planted.plant(name.replace('__Host-', '__Secure-'), value)
    expect((await planted.get(path)).location).to.equal(`${ORIGIN}/auth/signin?error=OAuthCallbackError`)
    expect(engine.config.schemeFor(ORIGIN).specs['state']?.attributes).to.include({ path: '/', secure: true })
    expect(engine.config.schemeFor(ORIGIN).specs['state']?.attributes).not.to.have.property('domain')
  })
})
