import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import type { AuthConfig } from '../../lib/index.js'
import { enteredBy, LISTING_STRATEGIES, type Person, storeWithPeople } from '../support/people-app.js'
import { openTestApp, sessionCookies, type TestBrowser, type TestResponse, whoIs } from '../support/test-app.js'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:141.0) Gecko/20100101 Firefox/141.0'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1'
/** What a browser says when it submits a form of a page. */
const FORM = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-site': 'same-origin' }
const NO_SESSION = [404, { revoked: 0 }]
const UNKNOWN_IDS = ['', 'x', '0'.repeat(22), '1815', '__proto__', `${'A'.repeat(22)}`, '../revoke', '%00', '*']

interface Listed {
  readonly id: string
  readonly isCurrent: boolean
  readonly browser: string | null
}

const listOf = async (browser: TestBrowser): Promise<readonly Listed[]> =>
  (await browser.get('/auth/sessions')).json().sessions

/** The id of the session of a browser. */
const idOf = async (browser: TestBrowser): Promise<string> =>
  (await listOf(browser)).find(({ isCurrent }) => isCurrent)?.id ?? ''

/** Sends what a script sends. */
const revoke = async (browser: TestBrowser, fields: object): Promise<TestResponse> =>
  browser.postJson('/auth/sessions/revoke', { csrfToken: await browser.csrfToken(), ...fields })

const said = (answer: TestResponse) => [answer.status, answer.json()]

