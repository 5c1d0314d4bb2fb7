import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import { authenticationIn, authenticationInText, joined } from '../../lib/sessions/authentication.js'
import { requestContext } from '../support/request-context.js'
import { asAuthjsHasIt, STORES } from '../support/stores.js'
import { openTestApp, SESSION, type TestApp, type TestBrowser } from '../support/test-app.js'
import { allClaimsOf, forge } from '../support/tokens.js'

const BOTH = { factors: 2, amr: ['pwd', 'otp'], acr: 'gold' } as const
const DAY = 24 * 60 * 60

/** A browser with a session of Ada that began with an authentication. */
async function signedInBy(app: TestApp, authentication: typeof BOTH | undefined): Promise<TestBrowser> {
  const browser = app.browser()
  const { sessions } = app.engine.config.schemeFor(app.origin)
  const account = { provider: 'credentials', type: 'credentials', providerAccountId: '1815' } as const
  const user = { id: '1815', name: 'Ada', email: 'ada@example.com' }
  const start = { user, account, isNewUser: false, authentication }
  for (const { name, value } of await sessions.issue(requestContext(undefined, app.origin), start))
    browser.plant(name, value)
  return browser
}

const claimOf = async (browser: TestBrowser) =>
  (await allClaimsOf(browser.jar.get(SESSION)?.value ?? ''))['latchkey'] as Record<string, unknown>

const readingOf = (app: TestApp, browser: TestBrowser) =>
  app.engine.readSession(requestContext(browser.cookieHeader(), app.origin))

describe('what a session says about its sign-in', () => {
  for (const [what, given, found] of [
    ['everything', BOTH, BOTH],
    ['nothing', {}, undefined],
    ['a number of factors as text', { factors: '2' }, undefined],
    ['three factors', { factors: 3 }, undefined],
    ['one factor of two', { factors: 1, amr: ['pwd'] }, { factors: 1, amr: ['pwd'] }],
    ['three factors', { factors: 3, amr: ['pwd'] }, { amr: ['pwd'] }],
    ['true for factors', { factors: true }, undefined],
    ['a text for a list', { amr: 'mfa' }, undefined],
    ['a list with a number', { amr: ['pwd', 1] }, undefined],
    ['a list with an empty text', { amr: [''] }, undefined],
    ['a list with a blank in a word', { amr: ['pwd otp'] }, undefined],
    ['a word of 65 characters', { amr: ['x'.repeat(65)] }, undefined],
    ['an empty list', { amr: [] }, undefined],
    ['a word twice', { amr: ['pwd', 'pwd'] }, { amr: ['pwd'] }],
    ['eleven words', { amr: [...'abcdefghijk'] }, { amr: [...'abcdefghij'] }],
    ['null', { factors: null, amr: null, acr: null }, undefined],
    ['a number as acr', { acr: 1 }, undefined],
    ['a list as acr', { acr: ['gold'] }, undefined],
    ['two words as acr', { acr: 'gold silver' }, undefined],
    ['an acr of 256 characters', { acr: 'x'.repeat(256) }, undefined],
    ['an acr of 255 characters', { acr: 'x'.repeat(255) }, { acr: 'x'.repeat(255) }],
    ['an acr with a line break', { acr: 'gold\n' }, undefined],
  ] as const) {
    it(`is read strictly: ${what}`, async () => {
      expect(authenticationIn(given)).to.deep.equal(found)
      expect(authenticationInText(JSON.stringify(given)), 'a row').to.deep.equal(found)
      const app = openTestApp()
      const browser = app.browser()
      browser.plant(SESSION, await forge({ sub: '1815', latchkey: { id: 'one', authenticatedAt: 1, ...given } }))
      expect((await readingOf(app, browser)).authentication, 'a token').to.deep.equal(found)
    })
  }

  for (const text of [null, undefined, '', 'null', '[]', '2', '{"factors":2', '{"__proto__":{"factors":2}}']) {
    it(`is nothing in a row with ${JSON.stringify(text)}`, () => {
      expect(authenticationInText(text)).to.equal(undefined)
    })
  }

  it('is joined with what is proved later', () => {
    expect(joined(undefined, undefined)).to.equal(undefined)
    expect(joined({ amr: ['pwd'], acr: 'silver' }, { factors: 2, amr: ['otp'] })).to.deep.equal({
      factors: 2,
      amr: ['pwd', 'otp'],
      acr: 'silver',
    })
    expect(joined(BOTH, { acr: 'silver' })).to.deep.equal({ ...BOTH, acr: 'silver' })
    const full = { amr: [...'abcdefghij'] }
    expect(joined(full, { amr: ['otp'] })?.amr, 'the newest stays').to.deep.equal([...'bcdefghij', 'otp'])
  })

  it('is nothing with one factor, so that the claim of the session stays as it was', async () => {
    const app = openTestApp()
    const ada = await app.signedIn()
    expect(await claimOf(ada)).to.have.all.keys('id', 'authenticatedAt')
    expect(await ada.current()).to.have.all.keys('id', 'user', 'expires')
  })

  it('stays in the token through renewals, updates and the jwt callback, which does not see it', async () => {
    const seen: object[] = []
    const app = openTestApp({
      callbacks: {
        jwt({ token }) {
          seen.push({ ...token })
          return { sub: token.sub ?? '', name: 'Lady Ada' }
        },
      },
    })
    const ada = await signedInBy(app, BOTH)
    app.clock.advance(2 * DAY)
    await ada.session()
    await ada.update({ a: 1 })
    expect(await claimOf(ada)).to.include({ factors: 2, acr: 'gold' })
    expect((await readingOf(app, ada)).authentication).to.deep.equal(BOTH)
    expect(JSON.stringify(seen)).to.not.match(/factors|gold/)
  })

  it('is replaced by nothing that the session callback gives', async () => {
    const app = openTestApp({
      callbacks: { session: ({ session }) => ({ ...session, amr: 'own', acr: undefined, auth_time: 'then' }) },
    })
    const ada = await signedInBy(app, BOTH)
    expect(await ada.current()).to.include({ amr: 'own', acr: undefined, auth_time: 'then' })
    expect((await readingOf(app, ada)).authentication).to.deep.equal(BOTH)
  })

  it('is that of the session, in a token for a program', async () => {
    const app = openTestApp({ bearer: true })
    const ada = await signedInBy(app, BOTH)
    const { token } = await app.engine.issueToken(requestContext(ada.cookieHeader(), app.origin), { maxAge: 600 })
    const header = (name: string) => (name === 'authorization' ? `Bearer ${token}` : undefined)
    const reading = await app.engine.readSession({ ...requestContext(undefined, app.origin), header })
    expect(reading.authentication).to.deep.equal(BOTH)
    expect(reading.authenticatedAt).to.equal(null)
    expect(reading.session).to.not.have.property('auth_time')
  })

  it('is never given to an adapter of Auth.js', async () => {
    const rows: object[] = []
    const memory = memoryAdapter()
    memory.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', emailVerified: null })
    const createSession: typeof memory.createSession = (row) => {
      rows.push(row)
      return memory.createSession(row)
    }
    const adapter = asAuthjsHasIt({ ...memory, createSession })
    const app = openTestApp({ adapter, session: { strategy: 'database' } })
    await signedInBy(app, BOTH)
    expect(Object.keys(rows[0] ?? {})).to.have.members(['sessionToken', 'userId', 'expires'])
  })

  for (const exposeIds of [false, true]) {
    it(`is shown to code of the application, never to browsers, exposeIds: ${exposeIds}`, async () => {
      const app = openTestApp({ session: { exposeIds } })
      const ada = await signedInBy(app, BOTH)
      const { seconds } = app.clock
      app.clock.advance(60)
      expect(await ada.current()).to.deep.include({ amr: BOTH.amr, acr: 'gold', auth_time: seconds })
      expect((await ada.get('/auth/session')).body).to.not.match(/amr|acr|auth_time|factors/)
      expect((await ada.update({})).body).to.not.match(/amr|acr|auth_time|factors/)
    })
  }
})

