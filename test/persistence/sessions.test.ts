import { expect } from 'chai'
import type { AuthConfig, Provider } from '../../lib/index.js'
import { FakeProvider } from '../support/fake-provider.js'
import { EMPTY, providerKinds } from '../support/provider-kinds.js'
import { requestContext } from '../support/request-context.js'
import { Mailbox, newPerson } from '../support/sign-ins.js'
import { type OpenStore, STORES } from '../support/stores.js'
import { Clock, openTestApp, SESSION, type TestApp, type TestBrowser } from '../support/test-app.js'

const HOUR = 60 * 60
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:141.0) Gecko/20100101 Firefox/141.0'

let idp: FakeProvider
let store: OpenStore
const mailbox = new Mailbox()
const KINDS = providerKinds({ idp: () => idp, store: () => store, mailbox })
const STRATEGIES = ['jwt', 'database'] as const

type Strategy = (typeof STRATEGIES)[number]

/** Two processes of one application: two engines, with adapters of their own over one store, and one clock. */
async function openTwo(strategy: Strategy, providers: Provider[], more: Partial<AuthConfig> = {}) {
  const clock = new Clock(Math.floor(Date.now() / 1000) * 1000)
  const open = (adapter: OpenStore['adapter']) => {
    const revocation = strategy === 'jwt' ? { revocation: { store: adapter, checkEvery: 0 } } : {}
    const { session, ...options } = more
    const config = { adapter, providers, session: { strategy, ...revocation, ...session }, ...options }
    return openTestApp(config, { clock })
  }
  const [here, there] = [open(store.adapter), open(await store.another())]
  return { here, there, clock }
}

/** The request that a browser would send to an application. */
const requestOf = (browser: TestBrowser) => requestContext(browser.cookieHeader(), browser.origin)

const listOf = (app: TestApp, browser: TestBrowser) => app.engine.listSessions(requestOf(browser))

/** The same browser, whose requests go to another process. */
function at(app: TestApp, browser: TestBrowser): TestBrowser {
  const other = app.browser()
  other.plant(SESSION, browser.jar.get(SESSION)?.value ?? '')
  return other
}