for (const [strategy, optionsFor] of Object.entries(LISTING_STRATEGIES)) {
  describe(`the list of sessions over HTTP, with the strategy ${strategy}`, () => {
    const open = async (more: Partial<AuthConfig> = {}, given?: Required<Adapter>) => {
      const store = given ?? (await storeWithPeople())
      const ended: unknown[] = []
      const base = optionsFor(store)
      const app = openTestApp({
        ...base,
        events: { signOut: (message) => void ended.push(message) },
        ...more,
        session: { ...base.session, ...more.session },
      })
      const signIn = async (person: Person, userAgent = FIREFOX) => {
        const browser = app.browser()
        const csrfToken = await browser.csrfToken()
        const fields = { csrfToken, ...enteredBy(person) }
        await browser.post('/auth/callback/credentials', fields, { 'user-agent': userAgent })
        app.clock.advance(1)
        return browser
      }
      return { ...app, store, ended, signIn }
    }

    it('SESS-09: shows a visitor all their sessions and nobody else’s, the newest first, and which one is theirs here', async () => {
      const { signIn, clock } = await open()
      await signIn('eve')
      const desk = await signIn('ada')
      const beganAt = new Date(clock.ms - 1000).toISOString()
      const phone = await signIn('ada', IPHONE)
      const answer = await desk.get('/auth/sessions')
      expect(answer.status).to.equal(200)
      const [newest, oldest, ...more] = answer.json().sessions
      expect(more).to.deep.equal([])
      expect(newest).to.deep.include({ isCurrent: false, browser: 'Safari 18', system: 'iOS 18' })
      const { id, expires, ...shown } = oldest
      expect(shown).to.deep.equal({
        isCurrent: true,
        kind: 'browser',
        name: null,
        scope: null,
        createdAt: beganAt,
        lastSeenAt: beganAt,
        browser: 'Firefox 141',
        system: 'Windows',
        network: null,
      })
      expect(id).to.match(/^[\w-]{22}$/)
      expect(Date.parse(expires)).to.be.greaterThan(clock.ms)
      expect(await idOf(phone)).to.equal(newest.id)
    })

    it('shows no header of a browser, no token and no row', async () => {
      const { signIn } = await open()
      const ada = await signIn('ada', `${FIREFOX} <script>alert(1)</script>`)
      const { body } = await ada.get('/auth/sessions')
      expect(body).to.not.include('script').and.not.include('Gecko')
      for (const [name, { value }] of ada.jar) if (name.includes('session')) expect(body).to.not.include(value)
    })

    it('answers 401 to who is not signed in, and after a sign-out', async () => {
      const { browser, signIn } = await open()
      const stranger = browser()
      const ada = await signIn('ada')
      const copy = ada.copy()
      await ada.signOut()
      for (const each of [stranger, ada, copy]) {
        expect(said(await each.get('/auth/sessions'))).to.deep.equal([401, { message: 'Sign in first.' }])
        for (const fields of [{ id: 'x' }, { others: true }, { all: true }]) {
          expect((await revoke(each, fields)).status).to.equal(401)
        }
      }
    })

    it('answers HEAD without asking the store', async () => {
      const { signIn, store } = await open()
      const ada = await signIn('ada')
      store.listSessionsByUserId = store.listTokenSessionsByUserId = async () => {
        throw new Error('asked')
      }
      const answer = await ada.head('/auth/sessions')
      expect([answer.status, answer.body, answer.setCookies]).to.deep.equal([200, '', []])
    })

    it('SESS-09: ends the session on a lost phone at once, and leaves the others', async () => {
      const { signIn } = await open()
      const [desk, phone, laptop] = [await signIn('ada'), await signIn('ada', IPHONE), await signIn('ada')]
      expect(said(await revoke(desk, { id: await idOf(phone) }))).to.deep.equal([200, { revoked: 1 }])
      expect(await Promise.all([desk, phone, laptop].map(whoIs))).to.deep.equal([
        'ada@example.com',
        null,
        'ada@example.com',
      ])
      expect(await listOf(desk)).to.have.length(2)
    })

    it('ends all but the current one, and says how many', async () => {
      const { signIn, ended } = await open()
      const [desk, phone, eve] = [await signIn('ada'), await signIn('ada'), await signIn('eve')]
      await signIn('ada')
      const answer = await revoke(desk, { others: true })
      expect([...said(answer), sessionCookies(answer)]).to.deep.equal([200, { revoked: 2 }, []])
      expect(await Promise.all([desk, phone, eve].map(whoIs))).to.deep.equal([
        'ada@example.com',
        null,
        'eve@example.com',
      ])
      expect(said(await revoke(desk, { others: true }))).to.deep.equal([200, { revoked: 0 }])
      expect(ended).to.deep.equal([])
    })

    it('ends all with the current one, which is a sign-out here', async () => {
      const { signIn, ended } = await open()
      const [desk, phone, eve] = [await signIn('ada'), await signIn('ada'), await signIn('eve')]
      const copy = desk.copy()
      expect(said(await revoke(desk, { all: true }))).to.deep.equal([200, { revoked: 2 }])
      expect(desk.sessionNames()).to.deep.equal([])
      expect(await Promise.all([desk, copy, phone, eve].map(whoIs))).to.deep.equal([
        null,
        null,
        null,
        'eve@example.com',
      ])
      expect(ended).to.have.length(1)
    })

    it('treats the end of the current one as a sign-out: the cookies go, and the application learns of it', async () => {
      const { signIn, ended, clock } = await open()
      const desk = await signIn('ada')
      const copy = desk.copy()
      // Long after the sign-in: a sign-out needs no recent one.
      clock.advance(24 * 60 * 60)
      const answer = await revoke(desk, { id: await idOf(desk) })
      expect(said(answer)).to.deep.equal([200, { revoked: 1 }])
      expect(desk.sessionNames()).to.deep.equal([])
      expect([...desk.jar.keys()]).to.deep.equal(['authjs.known-browser'])
      expect(await whoIs(copy)).to.equal(null)
      expect(ended).to.have.length(1)
    })

    it('gives one answer for the session of another user, an ended one, and an id that nobody has', async () => {
      const { signIn } = await open()
      const [ada, eve, phone] = [await signIn('ada'), await signIn('eve'), await signIn('ada')]
      const gone = await idOf(phone)
      await phone.signOut()
      for (const id of [await idOf(ada), gone, ...UNKNOWN_IDS]) {
        expect(said(await revoke(eve, { id })), id).to.deep.equal(NO_SESSION)
      }
      // A form leads back to the page with the list in each of these cases.
      for (const id of [await idOf(ada), gone, 'x']) {
        const form = { csrfToken: await eve.csrfToken(), id, callbackUrl: '/account' }
        const { status, location } = await eve.post('/auth/sessions/revoke', form, FORM)
        expect([status, location], id).to.deep.equal([302, 'http://app.example/account'])
      }
      expect(await Promise.all([ada, eve].map(whoIs))).to.deep.equal(['ada@example.com', 'eve@example.com'])
    })

    it('does not list and does not end the sessions of another instance in the same store', async () => {
      const store = await storeWithPeople()
      const [shop, staff] = [await open({ instance: 'shop' }, store), await open({ instance: 'staff' }, store)]
      const [buyer, clerk] = [await shop.signIn('ada'), await staff.signIn('ada')]
      expect(await listOf(buyer)).to.have.length(1)
      expect(said(await revoke(buyer, { id: await idOf(clerk) }))).to.deep.equal(NO_SESSION)
      expect(said(await revoke(buyer, { others: true }))).to.deep.equal([200, { revoked: 0 }])
      expect(said(await revoke(buyer, { all: true }))).to.deep.equal([200, { revoked: 1 }])
      expect(await whoIs(clerk)).to.equal('ada@example.com')
    })

    it('refuses to end another session long after the sign-in, and ends none', async () => {
      const { signIn, clock } = await open()
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      const id = await idOf(phone)
      clock.advance(16 * 60)
      for (const fields of [{ id }, { id: 'x' }, { others: true }, { all: true }]) {
        expect(said(await revoke(desk, fields))).to.deep.equal([403, { error: 'RecentSignInRequired' }])
      }
      expect(await Promise.all([desk, phone].map(whoIs))).to.deep.equal(['ada@example.com', 'ada@example.com'])
    })

    it('ends another session long after the sign-in where the application asks for no recent one', async () => {
      const { signIn, clock } = await open({ session: { recentAuthAge: Number.POSITIVE_INFINITY } })
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      clock.advance(24 * 60 * 60)
      expect(said(await revoke(desk, { id: await idOf(phone) }))).to.deep.equal([200, { revoked: 1 }])
    })

    it('ends nothing without the CSRF token, and for a form of another site', async () => {
      const { signIn } = await open()
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      const id = await idOf(phone)
      const without = await desk.postJson('/auth/sessions/revoke', { id })
      expect(said(without)).to.deep.equal([403, { error: 'MissingCSRF' }])
      const form = { csrfToken: await desk.csrfToken(), id }
      const crossSite = { ...FORM, 'sec-fetch-site': 'cross-site' }
      const wrong = { ...form, csrfToken: '0'.repeat(64) }
      for (const [fields, headers] of [
        [form, crossSite],
        [wrong, FORM],
      ] as const) {
        const answer = await desk.post('/auth/sessions/revoke', fields, headers)
        expect([answer.status, answer.location]).to.deep.equal([
          302,
          'http://app.example/auth/signin?error=MissingCSRF',
        ])
      }
      expect(await whoIs(phone)).to.equal('ada@example.com')
    })

    it('ends nothing by a link', async () => {
      const { signIn } = await open()
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      const answer = await desk.get(`/auth/sessions/revoke?id=${await idOf(phone)}&others=true&all=true`)
      expect(answer.status).to.equal(405)
      expect(await whoIs(phone)).to.equal('ada@example.com')
    })

    it('takes the id from the body only, and only where it says exactly what to end', async () => {
      const { signIn } = await open()
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      const id = await idOf(phone)
      const unclear = [{}, { id, others: true }, { others: true, all: true }, { id: [id] }, { id: { id } }, { id: 1 }]
      for (const fields of [...unclear, { others: false }, { others: 'no' }, { all: 1 }, { all: null }]) {
        expect((await revoke(desk, fields)).status, JSON.stringify(fields)).to.equal(400)
      }
      const csrfToken = await desk.csrfToken()
      expect((await desk.post(`/auth/sessions/revoke?id=${id}`, { csrfToken })).status).to.equal(400)
      expect(await whoIs(phone)).to.equal('ada@example.com')
    })

    it('serves a page without scripts: a form ends a session, and leads back to its page', async () => {
      const { signIn } = await open()
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      const csrfToken = await desk.csrfToken()
      const form = { csrfToken, id: await idOf(phone), callbackUrl: '/account' }
      const answer = await desk.post('/auth/sessions/revoke', form, FORM)
      expect([answer.status, answer.location]).to.deep.equal([302, 'http://app.example/account'])
      expect(await whoIs(phone)).to.equal(null)
      const abroad = { csrfToken, others: 'true', callbackUrl: 'https://evil.example/' }
      expect((await desk.post('/auth/sessions/revoke', abroad, FORM)).location).to.equal('http://app.example')
      const all = { csrfToken, all: 'true', callbackUrl: '/bye' }
      expect((await desk.post('/auth/sessions/revoke', all, FORM)).location).to.equal('http://app.example/bye')
      expect(await whoIs(desk)).to.equal(null)
    })

    it('SESS-09: sends who must sign in again to the sign-in page, and then back to the page with the list', async () => {
      const { signIn, clock } = await open()
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      const form = { csrfToken: await desk.csrfToken(), id: await idOf(phone), callbackUrl: '/account' }
      clock.advance(16 * 60)
      const refused = await desk.post('/auth/sessions/revoke', form, FORM)
      expect([refused.status, refused.location]).to.deep.equal([
        302,
        'http://app.example/auth/signin?error=RecentSignInRequired&code=EndSessions',
      ])
      expect((await desk.get('/auth/signin?error=RecentSignInRequired&code=EndSessions')).body).to.include(
        'and then end the other sessions',
      )
      expect((await desk.signIn(enteredBy('ada'))).location).to.equal('http://app.example/account')
      expect(
        (await desk.post('/auth/sessions/revoke', { ...form, csrfToken: await desk.csrfToken() }, FORM)).status,
      ).to.equal(302)
      expect(await whoIs(phone)).to.equal(null)
    })

    it('sends who was signed out meanwhile to the sign-in page, and then back to the page with the list', async () => {
      const { signIn } = await open()
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      await revoke(phone, { others: true })
      for (const choice of [
        ['id', 'x'],
        ['others', 'true'],
        ['all', 'true'],
      ] as const) {
        const form = Object.fromEntries([choice, ['csrfToken', await desk.csrfToken()], ['callbackUrl', '/account']])
        const { status, location } = await desk.post('/auth/sessions/revoke', form, FORM)
        const page =
          'http://app.example/auth/signin?error=SessionRequired&code=Ended&callbackUrl=http%3A%2F%2Fapp.example%2Faccount'
        expect([status, location]).to.deep.equal([302, page])
      }
      expect(await whoIs(phone)).to.equal('ada@example.com')
      expect(said(await revoke(desk, { others: true }))[0]).to.equal(401)
    })

    it('sends them to the sign-in page of the application, if it has one', async () => {
      const { browser } = await open({ pages: { signIn: '/welcome' } })
      const visitor = browser()
      const form = { csrfToken: await visitor.csrfToken(), id: 'x', callbackUrl: '/account' }
      expect((await visitor.post('/auth/sessions/revoke', form, FORM)).location).to.equal(
        'http://app.example/welcome?error=SessionRequired&code=Ended&callbackUrl=http%3A%2F%2Fapp.example%2Faccount',
      )
    })

    it('says to a script that the current one could not be ended in the store, and deletes the cookies', async () => {
      const { signIn, store } = await open()
      const desk = await signIn('ada')
      const id = await idOf(desk)
      const csrfToken = await desk.csrfToken()
      store.deleteSession = store.revokeTokenSession = async () => {
        throw new Error('the store is down')
      }
      const answer = await desk.postJson('/auth/sessions/revoke', { csrfToken, id })
      expect([answer.status, answer.json().error]).to.deep.equal([503, 'SignOut'])
      expect(desk.sessionNames()).to.deep.equal([])
    })

    it('ends other sessions of a user whose id is an object, new at each reading', async () => {
      const inner = await storeWithPeople()
      const asObject = (id: string) => ({ toString: () => id, toJSON: () => id }) as never
      const getSessionAndUser: Adapter['getSessionAndUser'] = async (token) => {
        const found = await inner.getSessionAndUser(token)
        return found && { ...found, user: { ...found.user, id: asObject(found.user.id) } }
      }
      const listSessionsByUserId: Adapter['listSessionsByUserId'] = (id) => inner.listSessionsByUserId(String(id))
      const { signIn } = await open({}, { ...inner, getSessionAndUser, listSessionsByUserId })
      const [desk, phone] = [await signIn('ada'), await signIn('ada', IPHONE)]
      expect(said(await revoke(desk, { others: true }))).to.deep.equal([200, { revoked: 1 }])
      expect(await Promise.all([desk, phone].map(whoIs))).to.deep.equal(['ada@example.com', null])
    })

    it('answers 503 while the store is down, never an empty list and never a success', async () => {
      const { signIn, store } = await open()
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      const id = await idOf(phone)
      const csrfToken = await desk.csrfToken()
      const { listSessionsByUserId, listTokenSessionsByUserId } = store
      store.listSessionsByUserId = store.listTokenSessionsByUserId = async () => {
        throw new Error('the store is down')
      }
      for (const answer of [
        await desk.get('/auth/sessions'),
        await revoke(desk, { id }),
        await revoke(desk, { others: true }),
        await revoke(desk, { all: true }),
      ]) {
        expect(said(answer)).to.deep.equal([503, { error: 'Configuration' }])
        expect(sessionCookies(answer)).to.deep.equal([])
      }
      const form = await desk.post('/auth/sessions/revoke', { csrfToken, id }, FORM)
      expect(new URL(form.location ?? '').pathname).to.equal('/auth/error')
      Object.assign(store, { listSessionsByUserId, listTokenSessionsByUserId })
      expect(await Promise.all([desk, phone].map(whoIs))).to.deep.equal(['ada@example.com', 'ada@example.com'])
    })
  })
}

describe('the list of sessions over HTTP, where the configuration keeps none', () => {
  it('answers 404 and says what is missing, for tokens without a store', async () => {
    const { signedIn, log } = openTestApp()
    const ada = await signedIn()
    const answers = [
      await ada.get('/auth/sessions'),
      await revoke(ada, { id: 'x' }),
      await revoke(ada, { others: true }),
    ]
    for (const answer of answers) {
      expect(answer.status).to.equal(404)
      expect(answer.json().message).to.include('session.revocation')
    }
    expect(log.errors.length, 'any visitor can ask, so it is no fault').to.equal(log.infos.length)
    expect(await whoIs(ada)).to.equal('ada@example.com')
  })
})
