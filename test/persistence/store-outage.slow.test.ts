import { expect } from 'chai'
import express from 'express'
import { expressAuth, requireAuth } from '../../lib/index.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { skipSuite } from '../adapters/redis/servers.js'
import { createLog, listen, type Running, testConfig } from '../support/app.js'
import { written } from '../support/console.js'
import { FakeProvider } from '../support/fake-provider.js'
import { Mailbox, newPerson, oauth, type Person, registering } from '../support/sign-ins.js'
import { STOPPABLE_STORES, type StoppableStore } from '../support/stoppable-stores.js'
import type { Visitor } from '../support/visitor.js'

for (const [name, create] of Object.entries(STOPPABLE_STORES)) {
  describe(`an application whose ${name} stops and comes back`, () => {
    let store: StoppableStore
    let idp: FakeProvider
    let app: Running
    let isUp = true
    const mailbox = new Mailbox()
    const log = createLog()

    const stop = async () => {
      isUp = false
      await store.stop()
    }
    const start = async () => {
      await store.start()
      isUp = true
    }

    before(async function () {
      const opened = await create()
      if (typeof opened === 'string') return skipSuite(this, opened)
      store = opened
      idp = await FakeProvider.start()
      const config = testConfig({
        adapter: store.adapter,
        providers: [registering(store.adapter), mailbox.provider(), oauth(idp)],
        session: { strategy: 'database' },
        logger: log.logger,
      })
      const server = express()
      server.use('/auth', expressAuth(config))
      server.get('/private', requireAuth(config), (_req, res) => void res.send(res.locals.session.user?.email))
      app = await listen(server)
    })
    after(async () => {
      await app?.close()
      await idp?.stop()
      await store?.remove()
    })
    afterEach(async () => {
      if (!isUp) await start()
      log.errors.length = 0
    })

    const signedIn = async (): Promise<{ visitor: Visitor; person: Person }> => {
      const person = newPerson()
      const visitor = app.visitor()
      await visitor.signIn({ email: person.email ?? '' })
      return { visitor, person }
    }
    const atProvider = async (visitor: Visitor, { sub, email, name: full }: Person) => {
      idp.profile = { sub, email, name: full }
      const csrfToken = await visitor.csrfToken()
      const { location } = await visitor.post('/auth/signin/oidc', { csrfToken })
      return idp.authorize(location?.href ?? '')
    }
    const hasSession = (visitor: Visitor) => [...visitor.jar.keys()].some((cookie) => cookie.includes('session-token'))

    it('SESS-15: answers 503 meanwhile, signs nobody out, and goes on without a restart', async () => {
      const { visitor, person } = await signedIn()
      expect((await visitor.get('/private')).text).to.equal(person.email)
      await stop()
      for (let request = 0; request < 3; request += 1) {
        const guarded = await visitor.get('/private')
        expect([guarded.status, guarded.setCookie]).to.deep.equal([503, []])
        const session = await visitor.get('/auth/session')
        expect([session.status, session.text, session.setCookie]).to.deep.equal([503, 'null', []])
      }
      expect((await app.visitor().get('/private')).status, 'a stranger is no fault').to.equal(401)
      await start()
      expect((await visitor.get('/private')).text).to.equal(person.email)
      expect((await visitor.session()).user.email).to.equal(person.email)
    })

    it('is logged once, and then with its count, for all requests together', async () => {
      const { logger: _, ...config } = testConfig({
        adapter: store.adapter,
        providers: [registering(store.adapter)],
        session: { strategy: 'database' },
        logging: { repeatInterval: 60 },
      })
      const server = express().use('/auth', expressAuth(config))
      server.get('/private', requireAuth(config), (_req, res) => void res.end())
      const other = await listen(server)
      const visitor = other.visitor()
      await visitor.signIn({ email: newPerson().email ?? '' })
      await stop()
      const lines = await written(async () => {
        for (let count = 0; count < 50; count += 1) {
          expect((await visitor.get('/private')).status).to.equal(503)
          expect((await visitor.get('/auth/session')).status).to.equal(503)
        }
      })
      await other.close()
      // What ended the connections, and that there are no new ones, are two.
      expect(lines.length).to.be.within(1, 3)
      expect(lines[0]).to.match(/^error: \[latchkey\]\[error\] SessionTokenError: .* method=GET path=\/private\n/)
    })

    it('answers every request that is under way with the session or with 503', async () => {
      const { visitor, person } = await signedIn()
      let isOver = false
      const seen: string[] = []
      const ask = async () => {
        while (!isOver) {
          const { status, text, setCookie } = await visitor.get('/private')
          seen.push(status === 200 ? text : String(status), ...setCookie)
        }
      }
      const asking = Array.from({ length: 10 }, ask)
      await new Promise((resolve) => setTimeout(resolve, 50))
      await stop()
      await new Promise((resolve) => setTimeout(resolve, 50))
      await start()
      await new Promise((resolve) => setTimeout(resolve, 50))
      isOver = true
      await Promise.all(asking)
      expect(new Set(seen)).to.deep.equal(new Set([person.email, '503']))
      expect((await visitor.get('/private')).text).to.equal(person.email)
    })

    it('signs nobody in whom it cannot write down, with nothing half-written, and does once it can', async () => {
      const person = newPerson()
      const visitor = app.visitor()
      const answer = await atProvider(visitor, person)
      await stop()
      const refused = await visitor.get(`/auth/callback/oidc?${answer}`)
      expect(refused.location?.search).to.equal('?error=Configuration&code=Unavailable')
      expect(hasSession(visitor)).to.equal(false)
      await start()
      expect(await store.adapter.getUserByEmail(person.email ?? '')).to.equal(null)
      expect(await store.adapter.getAccount(person.sub, 'oidc')).to.equal(null)

      const again = await visitor.get(`/auth/callback/oidc?${await atProvider(visitor, person)}`)
      expect(again.location?.search).to.equal('')
      expect((await visitor.session()).user.email).to.equal(person.email)
    })

    it('keeps a mailed link good that could not be redeemed meanwhile', async () => {
      const { email } = newPerson()
      const visitor = app.visitor()
      await visitor.post('/auth/signin/email', { csrfToken: await visitor.csrfToken(), email: email ?? '' })
      const link = new URLSearchParams(mailbox.pathFor(email).split('?')[1])
      const csrfToken = await visitor.csrfToken()
      const press = () =>
        visitor.post('/auth/callback/email', { csrfToken, token: link.get('token') ?? '', email: email ?? '' })
      await stop()
      expect((await press()).location?.search).to.equal('?error=Configuration&code=Unavailable')
      expect(hasSession(visitor)).to.equal(false)
      await start()
      await press()
      expect((await visitor.session()).user.email).to.equal(email)
    })

    it('sends no link that could not be stored', async () => {
      const { email } = newPerson()
      const visitor = app.visitor()
      const csrfToken = await visitor.csrfToken()
      await stop()
      const refused = await visitor.post('/auth/signin/email', { csrfToken, email: email ?? '' })
      expect(refused.location?.search).to.equal('?error=Configuration&code=Unavailable')
      expect(mailbox.links.has(email ?? '')).to.equal(false)
    })

    it('ends a session in the browser that signs out meanwhile, and says in the log that the row is still there', async () => {
      const { visitor } = await signedIn()
      const csrfToken = await visitor.csrfToken()
      await stop()
      expect((await visitor.post('/auth/signout', { csrfToken })).status).to.equal(302)
      expect(hasSession(visitor)).to.equal(false)
      expect(log.errors.map(({ message }) => message)).to.include(
        'The session of somebody who signed out could not be ended. It is gone from their browser. Its deletion is tried again for ten minutes; until it succeeds, other processes accept a copy of the cookie.',
      )
    })

    it('LOGOUT-02: deletes the row of a sign-out once it can, without anybody asking, and answers a copy before', async function () {
      this.timeout(120_000)
      const { visitor } = await signedIn()
      const copy = visitor.copy()
      const token = [...visitor.jar].find(([cookie]) => cookie.includes('session-token'))?.[1] ?? ''
      const csrfToken = await visitor.csrfToken()
      await stop()
      await visitor.post('/auth/signout', { csrfToken })
      expect((await copy.copy().get('/private')).status, 'nobody, and not 503').to.equal(401)
      await start()
      expect(await copy.copy().session()).to.equal(null)
      const isThere = async () => (await store.adapter.getSessionAndUser(storedForm(token))) !== null
      const end = Date.now() + 15_000
      while ((await isThere()) && Date.now() < end) await new Promise((done) => setTimeout(done, 50))
      expect(await isThere()).to.equal(false)
    })
  })
}
