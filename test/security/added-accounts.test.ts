import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, expressAuth, getSession, updateSession } from '../../lib/index.js'
import { openAccountApp } from '../support/account-app.js'
import { ADA, listen, testConfig } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { link } from '../support/links.js'
import { createPause } from '../support/pause.js'
import { newPerson, setProviderUser } from '../support/sign-ins.js'
import { whoIs } from '../support/test-app.js'

type JwtCallback = NonNullable<NonNullable<AuthConfig['callbacks']>['jwt']>

describe('an account that is added to the user of a session', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  const open = (jwt: JwtCallback, session: AuthConfig['session'] = {}, store = memoryAdapter()) =>
    openAccountApp(idp, {
      store,
      methods: ['email'],
      config: { session: { strategy: 'jwt', ...session }, callbacks: { jwt } },
    })

  it('gives the jwt callback no profile where it was linked on purpose: it may have the address of another person (LINK-01)', async () => {
    const app = open(({ token, account, profile }) =>
      account && profile ? { ...token, email: profile.email ?? null } : token,
    )
    const [mallory, ada] = [newPerson(), newPerson()]
    const browser = app.browser()
    await app.signIn(browser, mallory, 'acme')
    const before = await whoIs(browser)
    // This provider verifies no addresses.
    await link(browser, { idp, clock: app.clock }, { ...newPerson(), email: ada.email }, 'other')
    expect(await whoIs(browser)).to.deep.equal(before)
  })

  it('gives no cookie of a session that was revoked while the jwt callback ran (SESS-14)', async () => {
    const store = memoryAdapter()
    const pause = createPause()
    let isAdding = false
    const jwt: JwtCallback = async ({ token, account }) => {
      if (!isAdding || !account) return token
      await pause.wait()
      return { ...token, added: account.provider }
    }
    const app = open(jwt, { revocation: { store, checkEvery: 0 } }, store)
    const ada = newPerson()
    const browser = app.browser()
    await app.signIn(browser, ada, 'acme', { email_verified: true })
    // A sign-in at another provider while she is signed in adds its account.
    setProviderUser(idp, app.clock, newPerson())
    const { location } = await browser.post('/auth/signin/other', { csrfToken: await browser.csrfToken() })
    isAdding = true
    pause.start()
    const adding = browser.get(`/auth/callback/other?${idp.authorize(location ?? '')}`)
    await pause.reached
    await app.engine.revokeAllSessions((await app.ownerOf(ada)) ?? '')
    pause.end()
    const { setCookies } = await adding
    expect(setCookies.filter(({ name, value }) => name.includes('session-token') && value !== '')).to.deep.equal([])
    expect(await browser.current()).to.equal(null)
  })
})

describe('what a page sends as an update of its session', () => {
  it('never becomes the prototype of the user (WEB-07)', async () => {
    const config = testConfig({
      secret: 'a secret of this test alone, which is long enough',
      callbacks: {
        jwt({ token, trigger, session }) {
          if (trigger !== 'update') return token
          const { role: _, ...preferences } = session
          return { ...token, preferences }
        },
        session: ({ session, token }) => ({
          ...session,
          user: { ...session.user, ...(token['preferences'] as object | undefined) },
        }),
      },
    })
    const app = express().use('/auth', expressAuth(config)).use(express.json())
    app.post('/preferences', async (req, res) => void res.json(await updateSession(req, res, config, req.body)))
    app.get('/role', async (req, res) => {
      const { user } = (await getSession(req, config)) ?? {}
      res.json({ role: (user as { role?: unknown } | undefined)?.role ?? 'none' })
    })
    const running = await listen(app)
    try {
      const visitor = running.visitor()
      await visitor.signIn(ADA)
      await visitor.visit('/preferences', {
        method: 'POST',
        body: '{"theme":"dark","role":"admin","__proto__":{"role":"admin"}}',
        headers: { 'content-type': 'application/json', origin: running.origin, 'sec-fetch-site': 'same-origin' },
      })
      expect((await visitor.get('/role')).text).to.equal('{"role":"none"}')
    } finally {
      await running.close()
    }
  })
})