for (const kind of STORES) {
  describe(`what a session in ${kind.name} says about its sign-in`, function () {
    this.timeout(20_000)
    let store: Awaited<ReturnType<typeof kind.open>>
    before(kind.requireServer)
    beforeEach(async () => {
      store = await kind.open()
    })
    afterEach(() => store.close())

    const open = async (more: Partial<AuthConfig> = {}) => {
      const { id } = await store.adapter.createUser({
        id: '1815',
        name: 'Ada',
        email: 'ada@example.com',
        emailVerified: null,
      })
      const shown: object[] = []
      const app = openTestApp({
        adapter: store.adapter,
        session: { strategy: 'database', updateAge: 0 },
        bearer: true,
        callbacks: {
          session({ session, user }) {
            shown.push(session)
            return { expires: new Date(session.expires).toISOString(), user: { name: user.name } }
          },
        },
        ...more,
      })
      const begin = async (authentication: typeof BOTH | undefined) => {
        const browser = app.browser()
        const user = { id, name: 'Ada', email: 'ada@example.com' }
        const account = { provider: 'credentials', type: 'credentials', providerAccountId: id } as const
        const start = { user, account, isNewUser: false, authentication }
        const { sessions } = app.engine.config.schemeFor(app.origin)
        for (const { name, value } of await sessions.issue(requestContext(undefined, app.origin), start))
          browser.plant(name, value)
        return browser
      }
      return { app, begin, shown, id }
    }

    it('stays through renewals and updates, and its callback does not see it', async () => {
      const { app, begin, shown } = await open()
      const ada = await begin(BOTH)
      for (const _ of [1, 2]) {
        expect((await readingOf(app, ada)).authentication).to.deep.equal(BOTH)
        app.clock.advance(DAY)
        await ada.session()
        await ada.update({})
      }
      expect(await ada.current()).to.deep.include({ amr: BOTH.amr, acr: 'gold' })
      expect(JSON.stringify(shown)).to.not.match(/factors|gold/)
    })

    it('is nothing with one factor, and then no column is written', async () => {
      const { app, begin, id } = await open()
      const ada = await begin(undefined)
      expect((await readingOf(app, ada)).authentication).to.equal(undefined)
      const [row] = await store.adapter.listSessionsByUserId(id)
      expect(row).to.not.have.property('authentication')
    })

    it('is that of a token for a program, too', async () => {
      const { app, begin } = await open()
      for (const [authentication, browser] of [
        [BOTH, await begin(BOTH)],
        [undefined, await begin(undefined)],
      ] as const) {
        const { token } = await app.engine.issueToken(requestContext(browser.cookieHeader(), app.origin), {
          maxAge: 600,
        })
        const header = (name: string) => (name === 'authorization' ? `Bearer ${token}` : undefined)
        const reading = await app.engine.readSession({ ...requestContext(undefined, app.origin), header })
        expect(reading.userId).to.be.a('string')
        expect(reading.authentication).to.deep.equal(authentication)
      }
    })
  })
}
