import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import { openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { ofFeatures } from '../support/of-features.js'
import { newPerson, registering } from '../support/sign-ins.js'
import { asAuthjsHasIt, type OpenStore, STORES } from '../support/stores.js'
import { SESSION, type TestBrowser, whoIs } from '../support/test-app.js'
import { forge } from '../support/tokens.js'

const QUARTER_OF_AN_HOUR = 15 * 60
const AGAIN = 'http://app.example/auth/signin?error=RecentSignInRequired'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

/** An app with two providers, passkeys and credentials, in which people sign in and add ways to sign in. */
function setUp(store: Required<Adapter>, config: Partial<AuthConfig> = {}) {
  return openAccountApp(idp, { store, methods: ['passkey', 'credentials'], config })
}

/** Somebody who signed in that many seconds ago, and a thief at their open browser. */
async function openBrowser(store: Required<Adapter>, seconds: number, options: Partial<AuthConfig> = {}) {
  const app = setUp(store, options)
  const [ada, thief] = [newPerson(), newPerson()]
  const browser = app.browser()
  await app.signIn(browser, ada)
  app.clock.advance(seconds)
  return { ...app, ada, thief, here: browser }
}

type Options = Partial<AuthConfig>
/** Somebody who signed in that many seconds ago. */
type OpenBrowser = (seconds: number, options: Options) => ReturnType<typeof openBrowser>

/** What features let people add. */
const OF_FEATURES = await ofFeatures<{
  /** Adds tests. */
  readonly add: (open: OpenBrowser, session: object) => void
  /** Makes a further way to sign in, by which the person signs in again. */
  readonly way: (browser: TestBrowser) => Promise<Readonly<Record<string, () => Promise<unknown>>>>
  readonly expectRefused: (browser: TestBrowser) => Promise<void>
}>('recent-sign-in')

for (const kind of STORES.filter(({ name }) => ['memory', 'SQLite', 'PostgreSQL'].includes(name))) {
  for (const strategy of ['jwt', 'database'] as const) {
    describe(`ACCT-02: adding a way to sign in, on ${kind.name} with ${strategy} sessions,`, () => {
      let open: OpenStore
      before(async function () {
        await kind.requireServer.call(this)
        open = await kind.open()
      })
      after(() => open?.close())
      const session = { strategy }

      it('an account at a provider is not linked to a user who signed in long ago, and does not sign in as this user', async () => {
        const { here, thief, ada, signIn, ownerOf, browser } = await openBrowser(open.adapter, QUARTER_OF_AN_HOUR + 1, {
          session,
        })
        expect((await signIn(here, thief, 'other')).location).to.equal(AGAIN)
        expect(await ownerOf(thief, 'other')).to.equal(undefined)
        expect(await whoIs(here), 'still signed in').to.equal(ada.email)
        const elsewhere = browser()
        await signIn(elsewhere, thief, 'other')
        expect(await whoIs(elsewhere)).to.equal(thief.email)
      })

      it('is done within a quarter of an hour, and makes nobody’s sign-in younger', async () => {
        const { here, thief, ada, clock, signIn, ownerOf } = await openBrowser(open.adapter, QUARTER_OF_AN_HOUR, {
          session,
        })
        expect((await signIn(here, thief, 'other')).location).to.equal('http://app.example')
        expect(await ownerOf(thief, 'other')).to.equal(await ownerOf(ada))
        clock.advance(1)
        expect((await signIn(here, newPerson(), 'other')).location).to.equal(AGAIN)
      })

      it('is done after the next sign-in, in any way that the user has', async () => {
        const app = await openBrowser(open.adapter, 0, { session })
        const { here, thief, ada, clock, signIn, ownerOf } = app
        const ways: Record<string, () => Promise<unknown>> = {
          'an account of their own': () => signIn(here, ada),
          credentials: () => here.signIn({ email: ada.email ?? '' }),
        }
        for (const { way } of OF_FEATURES) Object.assign(ways, await way(here))
        for (const [name, again] of Object.entries(ways)) {
          clock.advance(QUARTER_OF_AN_HOUR + 1)
          const own = newPerson()
          expect((await signIn(here, own, 'other')).location).to.equal(AGAIN)
          await again()
          expect((await signIn(here, own, 'other')).location, name).to.equal('http://app.example')
          expect(await ownerOf(own, 'other'), name).to.equal(await ownerOf(ada))
        }
        expect(await ownerOf(thief, 'other')).to.equal(undefined)
      })

      it('is not done because the session was extended or updated', async () => {
        const { here, thief, signIn, clock } = await openBrowser(open.adapter, QUARTER_OF_AN_HOUR + 1, {
          session: { ...session, updateAge: 0 },
        })
        await here.session()
        await here.update({ name: 'Countess' })
        clock.advance(1)
        expect((await signIn(here, thief, 'other')).location).to.equal(AGAIN)
      })

      it('asks for as many seconds as the configuration says, and for none with Infinity', async () => {
        const short = await openBrowser(open.adapter, 61, { session: { ...session, recentAuthAge: 60 } })
        expect((await short.signIn(short.here, short.thief, 'other')).location).to.equal(AGAIN)
        const never = await openBrowser(open.adapter, 20 * 24 * 60 * 60, {
          session: { ...session, recentAuthAge: Number.POSITIVE_INFINITY },
        })
        expect((await never.signIn(never.here, never.thief, 'other')).location).to.equal('http://app.example')
      })

      for (const { add } of OF_FEATURES) add((seconds, options) => openBrowser(open.adapter, seconds, options), session)
    })
  }
}

describe('ACCT-02: where nobody knows when somebody signed in,', () => {
  it('with a token that Auth.js wrote, and not recently', async () => {
    const { browser, clock, signIn, store } = setUp(memoryAdapter(), { session: { strategy: 'jwt' } })
    const { id } = await store.createUser({ id: '', email: 'ada@example.com', emailVerified: null })
    const ada = browser()
    const times = { iat: clock.seconds, exp: clock.seconds + 600, jti: crypto.randomUUID() }
    ada.plant(SESSION, await forge({ sub: id, email: 'ada@example.com', ...times }))
    expect(await whoIs(ada)).to.equal('ada@example.com')
    expect((await signIn(ada, newPerson(), 'other')).location).to.equal(AGAIN)
    for (const { expectRefused } of OF_FEATURES) await expectRefused(ada)
  })

  it('as with a store that keeps no such time, nothing is added unless that was chosen; and the start says so', async () => {
    const app = await openBrowser(asAuthjsHasIt(memoryAdapter()), 0)
    expect((await app.signIn(app.here, app.thief, 'other')).location).to.equal(AGAIN)
    for (const { expectRefused } of OF_FEATURES) await expectRefused(app.here)
    expect(app.log.warnings).to.deep.equal(['sign-in-time-unknown'])

    const chosen = await openBrowser(asAuthjsHasIt(memoryAdapter()), 0, {
      session: { recentAuthAge: Number.POSITIVE_INFINITY },
    })
    expect((await chosen.signIn(chosen.here, chosen.thief, 'other')).location).to.equal('http://app.example')
    expect(chosen.log.warnings).to.deep.equal([])
  })

  it('and an encoding of the application’s own that keeps its claims knows it: the start says nothing', () => {
    const tokens = { encode: async () => 'token', decode: async () => null }
    const of = (options: Partial<AuthConfig>) => setUp(memoryAdapter(), options).log.warnings
    expect(of({ session: { strategy: 'jwt' }, jwt: tokens })).to.deep.equal([])
    expect(of({ jwt: tokens }), 'stored sessions are not encoded').to.deep.equal([])
    expect(of({ session: { strategy: 'jwt' } })).to.deep.equal([])
    expect(of({ session: { strategy: 'jwt' }, jwt: tokens, providers: [registering(memoryAdapter())] })).to.deep.equal(
      [],
    )
  })
})

describe('session.recentAuthAge', () => {
  for (const recentAuthAge of [0, -1, Number.NaN, Number.NEGATIVE_INFINITY]) {
    it(`is refused at the start: ${recentAuthAge}`, () => {
      expect(() => setUp(memoryAdapter(), { session: { recentAuthAge } })).to.throw('session.recentAuthAge')
    })
  }

  it('is refused at the start as a text', () => {
    const session = { recentAuthAge: '900' } as unknown as AuthConfig['session'] & object
    expect(() => setUp(memoryAdapter(), { session })).to.throw('session.recentAuthAge')
  })
})
