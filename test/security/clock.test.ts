import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, InvalidCheck, SignInExpired } from '../../lib/index.js'
import { createValueEncryption } from '../../lib/kernel/encrypted-values.js'
import type { Provider } from '../../lib/providers/provider.js'
import { isRecent } from '../../lib/sessions/may-be-used.js'
import { SECRET } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { openMailFlow } from '../support/mailbox.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { Clock, endOf, openTestApp, type TestBrowser } from '../support/test-app.js'

const HOUR = 60 * 60
const JUMPS = { forward: HOUR, back: -HOUR } as const
/** Somebody who is asked whether it was their sign-in that was long. */
const TEXT = /We could not complete that sign-in in time/

describe('an encrypted value that is decrypted at the wrong time', () => {
  const clock = new Clock()
  const encryption = (secret = SECRET, purpose: 'state' | 'nonce' = 'state') =>
    createValueEncryption([secret], purpose, clock.now)
  const at = async (seconds: number, encrypted: string, keys = encryption()) => {
    clock.advance(seconds)
    try {
      return await keys.decryptInTime(encrypted)
    } finally {
      clock.advance(-seconds)
    }
  }

  it('says how far it is from its time', async () => {
    const encrypted = await encryption().encrypt('x', 900)
    expect(await at(0, encrypted)).to.deep.equal({ value: 'x' })
    expect(await at(HOUR, encrypted)).to.deep.equal({ outOfTime: { state: 'expired', seconds: 2700 } })
    expect(await at(-HOUR, encrypted)).to.deep.equal({ outOfTime: { state: 'not-yet', seconds: 3600 } })
  })

  it('counts where clocks differ by up to a minute', async () => {
    const encrypted = await encryption().encrypt('x', 900)
    expect(await at(-60, encrypted)).to.deep.equal({ value: 'x' })
    expect(await at(-61, encrypted)).to.deep.equal({ outOfTime: { state: 'not-yet', seconds: 61 } })
  })

  it('TOK-06: says nothing about a value that is damaged, or of another purpose or secret', async () => {
    const encrypted = await encryption().encrypt('x', 900)
    const damaged = `${encrypted.slice(0, -2)}${encrypted.endsWith('AA') ? 'BB' : 'AA'}`
    for (const jump of Object.values(JUMPS)) {
      expect(await at(jump, damaged)).to.equal(null)
      expect(await at(jump, '')).to.equal(null)
      expect(await at(jump, encrypted, encryption(SECRET, 'nonce'))).to.equal(null)
      expect(await at(jump, encrypted, encryption('another secret that is long enough'))).to.equal(null)
      expect(await encryption().decrypt(encrypted)).to.equal('x')
    }
  })
})

