import { expect } from 'chai'
import type { AdapterUser } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { createLinkRequests } from '../../lib/features/linking/links.js'
import { userDigest } from '../../lib/users/signed-in-user.js'
import { type AccountAppOptions, openAccountApp } from '../support/account-app.js'
import { SECRET } from '../support/app.js'
import { FakeProvider, fakeKey, signWith } from '../support/fake-provider.js'
import { beginLink, goToLink, link } from '../support/links.js'
import { goTo, newPerson, oauth, type Person, setProviderUser } from '../support/sign-ins.js'
import { SESSION, sessionCookies, type TestBrowser, type TestResponse, whoIs } from '../support/test-app.js'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

const ORIGIN = 'http://app.example'

/** The parameters of the page that an answer leads to. */
const paramsOf = ({ location }: TestResponse) => new URL(location ?? '', ORIGIN).searchParams
const pathOf = ({ location }: TestResponse) => new URL(location ?? '', ORIGIN).pathname

for (const strategy of ['jwt', 'database'] as const) {
  const setUp = ({ config, ...options }: AccountAppOptions = {}) => {
    const app = openAccountApp(idp, { ...options, config: { session: { strategy }, ...config } })
    /** A browser in which a person has signed in at the provider "other". */
    const signedIn = async (person: Person = newPerson()) => {
      const browser = app.browser()
      await app.signIn(browser, person, 'other')
      return { browser, person }
    }
    return { ...app, idp, signedIn }
  }
  const userOf = async (app: ReturnType<typeof setUp>, person: Person, provider: string) =>
    app.ownerOf(person, provider)

  describe(`linking on purpose, sessions: ${strategy},`, () => {
    it('adds the account to the user, and changes neither the session nor who is signed in', async () => {
      const app = setUp()
      const { browser, person } = await app.signedIn()
      const before = browser.cookieHeader()
      const work = { ...newPerson(), name: 'Ada at work' }
      const answer = await link(browser, app, work)
      expect(answer.location).to.equal(ORIGIN)
      expect(await userOf(app, work, 'acme'))
        .to.equal(await userOf(app, person, 'other'))
        .and.to.be.a('string')
      expect(sessionCookies(answer), 'no session begins').to.deep.equal([])
      expect(browser.cookieHeader()).to.include(String(before?.match(/session-token=[^;]+/)?.[0]))
      expect(await whoIs(browser)).to.equal(person.email)
    })

    it('creates no user and signs nobody in, also when the account is one’s own already', async () => {
      const events: string[] = []
      const note = (name: string) => () => void events.push(name)
      const app = setUp({
        config: {
          session: { strategy },
          events: { signIn: note('signIn'), createUser: note('createUser'), linkAccount: note('linkAccount') },
        },
      })
      const { browser } = await app.signedIn()
      const work = newPerson()
      events.length = 0
      await link(browser, app, work)
      expect(events).to.deep.equal(['linkAccount'])
      const again = await link(browser, app, work)
      expect(again.location).to.equal(ORIGIN)
      expect(events).to.deep.equal(['linkAccount'])
    })

    it('returns to the page that it was begun from, and to no other site', async () => {
      const app = setUp()
      const { browser } = await app.signedIn()
      setProviderUser(idp, app.clock, newPerson())
      const back = await browser.get(await goToLink(browser, idp, 'acme', { callbackUrl: '/settings?tab=accounts' }))
      expect(back.location).to.equal(`${ORIGIN}/settings?tab=accounts`)
      setProviderUser(idp, app.clock, newPerson())
      const away = await browser.get(await goToLink(browser, idp, 'acme', { callbackUrl: 'https://evil.example/' }))
      expect(away.location).to.equal(ORIGIN)
    })

    it('is not begun by a GET: the page has a button, and names the provider and the user', async () => {
      const app = setUp({ provider: { name: 'Acme' } })
      const { browser, person } = await app.signedIn()
      const page = await browser.get('/auth/link/acme?callbackUrl=/settings')
      expect(page.status).to.equal(200)
      expect(page.body).to.include('Connect Acme').and.to.include(person.email)
      expect(page.body.replaceAll(/<\/?(strong|bdi)>/g, '')).to.include(
        'your account at Acme to your account on app.example.',
      )
      expect(page.body).to.include('action="http://app.example/auth/link/acme"')
      expect(page.body).to.include('name="callbackUrl" value="http://app.example/settings"')
    })

    it('CSRF-01: a form without the token begins nothing, and leads to the page', async () => {
      const app = setUp()
      const { browser } = await app.signedIn()
      for (const fields of [{}, { csrfToken: 'wrong' }] as Record<string, string>[]) {
        const answer = await browser.post('/auth/link/acme', fields)
        expect(pathOf(answer)).to.equal('/auth/link/acme')
        expect(paramsOf(answer).get('error')).to.equal('MissingCSRF')
        expect(answer.setCookies.filter(({ name }) => /state|pkce|nonce/.test(name))).to.deep.equal([])
      }
      const csrfToken = await browser.csrfToken()
      const foreign = await browser.post('/auth/link/acme', { csrfToken }, { 'sec-fetch-site': 'cross-site' })
      expect(paramsOf(foreign).get('error')).to.equal('MissingCSRF')
    })

    it('signed out, page and form lead to the sign-in page, and from there back', async () => {
      const app = setUp()
      const browser = app.browser()
      for (const answer of [
        await browser.get('/auth/link/acme?callbackUrl=/settings'),
        await beginLink(browser, 'acme', { callbackUrl: '/settings' }),
      ]) {
        expect(pathOf(answer)).to.equal('/auth/signin')
        const back = new URL(paramsOf(answer).get('callbackUrl') ?? '')
        expect(back.pathname).to.equal('/auth/link/acme')
        expect(back.searchParams.get('callbackUrl')).to.equal(`${ORIGIN}/settings`)
      }
    })

    it('an old session must sign in again first, and comes back to the page', async () => {
      const app = setUp()
      const { browser } = await app.signedIn()
      app.clock.advance(16 * 60)
      for (const answer of [await browser.get('/auth/link/acme'), await beginLink(browser)]) {
        expect(pathOf(answer)).to.equal('/auth/signin')
        expect(paramsOf(answer).get('error')).to.equal('RecentSignInRequired')
        expect(new URL(paramsOf(answer).get('callbackUrl') ?? '').pathname).to.equal('/auth/link/acme')
      }
    })

    it('a session that became old at the provider adds nothing', async () => {
      const app = setUp()
      const { browser } = await app.signedIn()
      const work = newPerson()
      app.clock.advance(10 * 60)
      const path = await goToLink(browser, idp)
      app.clock.advance(10 * 60)
      setProviderUser(idp, app.clock, work)
      const answer = await browser.get(path)
      expect(paramsOf(answer).get('error')).to.equal('RecentSignInRequired')
      expect(await app.ownerOf(work)).to.equal(undefined)
    })

    /** What happens in the browser between the start of a link and its end; none of it may add the account. */
    const MEANWHILE: Readonly<
      Record<string, (app: ReturnType<typeof setUp>, browser: TestBrowser, person: Person) => Promise<unknown>>
    > = {
      'signs out': (_app, browser) => browser.signOut(),
      'signs out and in again as the same person': async (app, browser, person) => {
        await browser.signOut()
        await app.signIn(browser, person, 'other')
      },
      'signs in again as the same person without signing out': (app, browser, person) =>
        app.signIn(browser, person, 'other'),
      'is replaced by another user': (_app, browser) => browser.signIn({ email: newPerson().email ?? '' }),
    }
    for (const [title, change] of Object.entries(MEANWHILE)) {
      it(`the person ${title} meanwhile: nothing is added, also if the cookies of the transaction are there`, async () => {
        const app = setUp()
        const { browser, person } = await app.signedIn()
        const work = newPerson()
        setProviderUser(idp, app.clock, work)
        const path = await goToLink(browser, idp)
        const kept = [...browser.jar].filter(([name]) => /state|pkce|nonce/.test(name))
        expect(kept).to.have.length.above(0)
        await change(app, browser, person)
        for (const [name, cookie] of kept) browser.jar.set(name, cookie)
        const who = await whoIs(browser)
        setProviderUser(idp, app.clock, work)
        const answer = await browser.get(path)
        expect(pathOf(answer)).to.equal('/auth/signin')
        expect(paramsOf(answer).get('error')).to.equal('SessionChanged')
        expect(await app.ownerOf(work)).to.equal(undefined)
        expect(await whoIs(browser), 'and nobody else is signed in').to.equal(who)
      })
    }

    it('an account of another user is refused, says so, and the other user keeps it', async () => {
      const app = setUp()
      const eve = newPerson()
      await app.signIn(app.browser(), eve, 'acme')
      const owner = await app.ownerOf(eve)
      const { browser, person } = await app.signedIn()
      const answer = await link(browser, app, eve)
      expect(pathOf(answer)).to.equal('/auth/link/acme')
      expect(paramsOf(answer).get('error')).to.equal('OAuthAccountNotLinked')
      expect(await app.ownerOf(eve)).to.equal(owner)
      expect(await whoIs(browser)).to.equal(person.email)
      const page = await browser.get(`/auth/link/acme?${paramsOf(answer)}`)
      expect(page.body).to.include('belongs to another user').and.not.to.include(eve.email)
    })

    it('after a refusal, the page lets the person choose another account at the provider', async () => {
      const asked = async (browser: TestBrowser, fields: Record<string, string>) =>
        new URL((await beginLink(browser, 'acme', fields)).location ?? '').searchParams
      const refused = '/auth/link/acme?error=OAuthAccountNotLinked'
      const app = setUp()
      const { browser } = await app.signedIn()
      expect((await browser.get('/auth/link/acme')).body).not.to.include('name="chooseAccount"')
      expect((await browser.get(refused)).body)
        .to.include('name="chooseAccount"')
        .and.include('asks you which account')
      expect((await asked(browser, { chooseAccount: 'true' })).get('prompt')).to.equal('select_account')
      expect((await asked(browser, {})).has('prompt'), 'only then').to.equal(false)
      const other = setUp()
      const { browser: again } = await other.signedIn()
      app.idp.faults.metadata = (document) => ({ ...document, prompt_values_supported: ['none', 'login'] })
      expect((await asked(again, { chooseAccount: 'true' })).get('prompt')).to.equal('login')
      app.idp.reset()

      const chosen = setUp({ provider: { authorization: { params: { prompt: 'login' } } } })
      const { browser: third } = await chosen.signedIn()
      expect((await third.get(refused)).body)
        .to.include('sign out at')
        .and.not.to.include('name="chooseAccount"')
      expect((await asked(third, { chooseAccount: 'true' })).get('prompt'), 'as configured').to.equal('login')

      const plain = setUp({ more: [oauth(app.idp, 'oauth', { id: 'plain', name: 'Plain' })] })
      const { browser: fourth } = await plain.signedIn()
      const page = await fourth.get('/auth/link/plain?error=OAuthAccountNotLinked')
      expect(page.body).to.include('sign out at Plain first').and.not.to.include('name="chooseAccount"')
      const { location } = await beginLink(fourth, 'plain', { chooseAccount: 'true' })
      expect(new URL(location ?? '').searchParams.has('prompt')).to.equal(false)
    })

    it('whoever has an account there already reads that, and nothing of a permission that nobody asks for', async () => {
      const app = setUp({ provider: { name: 'Acme' } })
      const { browser } = await app.signedIn()
      await link(browser, app, newPerson())
      const { body } = await browser.get('/auth/link/acme')
      expect(body.replaceAll(/<\/?(strong|bdi)>/g, '')).to.match(/connected with an account at Acme already/)
      expect(body)
        .to.include('Continue to Acme')
        .and.not.to.match(/You are about to connect|permission/i)
    })

    for (const allowDangerousEmailAccountLinking of [false, true]) {
      it(`the address of the account decides nothing, with allowDangerousEmailAccountLinking ${allowDangerousEmailAccountLinking}`, async () => {
        const app = setUp({ provider: { allowDangerousEmailAccountLinking } })
        const victim = newPerson()
        const { id } = await app.store.createUser({ id: '1815', email: victim.email ?? '', emailVerified: new Date(0) })
        const { browser, person } = await app.signedIn()
        const account = { ...newPerson(), email: victim.email, emailVerified: true }
        await link(browser, app, account)
        const owner = await app.ownerOf(account)
        expect(owner)
          .to.equal(await app.ownerOf(person, 'other'))
          .and.not.to.equal(id)
        expect(await whoIs(browser)).to.equal(person.email)
      })
    }

    it('the answer to a link is good once, and in no other browser', async () => {
      const app = setUp()
      const { browser } = await app.signedIn()
      const { browser: other } = await app.signedIn()
      const work = newPerson()
      setProviderUser(idp, app.clock, work)
      const path = await goToLink(browser, idp)
      const thief = browser.copy()
      expect(paramsOf(await other.get(path)).get('error')).to.equal('OAuthCallbackError')
      expect(await app.ownerOf(work)).to.equal(undefined)
      setProviderUser(idp, app.clock, work)
      await browser.get(path)
      const replayed = await thief.get(path)
      expect(paramsOf(replayed).get('error')).to.equal('OAuthCallbackError')
    })

    it('a sign-in that was begun is no link, and a link no sign-in: each keeps its intent', async () => {
      const app = setUp()
      const browser = app.browser()
      const { browser: signedIn } = await app.signedIn()
      const work = newPerson()
      setProviderUser(idp, app.clock, work)
      const path = await goToLink(signedIn, idp)
      for (const [name, cookie] of signedIn.jar) if (/state|pkce|nonce/.test(name)) browser.jar.set(name, cookie)
      setProviderUser(idp, app.clock, work)
      const answer = await browser.get(path)
      expect(paramsOf(answer).get('error')).to.equal('SessionChanged')
      expect(browser.sessionNames()).to.deep.equal([])
      expect(await app.ownerOf(work), 'nobody was signed up').to.equal(undefined)
    })

    for (const mode of ['form_post', 'form_post.jwt'] as const) {
      it(`OIDC-22: an answer by ${mode}, which browsers send without the session, comes again as an encrypted GET`, async () => {
        const app = setUp({ provider: { authorization: { params: { response_mode: mode } } } })
        const browser = app.browser()
        await browser.signIn({ email: newPerson().email ?? '' })
        /** The form of the provider, for a link of a new account. */
        const answered = async () => {
          const work = newPerson()
          setProviderUser(idp, app.clock, work)
          const [path = '', query = ''] = (await goToLink(browser, idp)).split('?')
          const params = Object.fromEntries(new URLSearchParams(query))
          const claims = { ...params, iss: idp.issuer, aud: 'client', exp: app.clock.seconds + 60 }
          const form = mode === 'form_post' ? params : { response: await signWith(await fakeKey('key-1'), claims) }
          return { path, form, code: params['code'] ?? '?', work }
        }
        /** Sends the form as browsers do: with no cookie that is SameSite=Lax. */
        const send = async ({ path, form }: Awaited<ReturnType<typeof answered>>) => {
          const lax = [...browser.jar].filter(([name]) => /session-token|own-sign-in/.test(name))
          for (const [name] of lax) browser.jar.delete(name)
          const { location, status } = await browser.post(path, form, { 'sec-fetch-site': 'cross-site' })
          for (const [name, cookie] of lax) browser.jar.set(name, cookie)
          const url = new URL(location ?? '')
          expect([status, url.pathname]).to.deep.equal([302, path])
          return url.pathname + url.search
        }
        const one = await answered()
        const again = await send(one)
        expect(again).not.to.include(one.code)
        expect(paramsOf(await app.browser().get(again)).get('error'), 'elsewhere').to.equal('OAuthCallbackError')
        expect((await browser.get(again)).location).to.equal(ORIGIN)
        expect(await app.ownerOf(one.work)).to.be.a('string')
        expect(paramsOf(await browser.get(again)).get('error'), 'a second time').to.equal('OAuthCallbackError')

        const two = await answered()
        const late = await send(two)
        for (const text of [late.slice(0, -3), late.replace(/form=[^&]*/, 'form=x'), late.split('?')[0] ?? ''])
          expect(paramsOf(await browser.get(text)).get('error'), text).to.be.a('string')
        app.clock.advance(181)
        expect(paramsOf(await browser.get(late)).get('error'), 'too late').to.be.a('string')
        expect(await app.ownerOf(two.work)).to.equal(undefined)

        const three = await send(await answered())
        await browser.signOut()
        expect(paramsOf(await browser.get(three)).get('error'), 'signed out').to.be.a('string')
      })
    }

    it('signing in again at a provider that answers with a form makes the session recent', async () => {
      const app = setUp({ provider: { authorization: { params: { response_mode: 'form_post' } } } })
      const [browser, person] = [app.browser(), newPerson()]
      const visit = async () => {
        setProviderUser(idp, app.clock, person)
        const [path = '', query = ''] = (await goTo(browser, idp, 'acme')).split('?')
        const lax = [...browser.jar].filter(([name]) => /session-token|own-sign-in/.test(name))
        for (const [name] of lax) browser.jar.delete(name)
        const form = Object.fromEntries(new URLSearchParams(query))
        const { location } = await browser.post(path, form, { 'sec-fetch-site': 'cross-site' })
        for (const [name, cookie] of lax) if (!browser.jar.has(name)) browser.jar.set(name, cookie)
        const again = new URL(location ?? '')
        expect(again.pathname).to.equal(path)
        return (await browser.get(again.pathname + again.search)).location
      }
      expect(await visit()).to.equal(ORIGIN)
      app.clock.advance(1000)
      expect((await beginLink(browser, 'other')).location).to.include('RecentSignInRequired')
      expect(await visit()).to.equal(ORIGIN)
      expect(await whoIs(browser)).to.equal(person.email)
      expect((await beginLink(browser, 'other')).location).to.include(idp.issuer)
    })

    it('OIDC-22: a form too long to come again is refused at once, says why, and ends nothing', async () => {
      const app = setUp({ provider: { authorization: { params: { response_mode: 'form_post' } } } })
      const [browser, person] = [app.browser(), newPerson()]
      setProviderUser(idp, app.clock, person)
      const [path = '', query = ''] = (await goTo(browser, idp, 'acme')).split('?')
      const send = (padding: number) =>
        browser.post(
          path,
          { ...Object.fromEntries(new URLSearchParams(query)), padding: 'x'.repeat(padding) },
          { 'sec-fetch-site': 'cross-site' },
        )
      expect(paramsOf(await send(6000)).get('error')).to.equal('OAuthCallbackError')
      expect(app.log.errors.at(-1)?.message).to.include('the posted answer is too long')
      const again = new URL((await send(5000)).location ?? '')
      expect((await browser.get(again.pathname + again.search)).location).to.equal(ORIGIN)
    })

    it('a provider without checks adds no account', async () => {
      const app = setUp({ provider: { checks: ['none'] } })
      const browser = app.browser()
      await browser.signIn({ email: newPerson().email ?? '' })
      for (const answer of [await browser.get('/auth/link/acme'), await beginLink(browser)]) {
        expect(answer.status).to.equal(404)
      }
    })

    it('only providers of OAuth and OpenID Connect have the page', async () => {
      const app = setUp()
      const { browser } = await app.signedIn()
      for (const id of ['email', 'credentials', 'nobody', '']) {
        expect((await browser.get(`/auth/link/${id}`)).status, id).to.equal(404)
        expect((await beginLink(browser, id)).status, id).to.equal(404)
      }
    })

    it('who may not sign in with an account may not add it: the signIn callback is asked', async () => {
      const app = setUp({
        config: { session: { strategy }, callbacks: { signIn: ({ account }) => account?.provider !== 'acme' } },
      })
      const { browser, person } = await app.signedIn()
      const work = newPerson()
      const answer = await link(browser, app, work)
      expect(answer.location).to.include('error=AccessDenied')
      expect(await app.ownerOf(work)).to.equal(undefined)
      expect(await whoIs(browser)).to.equal(person.email)
    })

    it('somebody who cancels at the provider comes back to the page', async () => {
      const app = setUp()
      const { browser } = await app.signedIn()
      const { location } = await beginLink(browser)
      const state = new URL(location ?? '').searchParams.get('state') ?? ''
      const query = new URLSearchParams({ error: 'access_denied', state, iss: idp.issuer })
      const answer = await browser.get(`/auth/callback/acme?${query}`)
      expect(pathOf(answer)).to.equal('/auth/link/acme')
      expect(paramsOf(answer).get('error')).to.equal('OAuthCallbackError')
    })

    it('a store that cannot link leaves everything as it was', async () => {
      const app = setUp({ change: { linkAccount: () => Promise.reject(new Error('down')) } })
      const browser = app.browser()
      await browser.signIn({ email: newPerson().email ?? '' })
      const who = await whoIs(browser)
      const answer = await link(browser, app, newPerson())
      expect(pathOf(answer)).to.equal('/auth/error')
      expect(await whoIs(browser)).to.equal(who)
    })

    it('the form that signs in while somebody is signed in adds the account, too, and the session stays', async () => {
      const app = setUp()
      const { browser, person } = await app.signedIn()
      const work = newPerson()
      const before = browser.jar.get(SESSION)?.value
      setProviderUser(idp, app.clock, work)
      await browser.get(await goTo(browser, idp, 'acme'))
      expect(await app.ownerOf(work)).to.equal(await app.ownerOf(person, 'other'))
      expect(browser.jar.get(SESSION)?.value).to.equal(before)
    })

    describe('a link request', () => {
      const requestOf = (app: ReturnType<typeof setUp>, user: AdapterUser | { id: string }, scope = 'calendar.read') =>
        createLinkRequests([SECRET], app.clock.now).make({
          provider: 'acme',
          userDigest: userDigest(user),
          scope,
          offline: false,
          callbackUrl: '/calendar',
        })

      it('asks for more, beside the configured scope, and returns where it says', async () => {
        const app = setUp()
        const { browser, person } = await app.signedIn()
        const request = await requestOf(app, { id: (await app.ownerOf(person, 'other')) ?? '' })
        const page = await browser.get(`/auth/link/acme?request=${request}`)
        expect(page.body).to.include('calendar.read')
        setProviderUser(idp, app.clock, newPerson())
        const { location } = await beginLink(browser, 'acme', { request })
        expect(new URL(location ?? '').searchParams.get('scope')).to.equal('openid profile email calendar.read')
        const answer = await browser.get(`/auth/callback/acme?${idp.authorize(location ?? '')}`)
        expect(answer.location).to.equal(`${ORIGIN}/calendar`)
      })

      it('is still there after a cancel or a refusal, so that the next attempt asks for the same', async () => {
        const app = setUp()
        const taken = newPerson()
        await app.signIn(app.browser(), taken, 'acme')
        const { browser, person } = await app.signedIn()
        const request = await requestOf(app, { id: (await app.ownerOf(person, 'other')) ?? '' })
        const { location } = await beginLink(browser, 'acme', { request })
        const state = new URL(location ?? '').searchParams.get('state') ?? ''
        const cancel = new URLSearchParams({ error: 'access_denied', state, iss: idp.issuer })
        const cancelled = await browser.get(`/auth/callback/acme?${cancel}`)
        setProviderUser(idp, app.clock, taken)
        const refused = await browser.get(await goToLink(browser, idp, 'acme', { request }))
        for (const answer of [cancelled, refused]) {
          expect(pathOf(answer)).to.equal('/auth/link/acme')
          expect(paramsOf(answer).get('error')).to.be.a('string')
          expect(paramsOf(answer).get('request')).to.equal(request)
          const page = await browser.get((answer.location ?? '').replace(ORIGIN, ''))
          expect(page.body).to.include('calendar.read')
        }
      })

      it('is left out of the cookie where it would make it too large, and the link goes on', async () => {
        const app = setUp()
        const { browser, person } = await app.signedIn()
        const scope = `calendar.read ${'x'.repeat(2000)}`
        const request = await requestOf(app, { id: (await app.ownerOf(person, 'other')) ?? '' }, scope)
        const begun = await beginLink(browser, 'acme', { request })
        for (const cookie of begun.setCookies) expect(String(cookie).length).to.be.below(4096)
        setProviderUser(idp, app.clock, newPerson())
        const answer = await browser.get(`/auth/callback/acme?${idp.authorize(begun.location ?? '')}`)
        expect(answer.location).to.equal(`${ORIGIN}/calendar`)
      })

      it('is good for its user and its provider only, for an hour, and unchanged', async () => {
        const app = setUp()
        const { browser, person } = await app.signedIn()
        const user = { id: (await app.ownerOf(person, 'other')) ?? '' }
        const good = await requestOf(app, user)
        const foreign = await createLinkRequests(['another secret, which is long enough too'], app.clock.now).make({
          provider: 'acme',
          userDigest: userDigest(user),
          scope: 'everything',
          offline: false,
          callbackUrl: '/',
        })
        const ofEve = await requestOf(app, { id: '666' })
        for (const request of [ofEve, foreign, `${good}x`, 'nonsense', good.slice(0, -4)]) {
          expect((await browser.get(`/auth/link/acme?request=${request}`)).status).to.equal(400)
          expect((await beginLink(browser, 'acme', { request })).status).to.equal(400)
        }
        expect((await browser.get(`/auth/link/other?request=${good}`)).status).to.equal(400)
        app.clock.advance(60 * 60 + 121)
        await app.signIn(browser, person, 'other')
        expect((await browser.get(`/auth/link/acme?request=${good}`)).status).to.equal(400)
      })

      it('is the only place for a scope: a query or a field has none', async () => {
        const app = setUp()
        const { browser } = await app.signedIn()
        const csrfToken = await browser.csrfToken()
        const { location } = await browser.post('/auth/link/acme?scope=everything&prompt=none&login_hint=eve', {
          csrfToken,
          scope: 'everything',
        })
        const params = new URL(location ?? '').searchParams
        expect(params.get('scope')).to.equal('openid profile email')
        expect(params.has('prompt') || params.has('login_hint')).to.equal(false)
      })
    })

    it('another instance of the same store finishes no link of this one', async () => {
      const store = memoryAdapter()
      const north = setUp({ store, config: { session: { strategy }, instance: 'north' } })
      const south = setUp({ store, config: { session: { strategy }, instance: 'south' } })
      const { browser, person } = await north.signedIn()
      const other = south.browser()
      await south.signIn(other, person, 'other')
      const work = newPerson()
      setProviderUser(idp, north.clock, work)
      const path = await goToLink(browser, idp)
      for (const [name, cookie] of browser.jar) if (/state|pkce|nonce/.test(name)) other.jar.set(name, cookie)
      setProviderUser(idp, south.clock, work)
      const answer = await other.get(path)
      expect(paramsOf(answer).get('error')).to.match(/OAuthCallbackError|SessionChanged/)
      expect(await north.ownerOf(work)).to.equal(undefined)
    })
  })
}
