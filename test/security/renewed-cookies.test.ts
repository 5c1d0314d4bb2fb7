import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig, Provider } from '../../lib/index.js'
import Email from '../../lib/providers/email.js'
import Passkey from '../../lib/providers/passkey.js'
import type { JWTCallback } from '../../lib/sessions/jwt-claims.js'
import { FakeProvider } from '../support/fake-provider.js'
import { goTo, newPerson, oauth, setProviderUser } from '../support/sign-ins.js'
import { Clock, openTestApp, sessionCookies, type TestBrowser, type TestResponse } from '../support/test-app.js'

const HOUR = 60 * 60

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

/** Nobody answers there. */
const DOWN = {
  id: 'down',
  name: 'Down',
  type: 'oidc',
  issuer: 'http://127.0.0.1:9',
  clientId: 'client',
  clientSecret: 'secret',
} as Provider

/** An application with a browser that is signed in. */
async function signedIn(config: Partial<AuthConfig> = {}) {
  const testApp = openTestApp(
    {
      adapter: memoryAdapter(),
      session: { maxAge: 4 * HOUR, updateAge: 2 * HOUR, recentAuthAge: Number.POSITIVE_INFINITY },
      providers: [
        oauth(idp, 'oidc', { id: 'work' }),
        DOWN,
        Email({ sendVerificationRequest: () => Promise.reject(new Error('no mail')) }),
        Passkey(),
      ],
      ...config,
    },
    { clock: new Clock(Math.floor(Date.now() / 1000) * 1000) },
  )
  const browser = testApp.browser()
  setProviderUser(idp, testApp.clock, { ...newPerson(), emailVerified: true })
  await browser.get(await goTo(browser, idp, 'work'))
  expect(await browser.session()).to.have.property('user')
  return { ...testApp, browser }
}

/** A `jwt` callback that keeps something in the token which can be used once, as a refresh token. */
function oneTimeToken() {
  let valid = 0
  let reused = 0
  const jwt: JWTCallback = ({ token, account }) => {
    if (account) return { ...token, once: valid }
    if (token['once'] !== valid) reused += 1
    valid += 1
    return { ...token, once: valid }
  }
  return { jwt, used: () => valid, reused: () => reused }
}

const tokenSessions = { session: { strategy: 'jwt', maxAge: 4 * HOUR, updateAge: 2 * HOUR } } as const

const HEAD_PATHS = [
  '/auth/session',
  '/auth/webauthn-options/passkey',
  '/auth/webauthn-options/passkey?action=authenticate',
  '/auth/callback/work?code=x&state=y',
  '/auth/callback/email?token=x&email=a@example.com',
  '/auth/signin',
  '/auth/signin/work',
  '/auth/signout',
  '/auth/csrf',
  '/auth/providers',
  '/auth/error',
  '/auth/verify-request',
]

describe('SESS-06: HEAD has no effect, so it loses nothing', () => {
  for (const path of HEAD_PATHS) {
    it(`on a stored session that is due for renewal: ${path}`, async () => {
      const { browser, clock } = await signedIn()
      clock.advance(3 * HOUR)
      const head = await browser.head(path)
      expect(head.setCookies).to.deep.equal([])
      // It would be empty if HEAD had renewed the row.
      expect(sessionCookies(await browser.get('/auth/session'))).to.have.length(1)
    })

    it(`on what the jwt callback can use once: ${path}`, async () => {
      const { jwt, used } = oneTimeToken()
      const { browser } = await signedIn({ ...tokenSessions, callbacks: { jwt } })
      const before = used()
      await browser.head(path)
      expect(used()).to.equal(before)
    })
  }

  it('emits no event', async () => {
    const told: unknown[] = []
    const { browser } = await signedIn({ events: { session: (message) => void told.push(message) } })
    told.length = 0
    await browser.head('/auth/session')
    expect(told).to.deep.equal([])
  })
})

describe('SESS-06: a sign-in that fails to begin sends the cookies of the session that it renewed', () => {
  const failures: Readonly<Record<string, (browser: TestBrowser) => Promise<TestResponse>>> = {
    'the provider is down': (browser) => post(browser, 'down', {}),
    'no address was entered': (browser) => post(browser, 'email', { email: 'nobody' }),
    'the mail cannot be sent': (browser) => post(browser, 'email', { email: 'ada@example.com' }),
  }
  const post = async (browser: TestBrowser, id: string, fields: Record<string, string>) =>
    browser.post(`/auth/signin/${id}`, { csrfToken: await browser.csrfToken(), ...fields })

  for (const [what, fail] of Object.entries(failures)) {
    it(`with a stored session, when ${what}`, async () => {
      const { browser, clock } = await signedIn()
      clock.advance(3 * HOUR)
      const answer = await fail(browser)
      expect(answer.location).to.match(/error=/)
      expect(sessionCookies(answer)).to.have.length(1)
    })

    it(`with what the jwt callback gave, when ${what}`, async () => {
      const { jwt, used, reused } = oneTimeToken()
      const { browser } = await signedIn({ ...tokenSessions, callbacks: { jwt } })
      const before = used()
      await fail(browser)
      expect(used()).to.equal(before + 1)
      await browser.session()
      expect(reused()).to.equal(0)
    })
  }

  it('when nothing vouches for the host that a mailed link would lead to', async () => {
    const { browser, clock } = await signedIn({ hosts: undefined })
    clock.advance(3 * HOUR)
    const answer = await post(browser, 'email', { email: 'ada@example.com' })
    expect(answer.status).to.equal(500)
    expect(sessionCookies(answer)).to.have.length(1)
  })

  it('when the store fails after the renewal', async () => {
    const store = memoryAdapter()
    let isDown = false
    const adapter = {
      ...store,
      getUser: (id: string) => (isDown ? Promise.reject(new Error('down')) : store.getUser(id)),
    }
    const { jwt, reused } = oneTimeToken()
    const { browser } = await signedIn({ ...tokenSessions, adapter, callbacks: { jwt } })
    isDown = true
    await post(browser, 'work', {})
    isDown = false
    await browser.session()
    expect(reused()).to.equal(0)
  })
})