describe('a sign-in at a provider during which the clock jumps', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())
  beforeEach(() => idp.reset())

  const acme = () =>
    ({
      id: 'acme',
      name: 'Acme',
      type: 'oidc',
      issuer: idp.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      checks: ['pkce', 'state', 'nonce'],
    }) as Provider
  const testAppOf = (options: Partial<AuthConfig> = {}) =>
    openTestApp({ providers: [acme()], ...options }, { clock: new Clock(Date.now()) })
  const begin = async (browser: TestBrowser, callbackUrl = '/cart?step=2') => {
    const fields = { csrfToken: await browser.csrfToken(), callbackUrl }
    return idp.authorize((await browser.post('/auth/signin/acme', fields)).location ?? '')
  }

  for (const [direction, jump] of Object.entries(JUMPS)) {
    it(`an hour ${direction}: is reported as such, and starts again with the same return target`, async () => {
      const testApp = testAppOf()
      const browser = testApp.browser()
      const params = await begin(browser)
      testApp.clock.advance(jump)
      const refused = await browser.get(`/auth/callback/acme?${params}`)
      expect(refused.location).to.equal('http://app.example/auth/signin?error=OAuthCallbackError&code=SignInExpired')
      expect(idp.callsTo('/token')).to.deep.equal([])
      expect(testApp.log.errors).to.have.length(1)
      const [error] = testApp.log.errors
      expect(error).to.be.instanceOf(SignInExpired).and.instanceOf(InvalidCheck)
      // Nobody can take a sign-in into the future but a clock; many a visitor takes too long.
      expect(testApp.log.infos.length).to.equal(direction === 'back' ? 0 : 1)
      expect(error?.message).to.match(
        direction === 'back'
          ? /was begun 3600 s in the future by this machine's clock: the clock was set back/
          : /expired 2700 s ago by this machine's clock.*set forward/,
      )
      for (const secret of params.values()) {
        if (secret !== idp.issuer) expect(error?.message).to.not.include(secret)
      }
      const page = await browser.get('/auth/signin?error=OAuthCallbackError&code=SignInExpired')
      expect(page.body).to.match(TEXT)
      expect(page.body).to.match(/name="callbackUrl" value="[^"]*\/cart\?step=2"/)
      // The provider's clock is right again, and so is this one.
      testApp.clock.advance(-jump)
      const again = await browser.get(`/auth/callback/acme?${await begin(browser, '/cart?step=2')}`)
      expect(again.location).to.equal('http://app.example/cart?step=2')
    })
  }

  it('leads to the own sign-in page of an application with the error that it knows', async () => {
    const testApp = testAppOf({ pages: { signIn: '/login' } })
    const browser = testApp.browser()
    const params = await begin(browser)
    testApp.clock.advance(HOUR)
    const refused = await browser.get(`/auth/callback/acme?${params}`)
    expect(refused.location).to.equal('http://app.example/login?error=OAuthCallbackError&code=SignInExpired')
  })

  it('is not reported for a cookie that is damaged, or of another secret', async () => {
    const testApp = testAppOf()
    const other = testAppOf({ secret: 'another secret that is long enough' })
    const browser = testApp.browser()
    const params = await begin(browser)
    testApp.clock.advance(HOUR)
    other.clock.advance(HOUR)
    const elsewhere = other.browser()
    for (const [name, { value }] of browser.jar) elsewhere.plant(name, value)
    const damaged = browser.copy()
    for (const [name, { value }] of browser.jar) damaged.plant(name, `${value.slice(0, -2)}xx`)
    for (const visitor of [elsewhere, damaged]) {
      const { location } = await visitor.get(`/auth/callback/acme?${params}`)
      expect(location).to.equal('http://app.example/auth/signin?error=OAuthCallbackError')
    }
    expect(other.log.errors[0]?.message).to.match(/made with a secret that this process does not have/)
    expect(testApp.log.errors[0]?.message).to.match(/is damaged/)
  })

  it('ends at a process whose clock is nearly a minute behind or ahead', async () => {
    // Less than the tolerance by more than the machine may need for the sign-in: the library reads the real clock.
    for (const seconds of [-50, 50]) {
      const [one, two] = [testAppOf(), testAppOf()]
      const browser = one.browser()
      const params = await begin(browser)
      two.clock.ms = one.clock.ms + seconds * 1000
      const there = two.browser()
      for (const [name, { value }] of browser.jar) there.plant(name, value)
      expect((await there.get(`/auth/callback/acme?${params}`)).location).to.equal('http://app.example/cart?step=2')
      // Home again: the session that the other has written counts at once.
      const home = one.browser()
      for (const [name, { value }] of there.jar) home.plant(name, value)
      expect((await home.session())?.user?.name, `${seconds} s`).to.equal('Ada')
    }
  })

  it('is reported at a redirect proxy, too', async () => {
    let time = Date.now()
    const proxyUrl = 'https://stable.example/auth'
    const provider = resolved(acme() as never, {}, proxyUrl)
    const preview = new OAuthDriver({ mountUrl: 'https://preview.example/auth', now: () => time })
    const proxy = new OAuthDriver({ mountUrl: proxyUrl, redirectProxyHosts: ['preview.example'], now: () => time })
    const params = idp.authorize((await preview.start(provider, new CookieJar())).href)
    time -= HOUR * 1000
    await failure(proxy.finish(provider, new CookieJar(), params), 'SignInExpired', /begun 3600 s in the future/)
    time += 2 * HOUR * 1000
    await failure(proxy.finish(provider, new CookieJar(), params), 'SignInExpired', /expired 2700 s ago/)
  })

  describe('after which the ID token is', () => {
    const signIn = async (jump: number, more: object = {}) => {
      const time = Date.now() + jump * 1000
      const driver = new OAuthDriver({ now: () => time })
      const provider = resolved({ ...acme(), ...more } as never)
      const jar = new CookieJar()
      return driver.finish(provider, jar, idp.authorize((await driver.start(provider, jar)).href))
    }

    it('from the future, or over: the error says by how much this clock is off', async () => {
      await failure(
        signIn(-HOUR),
        'CallbackRouteError',
        /the moment it was issued \(iat\) is (3599|3600|3601) s ahead of this machine's clock: see that the clock is right\.( By the Date header of its answer, the clock of the provider is (3599|3600|3601) s ahead of it\.)/,
      )
      await failure(
        signIn(HOUR),
        'CallbackRouteError',
        /its end \(exp\) is (3299|3300|3301) s behind this machine's clock/,
      )
    })

    it('not yet in force', async () => {
      idp.faults.claims = (claims) => ({ ...claims, nbf: Math.floor(Date.now() / 1000) + 600 })
      await failure(signIn(0), 'CallbackRouteError', /its beginning \(nbf\) is (599|600|601) s ahead/)
    })

    it('less than a minute off', async () => {
      for (const jump of [-58, 58]) identityOf(await signIn(jump))
    })

    it('refused for another reason: nothing is said of clocks', async () => {
      idp.faults.claims = (claims) => ({ ...claims, aud: 'other' })
      const error = await failure(signIn(0), 'CallbackRouteError')
      expect(error.message).to.not.match(/clock/)
    })
  })
})

