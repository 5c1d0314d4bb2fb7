import { expect } from 'chai'
import { type AccountAppOptions, openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { beginLink } from '../support/links.js'
import { ofFeatures } from '../support/of-features.js'
import { askForLink, goTo, newPerson, type Person, setProviderUser } from '../support/sign-ins.js'
import { SESSION, type TestBrowser, whoIs } from '../support/test-app.js'

/*
 * A sibling host, such as blog.app.example, can plant the session of its own user: a cookie with Domain=app.example. It can plant no cookie
 * whose name begins with __Host-, such as the one of an own sign-in.
 */

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

const ORIGIN = 'http://app.example'
const AGAIN = `${ORIGIN}/auth/signin?error=RecentSignInRequired`
const OWN = 'authjs.own-sign-in'

type App = ReturnType<typeof openAccountApp>

/** An app, and how somebody signs in to it and plants their session in a browser of a victim. */
interface PlantedApp extends App {
  readonly plantedBy: (person: Person) => Promise<{ there: TestBrowser; victim: TestBrowser; id: string }>
}

type Begin = (app: App, victim: TestBrowser, person: Person) => Promise<unknown>

const OF_FEATURES = await ofFeatures<{
  /** Adds tests. */
  readonly add: (setUp: () => PlantedApp) => void
  /** How something is added in a planted session. */
  readonly begin: Readonly<Record<string, Begin>>
}>('planted-sessions')

const ADDITIONS: Readonly<Record<string, Begin>> = {
  'an account': ({ signIn }, victim, person) => signIn(victim, { ...person, emailVerified: true }, 'other'),
  ...Object.assign({}, ...OF_FEATURES.map(({ begin }) => begin)),
}

for (const strategy of ['jwt', 'database'] as const) {
  for (const recentAuthAge of [900, Number.POSITIVE_INFINITY]) {
    const setUp = (options: AccountAppOptions = {}) => {
      const app = openAccountApp(idp, {
        methods: ['email', 'passkey'],
        ...options,
        config: { session: { strategy, recentAuthAge }, ...options.config },
      })
      const plantedBy = async (person: Person) => {
        const there = app.browser()
        await app.signIn(there, person)
        const victim = app.browser()
        victim.plant(SESSION, there.jar.get(SESSION)?.value ?? '')
        expect(await whoIs(victim)).to.equal(person.email)
        return { there, victim, id: (await app.ownerOf(person)) ?? '' }
      }
      return { ...app, plantedBy }
    }

    describe(`ACCT-02: in a planted session, ${strategy}, recentAuthAge ${recentAuthAge},`, () => {
      it('a sign-in at a provider adds nothing, and asks for another sign-in', async () => {
        const { plantedBy, signIn, ownerOf, store } = setUp()
        const [attacker, person] = [newPerson(), newPerson()]
        const { victim, id } = await plantedBy(attacker)
        expect((await signIn(victim, person, 'other')).location).to.equal(AGAIN)
        expect(await ownerOf(person, 'other')).to.equal(undefined)
        expect(await store.listAccountsByUserId(id)).to.have.length(1)
        expect([...victim.jar.keys()]).not.to.include(OWN)
        const page = await victim.get('/auth/signin?error=RecentSignInRequired')
        expect(page.body, 'the page leads out').to.include('/auth/signout')
      })

      it('nothing is added after a sign-in that a link of the attacker brought about', async () => {
        const { browser, mailbox, signIn, ownerOf } = setUp({ email: { confirm: 'never' } })
        const [attacker, person] = [newPerson(), newPerson()]
        const path = await askForLink(browser(), mailbox, attacker.email)
        const victim = browser()
        await victim.get(path)
        expect(await whoIs(victim)).to.equal(attacker.email)
        expect((await signIn(victim, person, 'other')).location).to.equal(AGAIN)
        expect(await ownerOf(person, 'other')).to.equal(undefined)
      })

      it('a link begins neither by its page nor by its button, and the page that asks leads back', async () => {
        const { plantedBy } = setUp()
        const { victim } = await plantedBy(newPerson())
        for (const { location } of [await victim.get('/auth/link/other'), await beginLink(victim, 'other')]) {
          const url = new URL(location ?? '')
          expect([url.pathname, url.searchParams.get('error')]).to.deep.equal(['/auth/signin', 'RecentSignInRequired'])
          expect(url.searchParams.get('callbackUrl')).to.include('/auth/link/other')
        }
      })

      it('a link that was begun before the session was planted adds nothing', async () => {
        const { browser, plantedBy, signIn, ownerOf, clock } = setUp()
        const [own, attacker, person] = [newPerson(), newPerson(), newPerson()]
        const victim = browser()
        await signIn(victim, own)
        setProviderUser(idp, clock, person)
        const path = await goTo(victim, idp, 'other')
        const { there } = await plantedBy(attacker)
        victim.plant(SESSION, there.jar.get(SESSION)?.value ?? '')
        expect((await victim.get(path)).location).to.include('error=SessionChanged')
        expect(await ownerOf(person, 'other')).to.equal(undefined)
      })

      for (const { add } of OF_FEATURES) add(setUp)

      it('the cookie of one user is none of another, nor after its time, nor changed', async () => {
        const { browser, plantedBy, signIn, clock } = setUp()
        const { victim, there } = await plantedBy(newPerson())
        const own = browser()
        await signIn(own, newPerson())
        const begins = async (value: string) => {
          victim.plant(OWN, value)
          return !(await beginLink(victim, 'other')).location?.includes('RecentSignInRequired')
        }
        const value = there.jar.get(OWN)?.value ?? ''
        expect(await begins(value), 'the control').to.equal(true)
        expect(await begins(own.jar.get(OWN)?.value ?? '')).to.equal(false)
        const [until = '', digest = ''] = value.split('.')
        for (const made of [
          `${Number(until) + 9}.${digest}`,
          `${until}.`,
          until,
          `.${digest}`,
          `${until}0.${digest}`,
          '',
        ])
          expect(await begins(made), made).to.equal(false)
        if (recentAuthAge !== 900) return
        clock.advance(901)
        expect(await begins(value)).to.equal(false)
      })

      // The owner of the address follows a mailed link there (ACCT-05).
      for (const [what, begin] of Object.entries(ADDITIONS)) {
        it(`ACCT-05: nothing of the squatter stays, though ${what} was to be added before`, async () => {
          const app = setUp()
          const { plantedBy, store, mailbox } = app
          const victimsAddress = newPerson()
          const attacker = { ...newPerson(), email: victimsAddress.email }
          const { victim, id } = await plantedBy(attacker)
          await begin(app, victim, victimsAddress)
          await victim.get(await askForLink(victim, mailbox, victimsAddress.email))
          expect(await whoIs(victim)).to.equal(victimsAddress.email)
          expect(await store.listAccountsByUserId(id)).to.deep.equal([])
          expect(await store.listAuthenticatorsByUserId(id)).to.deep.equal([])
        })
      }
    })

    describe(`a sign-in of one’s own, ${strategy}, recentAuthAge ${recentAuthAge},`, () => {
      it('is shown by a small cookie that is new at each sign-in and gone after a sign-out', async () => {
        const { browser, signIn } = setUp()
        const own = browser()
        const person = newPerson()
        const set = (await signIn(own, person)).setCookies.find(({ name }) => name === OWN)
        expect(set).to.include({ httpOnly: true, sameSite: 'lax', path: '/' })
        expect(set?.maxAge).to.equal(Math.min(recentAuthAge, 400 * 24 * 60 * 60))
        expect(set?.value?.length).to.be.lessThan(50)
        await own.signOut()
        expect([...own.jar.keys()]).not.to.include(OWN)
      })

      it('is not shown, nor marked as the last way, by what was only added', async () => {
        const { browser, signIn, ownerOf, clock } = setUp()
        const own = browser()
        const [person, more] = [newPerson(), newPerson()]
        await signIn(own, person)
        clock.advance(60)
        const answer = await signIn(own, more, 'other')
        expect(answer.location).to.equal(ORIGIN)
        expect(await ownerOf(more, 'other')).to.equal(await ownerOf(person))
        const names = answer.setCookies.map(({ name }) => name)
        expect(names).not.to.include.oneOf([OWN, 'authjs.last-provider'])
      })
    })
  }

  describe(`LOGOUT-02: two session cookies in one request, ${strategy},`, () => {
    /** The session cookies of two browsers as one header, the planted one first: browsers send an older cookie first. */
    const both = (...browsers: TestBrowser[]) =>
      browsers.flatMap(({ jar }) => [...jar].map(([name, { value }]) => `${name}=${value}`)).join('; ')
    const setUp = (config: AccountAppOptions['config'] = {}) => {
      const ended: unknown[] = []
      const app = openAccountApp(idp, {
        config: { session: { strategy }, events: { signOut: (message) => void ended.push(message) }, ...config },
      })
      const signedIn = async () => {
        const browser = app.browser()
        const person = newPerson()
        await app.signIn(browser, person)
        const session = app.browser()
        for (const name of browser.sessionNames()) session.plant(name, browser.jar.get(name)?.value ?? '')
        return { browser, session, person }
      }
      return { ...app, ended, signedIn }
    }
    const signOut = async (app: ReturnType<typeof setUp>, cookies: string) => {
      const page = app.browser()
      const csrfToken = await page.csrfToken()
      const cookie = `${cookies}; ${page.cookieHeader()}`
      return app.browser().post('/auth/signout', { csrfToken }, { cookie })
    }

    it('both end at a sign-out, whichever comes first', async () => {
      for (const order of [0, 1]) {
        const app = setUp()
        const [planted, own] = [await app.signedIn(), await app.signedIn()]
        const two = [planted.session, own.session]
        const { location } = await signOut(app, both(...(order === 0 ? two : two.reverse())))
        expect(location).to.equal(ORIGIN)
        expect([await whoIs(planted.browser), await whoIs(own.browser)]).to.deep.equal([null, null])
        expect(app.ended).to.have.length(2)
      }
    })

    it('more than anybody honest has are not all ended, and the visitor is told so', async () => {
      const app = setUp()
      const own = await app.signedIn()
      const garbage = Array.from({ length: 20 }, (_, index) => `${SESSION}=${String(index).repeat(64).slice(0, 64)}`)
      const { location } = await signOut(app, [...garbage, both(own.session)].join('; '))
      expect(location).to.include('/auth/error?error=SignOut')
      expect(app.log.errors.at(-1)?.name).to.equal('SignOutError')
    })

    it('the one with another domain is deleted at a sign-in and at a sign-out', async () => {
      for (const [domain, deleted] of [
        [undefined, 'app.example'],
        ['app.example', undefined],
      ] as const) {
        const cookies = domain === undefined ? {} : { sessionToken: { options: { domain } } }
        const app = setUp({ cookies })
        const { browser, person } = await app.signedIn()
        const answers = [await app.signIn(browser, person), await signOut(app, both(browser))]
        for (const { setCookies } of answers) {
          const deletions = setCookies.filter(({ name, maxAge }) => name === SESSION && maxAge === 0)
          expect(deletions.map((deletion) => deletion.domain)).to.include(deleted)
        }
        const last = answers[0]?.setCookies.filter(({ name }) => name === SESSION).at(-1)
        expect([last?.domain, last?.value === ''], 'the new session comes last').to.deep.equal([domain, false])
      }
    })
  })
}
