import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import type { Provider } from '../../lib/index.js'
import { FakeProvider } from '../support/fake-provider.js'
import { requestContext } from '../support/request-context.js'
import { askForLink, confirmLink, goTo, Mailbox, newPerson, oauth, setProviderUser } from '../support/sign-ins.js'
import { type OpenStore, STORES, watched } from '../support/stores.js'
import { Clock, endOf, openTestApp, type TestApp, type TestBrowser } from '../support/test-app.js'

const DAY = 24 * 60 * 60

/** Two processes' engines, over one store and one clock, so that no queue within one of them can hide a race. */
type Pair = readonly [TestApp, TestApp]

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)))

for (const { name, requireServer, open } of STORES) {
  describe(`once means once, over ${name}`, () => {
    let store: OpenStore
    let adapters: readonly [Required<Adapter>, Required<Adapter>]
    let idp: FakeProvider
    const mailbox = new Mailbox()

    before(async function () {
      await requireServer.call(this)
      idp = await FakeProvider.start()
      store = await open()
      adapters = [store.adapter, await store.another()]
    })
    after(async () => {
      await idp?.stop()
      await store?.close()
    })

    const pair = (providers: () => Provider[], over: readonly Adapter[] = adapters): Pair => {
      const clock = new Clock(Math.floor(Date.now() / 1000) * 1000)
      // A hundred at once take longer, on a machine that does other things, than one may wait for a store.
      const config = {
        session: { strategy: 'database' },
        providers: providers(),
        storeTimeout: 60,
        limits: false,
      } as const
      const [one, other] = over.map((adapter) => openTestApp({ adapter, ...config }, { clock }))
      return [one, other] as Pair
    }
    const userIds = (browsers: readonly TestBrowser[]) =>
      Promise.all(browsers.map(async (browser) => (await browser.session())?.user?.email))
    const errorsOf = (testApps: Pair) => testApps.flatMap(({ log }) => log.errors.map(({ message }) => message))

    it('200 parallel uses of one magic link make one session', async () => {
      const testApps = pair(() => [mailbox.provider()])
      const { email } = newPerson()
      const asking = testApps[0].browser()
      const path = await askForLink(asking, mailbox, email)
      const before = await store.count()
      const strangers = await times(100, async (i) => testApps[i % 2 === 0 ? 0 : 1].browser())
      const copies = await times(100, async () => asking.copy())
      const answers = await Promise.all([
        ...strangers.map((browser) => confirmLink(browser, path)),
        ...copies.map((browser) => browser.get(path)),
      ])
      const locations = answers.map(({ location }) => location)
      expect(locations.filter((location) => location === 'http://app.example')).to.have.length(1)
      expect(
        locations.filter((location) => location === 'http://app.example/auth/error?error=Verification'),
      ).to.have.length(199)
      const holders = [...strangers, ...copies].filter((browser) => browser.sessionNames().length > 0)
      expect(await userIds(holders)).to.deep.equal([email])
      const after = await store.count()
      expect([after.users - before.users, after.sessions - before.sessions]).to.deep.equal([1, 1])
      expect(after.verificationTokens).to.equal(before.verificationTokens - 1)
    })

    it('20 links to one new address, followed at once, make one user', async () => {
      const testApps = pair(() => [mailbox.provider()])
      const { email } = newPerson()
      const before = await store.count()
      const browsers = testApps.flatMap((testApp) => Array.from({ length: 10 }, () => testApp.browser()))
      const paths: string[] = []
      for (const browser of browsers) paths.push(await askForLink(browser, mailbox, email))
      await Promise.all(browsers.map((browser, i) => browser.get(paths[i] ?? '')))
      expect(errorsOf(testApps)).to.deep.equal([])
      expect(await userIds(browsers)).to.deep.equal(Array(20).fill(email))
      expect((await store.count()).users - before.users).to.equal(1)
    })

    for (const [count, whom, address, more] of [
      [100, 'somebody with an address', 'yes', {}],
      [20, 'somebody without an address', null, {}],
      [20, 'somebody at a provider whose addresses link', 'yes', { allowDangerousEmailAccountLinking: true }],
    ] as const) {
      it(`${count} parallel first sign-ins of ${whom} make one user with one account`, async () => {
        const testApps = pair(() => [oauth(idp, 'oauth', more)])
        const person = newPerson(address)
        setProviderUser(idp, testApps[0].clock, person, 'oauth')
        const before = await store.count()
        const browsers = testApps.flatMap((testApp) => Array.from({ length: count / 2 }, () => testApp.browser()))
        const paths = await Promise.all(browsers.map((browser) => goTo(browser, idp, 'oauth')))
        const answers = await Promise.all(browsers.map((browser, i) => browser.get(paths[i] ?? '')))
        expect(new Set(answers.map(({ location }) => location))).to.deep.equal(new Set(['http://app.example']))
        expect(errorsOf(testApps)).to.deep.equal([])
        const after = await store.count()
        expect([after.users - before.users, after.accounts - before.accounts]).to.deep.equal([1, 1])
        expect(after.sessions - before.sessions).to.equal(count)
        const owner = await store.adapter.getUserByAccount({ provider: 'oauth', providerAccountId: person.sub })
        const sessions = await Promise.all(browsers.map((browser) => browser.session()))
        expect(sessions.map((session) => session?.user?.name)).to.deep.equal(Array(count).fill('Ada'))
        await store.adapter.deleteUser(owner?.id ?? '')
        expect(await userIds(browsers), 'all of them were that user').to.deep.equal(Array(count).fill(undefined))
      })
    }

    it('1,000 parallel reads of a due session in each process make at most one write there', async () => {
      const writers = adapters.map((adapter) => watched(adapter))
      const [one, other] = pair(
        () => [oauth(idp)],
        writers.map(({ adapter }) => adapter),
      )
      setProviderUser(idp, one.clock, newPerson())
      const ada = one.browser()
      await ada.get(await goTo(ada, idp))
      one.clock.advance(2 * DAY)
      const end = one.clock.seconds + 30 * DAY
      const readers = [one, other].map(
        ({ engine, origin }) =>
          () =>
            engine.renewSession(requestContext(ada.cookieHeader(), origin)),
      )
      const read = await Promise.all(readers.flatMap((reader) => Array.from({ length: 1000 }, reader)))
      for (const { session } of read) expect(endOf(session)).to.be.within(end - 2 * DAY, end)
      const writes = writers.map(({ calls }) => calls.filter((call) => call === 'updateSession').length)
      expect(Math.max(...writes)).to.equal(1)
      expect(
        endOf((await other.engine.renewSession(requestContext(ada.cookieHeader(), other.origin))).session),
        'it did slide',
      ).to.equal(end)
    })
  })
}
