import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { requestContext } from '../support/request-context.js'
import { newPerson, type Person, registering } from '../support/sign-ins.js'
import { type OpenStore, STORES } from '../support/stores.js'
import { Clock, endOf, openTestApp, SESSION, type TestBrowser } from '../support/test-app.js'

const HOUR = 60 * 60
const DAY = 24 * HOUR

/** Stored sessions on every store, by the ids of docs/requirements.md. Token sessions are in token-sessions.test.ts. */
for (const { name, requireServer, open } of STORES) {
  describe(`SESS, with stored sessions in ${name}`, () => {
    let store: OpenStore
    before(async function () {
      await requireServer.call(this)
      store = await open()
    })
    after(() => store?.close())

    const testApp = (options: Partial<AuthConfig> = {}, clock = new Clock(Math.floor(Date.now() / 1000) * 1000)) => {
      const { adapter } = store
      return openTestApp({ adapter, providers: [registering(adapter)], ...options }, { clock })
    }
    const signIn = async (browser: TestBrowser, { email }: Person) => {
      await browser.signIn({ email: email ?? '' })
      return browser.jar.get(SESSION)?.value ?? ''
    }
    const rowOf = (token: string) => store.adapter.getSession(storedForm(token))

    it('SESS-01: the token has 256 random bits, and the store has only its digest, which signs nobody in', async () => {
      const { browser } = testApp()
      const tokens = await Promise.all(Array.from({ length: 8 }, () => signIn(browser(), newPerson())))
      expect(new Set(tokens)).to.have.property('size', 8)
      for (const token of tokens) {
        expect(token).to.match(/^[0-9a-f]{64}$/)
        expect(await store.adapter.getSession(token)).to.equal(null)
        const digest = `sha256:${createHash('sha256').update(token).digest('hex')}`
        expect(await store.adapter.getSession(digest)).to.have.property('sessionToken', digest)
        const thief = browser()
        thief.plant(SESSION, storedForm(token))
        expect(await thief.session()).to.equal(null)
      }
    })

    it('SESS-02: a sign-in issues a new token and ends the previous session, for the same user and for another', async () => {
      const { browser } = testApp()
      const [ada, mary] = [newPerson(), newPerson()]
      const shared = browser()
      const first = await signIn(shared, ada)
      const copy = shared.copy()
      const tokens = [first, await signIn(shared, ada), await signIn(shared, mary)]
      expect(new Set(tokens)).to.have.property('size', 3)
      expect((await Promise.all(tokens.map(rowOf))).map((row) => row !== null)).to.deep.equal([false, false, true])
      expect(await copy.session()).to.equal(null)
      expect((await shared.session())?.user?.email).to.equal(mary.email)
    })

    it('SESS-02: a planted cookie is not taken over by a sign-in', async () => {
      const { browser } = testApp()
      const victim = browser()
      victim.plant(SESSION, 'chosen-by-somebody-else')
      expect(await signIn(victim, newPerson())).to.not.equal('chosen-by-somebody-else')
      const thief = browser()
      thief.plant(SESSION, 'chosen-by-somebody-else')
      expect(await thief.session()).to.equal(null)
      expect(await rowOf('chosen-by-somebody-else')).to.equal(null)
    })

    it('SESS-03: a session ends on the server, whatever the cookie says', async () => {
      const { browser, clock } = testApp({ session: { maxAge: HOUR } })
      const ada = browser()
      const token = await signIn(ada, newPerson())
      ada.plant(SESSION, token)
      clock.advance(HOUR)
      expect(ada.sessionNames(), 'the cookie is still there').to.deep.equal([SESSION])
      expect(await ada.session()).to.equal(null)
      expect(await rowOf(token)).to.equal(null)
    })

    it('SESS-06: an active session never expires, however seldom it is written; cookie and row agree', async () => {
      for (const [maxAge, updateAge] of [
        [HOUR, 0],
        [HOUR, HOUR],
        [HOUR, DAY],
        [30 * DAY, DAY],
      ] as const) {
        const { browser, clock } = testApp({ session: { maxAge, updateAge } })
        const ada = browser()
        const token = await signIn(ada, newPerson())
        for (let step = 0; step < 8; step += 1) {
          clock.advance(maxAge / 4)
          const end = endOf(await ada.session())
          expect(end, `maxAge ${maxAge}, updateAge ${updateAge}, step ${step}`).to.be.greaterThan(clock.seconds)
          expect(ada.jar.get(SESSION)?.expires?.getTime()).to.equal(end * 1000)
          expect((await rowOf(token))?.expires.getTime()).to.equal(end * 1000)
        }
      }
    })

    it('SESS-07, GHSA-2vg6-77g8-24mp: deleting a user ends every session of theirs at once, and nobody else’s', async () => {
      const { browser } = testApp()
      const another = testApp()
      const [ada, mary] = [newPerson(), newPerson()]
      const browsers = [browser(), browser(), another.browser()]
      for (const each of browsers) await signIn(each, ada)
      const bystander = browser()
      await signIn(bystander, mary)
      const copies = browsers.map((each) => each.copy())

      await store.adapter.deleteUser((await store.adapter.getUserByEmail(ada.email ?? ''))?.id ?? '')
      for (const each of browsers) {
        expect(await each.session()).to.equal(null)
        expect(each.sessionNames(), 'the cookie goes, too').to.deep.equal([])
      }
      expect((await bystander.session())?.user?.email).to.equal(mary.email)

      await signIn(browser(), ada)
      for (const copy of copies)
        expect(await copy.session(), 'a new user with the same address is another user').to.equal(null)
    })

    it('SESS-13: the token is in no answer but the cookie, and in no line of the log', async () => {
      const { browser, log } = testApp({ debug: true })
      const ada = browser()
      const token = await signIn(ada, newPerson())
      const answers = [await ada.update({}), await ada.get('/auth/session'), await ada.get('/auth/signout')]
      answers.push(await ada.signOut())
      for (const { location, body } of answers) expect(`${location} ${body}`).not.to.contain(token)
      const logged = [...log.lines, ...log.errors.map(({ stack }) => stack)].join()
      expect(logged).not.to.contain(token)
      expect(logged).not.to.contain(storedForm(token))
    })

    it('SESS-14: a sign-out wins over renewals that are under way in two processes', async () => {
      const clock = new Clock(Math.floor(Date.now() / 1000) * 1000)
      const one = testApp({ session: { updateAge: 0 } }, clock)
      const other = openTestApp({ adapter: await store.another(), session: { updateAge: 0 } }, { clock })
      const ada = one.browser()
      const token = await signIn(ada, newPerson())
      const csrfToken = await ada.csrfToken()
      const header = ada.cookieHeader()
      let isSignedOut = false
      const reads = [one, other].flatMap(({ engine, origin }) => {
        const read = () => {
          // Each read is due to renew the session.
          clock.advance(1)
          return engine.renewSession(requestContext(header, origin))
        }
        // The reads of each of these readers go on until the sign-out is over, and end with one after it.
        return Array.from({ length: 10 }, async () => {
          while (!isSignedOut) await Promise.all([read(), new Promise((resolve) => setTimeout(resolve, 1))])
          return read()
        })
      })
      await new Promise((resolve) => setTimeout(resolve, 4))
      await ada.copy().post('/auth/signout', { csrfToken })
      isSignedOut = true
      for (const { session } of await Promise.all(reads)) expect(session, 'after the sign-out').to.equal(null)
      expect(await rowOf(token)).to.equal(null)
      expect(await ada.session()).to.equal(null)
    })
  })
}