for (const { name, requireServer, open } of STORES) {
  describe(`sessions over ${name}`, () => {
    before(async function () {
      await requireServer.call(this)
      idp = await FakeProvider.start()
      store = await open()
    })
    after(async () => {
      await idp?.stop()
      await store?.close()
    })

    for (const strategy of STRATEGIES) {
      for (const [type, kind] of Object.entries(KINDS)) {
        it(`${type}, ${strategy} sessions: are listed, and end in every process when one of them ends them`, async () => {
          const { here, there } = await openTwo(strategy, [kind.provider()])
          const person = newPerson()
          const [laptop, phone] = [here.browser(), here.browser()]
          await kind.signIn(laptop, person, EMPTY)
          await kind.signIn(phone, person, EMPTY)
          const stranger = here.browser()
          await kind.signIn(stranger, newPerson(), EMPTY)

          const listed = (await listOf(there, laptop)) ?? []
          const [own, other] = [(await laptop.current())?.id, (await phone.current())?.id]
          expect(listed.filter(({ isCurrent }) => isCurrent).map(({ id }) => id)).to.deep.equal([own])
          expect(listed.map(({ id }) => id)).to.include(other)
          expect(await at(there, phone).session()).to.not.equal(null)

          const revoked = await there.engine.revokeSession(requestOf(laptop), other ?? '')
          expect(revoked?.isRevoked).to.equal(true)
          expect([await phone.session(), await at(there, phone).session()]).to.deep.equal([null, null])
          expect(await laptop.session()).to.not.equal(null)
          expect((await listOf(here, laptop))?.map(({ id }) => id))
            .to.include(own)
            .and.not.include(other)
          expect(await stranger.session()).to.not.equal(null)
          expect([...here.log.errors, ...there.log.errors]).to.deep.equal([])
        })
      }

      const [credentials, oidc] = [KINDS['credentials'], KINDS['oidc']]
      if (!credentials || !oidc) throw new Error('a kind of provider is missing')

      const signedIn = async (app: TestApp, person = newPerson()) => {
        const browser = app.browser()
        await credentials.signIn(browser, person, EMPTY)
        return { browser, person }
      }

      it(`${strategy} sessions: nobody ends the session of another person, also by its id`, async () => {
        const { here, there } = await openTwo(strategy, [credentials.provider()])
        const [ada, eve] = [(await signedIn(here)).browser, (await signedIn(here)).browser]
        const id = (await ada.current())?.id ?? ''
        for (const guess of [id, `${id} `, id.toUpperCase(), '', '*', '%', `${id.slice(0, -1)}_`]) {
          const answer = await there.engine.revokeSession(requestOf(eve), guess)
          expect(answer?.isRevoked, guess).to.equal(false)
        }
        await there.engine.revokeOtherSessions(requestOf(eve))
        expect(await ada.session()).to.not.equal(null)
        expect(await here.engine.revokeSession(requestContext(undefined, ada.origin), id)).to.equal(null)
        expect(await listOf(here, here.browser())).to.equal(null)
      })

      it(`${strategy} sessions: another tenant over the same store neither sees nor ends them`, async () => {
        const { here } = await openTwo(strategy, [credentials.provider()], { instance: 'one' })
        const { here: other } = await openTwo(strategy, [credentials.provider()], { instance: 'other' })
        const { browser: ada, person } = await signedIn(here)
        const { browser: elsewhere } = await signedIn(other, person)
        expect((await ada.current())?.user?.id).to.equal((await elsewhere.current())?.user?.id)
        expect(await listOf(other, elsewhere)).to.have.length(1)
        const id = (await ada.current())?.id ?? ''
        expect((await other.engine.revokeSession(requestOf(elsewhere), id))?.isRevoked).to.equal(false)
        await other.engine.revokeOtherSessions(requestOf(elsewhere))
        await other.engine.revokeAllSessions((await ada.current())?.user?.id ?? '')
        expect(await ada.session()).to.not.equal(null)
        expect(await elsewhere.session()).to.equal(null)
      })

      it(`${strategy} sessions: all end but the one of the request, and then all`, async () => {
        const { here, there } = await openTwo(strategy, [credentials.provider()])
        const person = newPerson()
        const browsers = []
        for (let count = 0; count < 4; count += 1) browsers.push((await signedIn(here, person)).browser)
        const [ada, ...others] = browsers
        if (!ada) throw new Error('nobody is signed in')
        expect(await there.engine.revokeOtherSessions(requestOf(ada))).to.equal(3)
        expect(await Promise.all(others.map((other) => other.session()))).to.deep.equal([null, null, null])
        const user = (await ada.current())?.user?.id ?? ''
        expect(await there.engine.revokeAllSessions(user)).to.equal(1)
        expect([await ada.session(), await at(there, ada).session()]).to.deep.equal([null, null])
        // The person can sign in again at once.
        expect(await (await signedIn(here, person)).browser.session()).to.not.equal(null)
      })

      it(`${strategy} sessions: one to whose user an account is added stays, and is listed once`, async () => {
        const { here } = await openTwo(strategy, [credentials.provider(), oidc.provider()])
        const { browser: ada, person } = await signedIn(here)
        const before = (await ada.current())?.id
        // The account at the provider is linked.
        await oidc.signIn(ada, { ...person, email: newPerson().email }, EMPTY)
        const listed = (await listOf(here, ada)) ?? []
        expect(listed.map(({ id }) => id)).to.deep.equal([before])
        expect((await ada.current())?.id).to.equal(before)
      })

      it(`${strategy} sessions: tell when they began, when they were used, and by what browser`, async () => {
        const { here, clock } = await openTwo(strategy, [credentials.provider()])
        const began = clock.ms
        const ada = here.browser()
        const fields = { csrfToken: await ada.csrfToken(), email: newPerson().email ?? '' }
        await ada.post('/auth/callback/credentials', fields, { 'user-agent': FIREFOX })
        const only = async () => ((await listOf(here, ada)) ?? [])[0]
        expect(await only()).to.deep.include({ isCurrent: true, kind: 'browser', scope: null, userAgent: FIREFOX })
        expect((await only())?.createdAt?.getTime()).to.equal(began)
        clock.advance(HOUR)
        expect(await ada.session()).to.not.equal(null)
        // The time is written beside the answer.
        for (let tries = 0; tries < 100 && (await only())?.lastSeenAt?.getTime() !== clock.ms; tries += 1) {
          await new Promise((done) => setTimeout(done, 10))
        }
        expect((await only())?.lastSeenAt?.getTime()).to.equal(clock.ms)
        expect((await only())?.createdAt?.getTime()).to.equal(began)
      })

      it(`${strategy} sessions: are in no list any more when they have expired`, async () => {
        const { here, clock } = await openTwo(strategy, [credentials.provider()], { session: { maxAge: HOUR } })
        const { person } = await signedIn(here)
        clock.advance(2 * HOUR)
        const { browser: ada } = await signedIn(here, person)
        expect(await listOf(here, ada)).to.have.length(1)
      })
    }
  })
}
