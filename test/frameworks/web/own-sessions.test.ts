import { expect } from 'chai'
import { type CookieChange, type WebAuth, type WebRequestFacts, webAuth } from '../../../lib/frameworks/web/index.js'
import { MissingCSRF, RequestRefused } from '../../../lib/kernel/errors.js'
import { failureOf } from '../../support/failure.js'
import { enteredBy, LISTING_STRATEGIES, PEOPLE, type Person, storeWithPeople } from '../../support/people-app.js'
import { ORIGIN, OWN_PAGE, webConfig } from '../../support/web-app.js'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0'

const cookieHeader = (cookies: readonly CookieChange[]) =>
  cookies
    .filter(({ options }) => options.maxAge !== 0)
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
    .join('; ')

for (const [strategy, optionsFor] of Object.entries(LISTING_STRATEGIES)) {
  describe(`the sessions of a visitor through latchkey/web, with the strategy ${strategy}`, () => {
    const open = async () => {
      const ended: unknown[] = []
      const events = { signOut: (message: unknown) => void ended.push(message) }
      const store = await storeWithPeople()
      const auth = webAuth(webConfig({ ...optionsFor(store), events }))
      return { auth, ended, store }
    }

    /** A browser in which somebody is signed in: the operations for its requests. */
    const signIn = async (auth: WebAuth, person: Person, facts: WebRequestFacts = {}) => {
      const headers = { ...OWN_PAGE, 'user-agent': FIREFOX }
      const visitor = auth.forRequest({ headers: new Headers(headers), method: 'POST' }, facts)
      const { cookies } = await visitor.signIn({ provider: 'credentials', fields: enteredBy(person) })
      const cookie = cookieHeader(cookies)
      const requestWith = (sender: Record<string, string>, more: WebRequestFacts = {}) =>
        auth.forRequest({ headers: new Headers({ ...sender, cookie }), method: 'POST' }, { ...facts, ...more })
      return { cookie, requestWith, own: () => requestWith(OWN_PAGE) }
    }

    const currentOf = async (browser: Awaited<ReturnType<typeof signIn>>) =>
      (await browser.own().listSessions()).find(({ isCurrent }) => isCurrent)

    it('lists them, and ends one and all others', async () => {
      const { auth, ended } = await open()
      const [desk, phone, laptop] = [await signIn(auth, 'ada'), await signIn(auth, 'ada'), await signIn(auth, 'ada')]
      await signIn(auth, 'eve')
      expect(await desk.own().listSessions()).to.have.length(3)
      expect(await currentOf(desk)).to.include({ browser: 'Firefox 141', system: 'Linux', network: null })
      const id = (await currentOf(phone))?.id ?? ''
      expect(await desk.own().revokeSession(id)).to.deep.equal({ isRevoked: true, cookies: [] })
      expect(await phone.own().getSession()).to.equal(null)
      expect(await desk.own().revokeOtherSessions()).to.equal(1)
      expect(await laptop.own().getSession()).to.equal(null)
      expect((await desk.own().getSession())?.user?.name).to.equal('Ada')
      expect(ended).to.deep.equal([])
    })

    it('gives the deletion of the cookie with the end of the current one', async () => {
      const { auth, ended } = await open()
      const desk = await signIn(auth, 'ada')
      const { isRevoked, cookies } = await desk.own().revokeSession((await currentOf(desk))?.id ?? '')
      expect([isRevoked, ended.length]).to.deep.equal([true, 1])
      for (const { name, options } of cookies) expect(options.maxAge, name).to.equal(0)
      expect(cookies.map(({ name }) => name).join())
        .to.include('session-token')
        .and.include('csrf-token')
      expect(await desk.own().getSession()).to.equal(null)
    })

    it('gives the deletion of the cookie, and the fault, while the store is down', async () => {
      const { auth, store } = await open()
      const desk = await signIn(auth, 'ada')
      const id = (await currentOf(desk))?.id ?? ''
      store.deleteSession = store.revokeTokenSession = async () => {
        throw new Error('the store is down')
      }
      const { isRevoked, cookies, fault } = await desk.own().revokeSession(id)
      expect([isRevoked, fault?.type]).to.deep.equal([false, 'SignOutError'])
      expect(cookies.find(({ name }) => name.endsWith('session-token'))?.options.maxAge).to.equal(0)
    })

    it('ends nothing for another site, nor for who is not signed in, nor of another user', async () => {
      const { auth } = await open()
      const [desk, phone, eve] = [await signIn(auth, 'ada'), await signIn(auth, 'ada'), await signIn(auth, 'eve')]
      const id = (await currentOf(phone))?.id ?? ''
      for (const sender of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
        const visitor = desk.requestWith(sender as Record<string, string>)
        expect(await failureOf(visitor.revokeSession(id))).to.be.instanceOf(MissingCSRF)
        expect(await failureOf(visitor.revokeOtherSessions())).to.be.instanceOf(MissingCSRF)
      }
      const stranger = auth.forRequest({ headers: new Headers(OWN_PAGE), method: 'POST' })
      for (const work of [stranger.listSessions(), stranger.revokeSession(id), stranger.revokeOtherSessions()]) {
        const error = await failureOf<RequestRefused>(work)
        expect([error instanceof RequestRefused, error.status]).to.deep.equal([true, 401])
      }
      expect(await eve.own().revokeSession(id)).to.deep.equal({ isRevoked: false, cookies: [] })
      expect((await phone.own().getSession())?.user?.name).to.equal('Ada')
    })

    it('ends every session of a user for an administrator', async () => {
      const { auth } = await open()
      const [desk, phone, eve] = [await signIn(auth, 'ada'), await signIn(auth, 'ada'), await signIn(auth, 'eve')]
      expect(await auth.revokeAllSessions(PEOPLE.ada.id)).to.equal(2)
      for (const browser of [desk, phone]) expect(await browser.own().getSession()).to.equal(null)
      expect((await eve.own().getSession())?.user?.name).to.equal('Eve')
    })

    it('keeps the network that the framework knows, and never believes a header', async () => {
      const { auth } = await open()
      const known = await signIn(auth, 'ada', { clientAddress: () => '2001:db8:7:1::9' })
      expect(await currentOf(known)).to.have.property('network', '2001:db8:7::/48')
      const clientAddress = () => {
        throw new Error('no address')
      }
      const unknown = await signIn(auth, 'ada', { clientAddress })
      expect(await currentOf(unknown)).to.have.property('network', null)
    })

    it('asks for the address only where it is kept', async () => {
      const { auth } = await open()
      let asked = 0
      const clientAddress = () => {
        asked += 1
        return '203.0.113.77'
      }
      const desk = await signIn(auth, 'ada', { clientAddress })
      asked = 0
      for (let reads = 0; reads < 3; reads += 1) await desk.requestWith({}, { clientAddress }).renewSession()
      expect(asked).to.equal(0)
    })

    it('keeps the network of a sign-in at the mount', async () => {
      const { auth } = await open()
      const facts = { clientAddress: () => '203.0.113.77' }
      const csrf = await auth.serve(new Request(`${ORIGIN}/auth/csrf`), facts)
      const cookie = csrf.headers.getSetCookie().map((text) => text.split(';', 1)[0])
      const { csrfToken } = (await csrf.json()) as { csrfToken: string }
      const body = new URLSearchParams({ csrfToken, ...enteredBy('ada') })
      const headers = { ...OWN_PAGE, cookie: cookie.join('; '), 'x-forwarded-for': '198.51.100.9' }
      const answer = await auth.serve(
        new Request(`${ORIGIN}/auth/callback/credentials`, { method: 'POST', body, headers }),
        facts,
      )
      const session = answer.headers.getSetCookie().map((text) => text.split(';', 1)[0])
      const visitor = auth.forRequest({ headers: new Headers({ ...OWN_PAGE, cookie: session.join('; ') }) })
      expect((await visitor.listSessions())[0]).to.have.property('network', '203.0.113.0/24')
    })
  })
}