describe('a mailed link while the clock jumps', () => {
  it('forward: it is over, and the log says by how much', async () => {
    const testApp = openMailFlow()
    const ada = testApp.browser()
    await ada.ask()
    testApp.clock.advance(25 * HOUR)
    const link = `${testApp.mails[0]?.url}`
    await failure(ada.open(link), 'Verification', /expired 3600 s ago by this machine's clock/)
  })

  it('back: it stays valid, and asks first, because the cookie of the browser that asked does not count', async () => {
    const testApp = openMailFlow()
    const ada = testApp.browser()
    await ada.ask()
    testApp.clock.advance(-HOUR)
    const link = `${testApp.mails[0]?.url}`
    expect((await ada.open(link)).kind).to.equal('confirm')
    expect((await ada.press(link)).kind).to.equal('identity')
  })
})

describe('a session while the clock jumps', () => {
  it('a token from the future signs nobody in, is logged once, and counts again when the clock is right', async () => {
    const codes: [string, unknown][] = []
    const quiet = { error: () => {}, warn: (code: string, data: unknown) => codes.push([code, data]), debug: () => {} }
    const testApp = openTestApp({ logger: quiet })
    const ada = await testApp.signedIn()
    testApp.clock.advance(-HOUR)
    // A process that has not opened the token before.
    const other = openTestApp({ logger: quiet }, { clock: testApp.clock })
    const there = () => {
      const browser = other.browser()
      for (const [name, { value }] of ada.jar) browser.plant(name, value)
      return browser
    }
    for (let n = 0; n < 3; n += 1) expect(await there().session()).to.equal(null)
    expect(codes.map(([code]) => code)).to.deep.equal(['clock-difference'])
    expect(codes[0]?.[1]).to.include({ seconds: HOUR }).and.have.property('fix')
    testApp.clock.advance(HOUR)
    expect((await there().session())?.user?.name).to.equal('Ada')
  })

  it('a token is never given a later end by a clock that was ahead than by one that is right, once it is read again', async () => {
    const testApp = openTestApp({ session: { strategy: 'jwt', maxAge: 2 * HOUR, updateAge: 60 } })
    const ada = await testApp.signedIn()
    testApp.clock.advance(-60)
    const end = endOf(await ada.session())
    expect(end).to.equal(testApp.clock.seconds + 2 * HOUR)
  })

  it('a stored session goes on after a jump back, and its end does not move', async () => {
    const adapter = memoryAdapter()
    const user = await adapter.createUser({ id: 'x', email: 'ada@example.com', emailVerified: null, name: 'Ada' })
    const clock = new Clock(Date.now())
    const testApp = openTestApp({ adapter, session: { strategy: 'database' } }, { clock })
    const expires = new Date(clock.ms + 30 * 24 * HOUR * 1000)
    await adapter.createSession({ sessionToken: 'a-token-of-a-session-in-a-store-000', userId: user.id, expires })
    const ada = testApp.browser()
    ada.plant('authjs.session-token', 'a-token-of-a-session-in-a-store-000')
    clock.advance(-HOUR)
    for (let n = 0; n < 2; n += 1) expect(endOf(await ada.session()) * 1000).to.equal(expires.getTime())
  })

  it('a sign-in that is still to come is not a recent one', () => {
    const clock = new Clock()
    const signedInAt = (seconds: number) => isRecent({ authenticatedAt: clock.ms + seconds * 1000 }, 900, clock.now)
    expect([signedInAt(-900), signedInAt(0), signedInAt(60)]).to.deep.equal([true, true, true])
    expect([signedInAt(-901), signedInAt(61), signedInAt(HOUR)]).to.deep.equal([false, false, false])
    expect(isRecent({ authenticatedAt: clock.ms + HOUR * 1000 }, Number.POSITIVE_INFINITY, clock.now)).to.equal(true)
  })
})
