import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { SECOND_FACTORS } from '../../../lib/features/second-factor/dependencies.js'
import { mustShowBoth } from '../../../lib/features/second-factor/may-enter.js'
import { guard } from '../../../lib/frameworks/web/guard.js'
import type { AuthConfig } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import { FLAG, SoftAuthenticator } from '../../support/authenticator.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { NAVIGATION } from '../../support/guard.js'
import { visibleText } from '../../support/html.js'
import { numberedUsers } from '../../support/numbered-users.js'
import { atProvider, EMPTY, providerKinds } from '../../support/provider-kinds.js'
import { goTo, Mailbox, newPerson, oauth, type Person, setProviderUser } from '../../support/sign-ins.js'
import { type OpenStore, STORES } from '../../support/stores.js'
import { Clock, openTestApp, type TestBrowser, whoIs } from '../../support/test-app.js'
import { ADA, EVE, PAGE } from '../address/address-app.js'
import { authenticate, register } from '../passkeys/ceremonies.js'
import { ASKED, codeOf, INSIDE, NEW_PASSWORD, openSecondFactorApp, PASSWORD } from './second-factor-app.js'

let idp: FakeProvider
let store: OpenStore
const mailbox = new Mailbox()
const KINDS = providerKinds({ idp: () => idp, store: () => store, mailbox })

/** A passkey of these tests asks for the person, which makes two factors of it. */
const isTwoFactors = (kind: string) => kind === 'webauthn'

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

function openApp(strategy: 'jwt' | 'database', kind: string, secondFactor: AuthConfig['secondFactor'] = true) {
  const { provider, signIn } = KINDS[kind] ?? expect.fail(kind)
  const app = openTestApp(
    {
      adapter: store.adapter,
      providers: [provider()],
      session: strategy === 'jwt' ? { strategy, revocation: { store: store.adapter, checkEvery: 0 } } : { strategy },
      limits: false,
      ...(secondFactor && { secondFactor }),
    },
    { clock: new Clock(Math.floor(Date.now() / 1000) * 1000) },
  )
  const factors = async () => (await app.engine.config.services.get(SECOND_FACTORS)?.())?.factors
  return {
    ...app,
    signIn: (browser: TestBrowser, person: Person) => signIn(browser, person, EMPTY),
    code() {
      app.clock.advance(30)
      return codeOf(SECRET, app.clock.ms)
    },
    async give(person: Person) {
      const browser = app.browser()
      await signIn(browser, person, EMPTY)
      const userId = String((await browser.current())?.user?.id)
      app.clock.advance(30)
      await (await factors())?.add(userId, { secret: SECRET, step: Math.floor(app.clock.ms / 30_000) }, 0)
      return userId
    },
    async enter(browser: TestBrowser, code: string, more: Record<string, string> = {}) {
      return browser.post('/auth/second-factor', { csrfToken: await browser.csrfToken(), code, ...more }, PAGE)
    },
  }
}

for (const { name, requireServer, open } of STORES) {
  describe(`MFA-06 each way to sign in, over ${name}`, () => {
    before(async function () {
      await requireServer.call(this)
      idp = await FakeProvider.start()
      store = await open()
    })
    after(async () => {
      await idp?.stop()
      await store?.close()
    })

    for (const kind of Object.keys(KINDS)) {
      for (const strategy of name === 'memory' ? (['jwt', 'database'] as const) : (['database'] as const)) {
        it(`asks for a second factor after ${kind}, with sessions of the kind ${strategy}`, async () => {
          const app = openApp(strategy, kind)
          const person = newPerson()
          await app.give(person)
          const browser = app.browser()
          const { location } = await app.signIn(browser, person)
          if (isTwoFactors(kind)) {
            expect((await browser.current())?.amr).to.deep.equal(['swk', 'user'])
            return
          }
          expect(location).to.include('/auth/second-factor?')
          expect(await whoIs(browser)).to.equal(null)
          expect((await app.enter(browser, '123456')).status).to.equal(422)
          expect(await whoIs(browser)).to.equal(null)
          const trusting = await app.enter(browser, app.code(), { trust: 'on' })
          expect(trusting.status, trusting.body).to.equal(302)
          expect((await browser.current())?.amr).to.include('mfa')
          await browser.signOut()
          expect((await app.signIn(browser, person)).location).to.not.include('second-factor')
          expect((await browser.current())?.user?.id).to.be.a('string')
        })

        it(`asks whoever must have one to add it after ${kind}, with sessions of the kind ${strategy}`, async () => {
          const app = openApp(strategy, kind, { required: true })
          const person = newPerson()
          const browser = app.browser()
          const { location } = await app.signIn(browser, person)
          const isIn = (await whoIs(browser)) !== null
          expect(isIn).to.equal(isTwoFactors(kind))
          if (!isIn) expect(location).to.include('/auth/second-factor/add')
        })
      }
    }

    it('MFA-01 takes one code once, in many requests at the same moment', async () => {
      const app = openApp('database', 'oidc')
      const person = newPerson()
      await app.give(person)
      const browsers = Array.from({ length: 6 }, () => app.browser())
      for (const browser of browsers) await app.signIn(browser, person)
      const code = app.code()
      const answers = await Promise.all(browsers.map((browser) => app.enter(browser, code)))
      // A store that is too slow leads to the page of an error.
      const accepted = answers.filter(({ status, location }) => status === 302 && !location?.includes('error'))
      expect(accepted).to.have.lengthOf(1)
      const inside = await Promise.all(browsers.map(async (browser) => (await whoIs(browser)) !== null))
      expect(inside.filter(Boolean)).to.have.lengthOf(1)
    })

    it('goes with its user, and is counted in what is stored about them', async () => {
      const app = openApp('database', 'oidc')
      const { adapter } = store
      const userId = await app.give(newPerson())
      const { exportUser, deleteUser } = await import('../../../lib/features/people/operations.js')
      expect((await exportUser(app.engine.config, userId))?.records).to.include({ 'second-factor': 1 })
      expect(await deleteUser(app.engine.config, userId)).to.deep.equal([])
      expect(await adapter.listRecordsByOwner?.('second-factor', userId)).to.deep.equal([])
    })
  })
}

/** The tests of a block use a store in memory. */
function overMemory(): void {
  before(async () => {
    idp = await FakeProvider.start()
    store = await (STORES.find(({ name }) => name === 'memory') ?? expect.fail('no memory')).open()
  })
  after(async () => {
    await idp?.stop()
    await store?.close()
  })
}

/** What a guard does with whoever has signed in, by the state of their second factor: null lets them pass. */
const AT_GUARDS = {
  'has none': { plain: null, 'factors: 2': '/auth/second-factor?' },
  'has one, and has not shown it yet': { plain: '/auth/signin?', 'factors: 2': '/auth/signin?' },
  'has shown it': { plain: null, 'factors: 2': null },
  'has one, in a trusted browser': { plain: null, 'factors: 2': '/auth/second-factor?' },
} as const
const GUARDS = { plain: {}, 'factors: 2': { factors: 2 } } as const

describe('MFA-05 whoever signs in, at a guard,', () => {
  overMemory()

  for (const kind of Object.keys(KINDS)) {
    for (const [state, expected] of Object.entries(AT_GUARDS)) {
      for (const name of ['plain', 'factors: 2'] as const) {
        it(`by ${kind}, who ${state}: ${name}`, async () => {
          const app = openApp('database', kind)
          const [person, browser] = [newPerson(), app.browser()]
          if (state !== 'has none') await app.give(person)
          await app.signIn(browser, person)
          if (!isTwoFactors(kind) && state.match(/shown it$|trusted/)) {
            await app.enter(browser, app.code(), state.endsWith('trusted browser') ? { trust: 'on' } : {})
            if (state.endsWith('trusted browser')) {
              await browser.signOut()
              await app.signIn(browser, person)
            }
          }
          const headers = { ...NAVIGATION, host: 'app.example', cookie: browser.cookieHeader() ?? '' }
          const request = new Request('http://app.example/inside', { headers })
          const { response } = await guard({ engine: app.engine, request, facts: {}, foldsCase: false }, GUARDS[name])
          const location = response?.headers.get('location') ?? null
          // A passkey that asks for the person is both factors.
          const wanted = isTwoFactors(kind) ? null : expected[name]
          if (wanted === null) expect(location).to.equal(null)
          else expect(location).to.include(wanted)
        })
      }
    }
  }
})

describe('MFA-06 a second factor that somebody else has asked for', () => {
  overMemory()
  afterEach(() => {
    idp.faults = {}
  })

  for (const [amr, trusts, asks] of [
    [['pwd', 'mfa'], ['oidc'], false],
    [['pwd', 'mfa'], [], true],
    [['pwd', 'otp'], ['oidc'], true],
    ['mfa', ['oidc'], true],
  ] as const) {
    it(`counts if the provider is trusted and says so: ${JSON.stringify(amr)}, trusted: ${trusts}`, async () => {
      const app = openApp('database', 'oidc', { trusts: [...trusts] })
      const person = newPerson()
      await app.give(person)
      const browser = app.browser()
      setProviderUser(idp, app.clock, person)
      const { claims: timely } = idp.faults
      idp.faults = { claims: (claims) => ({ ...timely?.(claims), amr }) }
      const { location } = await browser.get(await goTo(browser, idp))
      expect(location?.includes('second-factor')).to.equal(asks)
    })
  }

  it('is refused at the start of a provider that is none of OpenID Connect', () => {
    expect(() => openApp('database', 'oauth', { trusts: ['oauth'] })).to.throw('no OpenID Connect provider')
  })
})

const unlocked = { userVerification: 'discouraged' } as const
/** Passkeys that nobody has to unlock. */
const DISCOURAGED = {
  authenticationOptions: unlocked,
  registrationOptions: { authenticatorSelection: unlocked },
  verifyAuthenticationOptions: { requireUserVerification: false },
  verifyRegistrationOptions: { requireUserVerification: false },
}

describe('MFA-06 a passkey with which somebody new signs up', () => {
  const signUp = async (flags: number, options = {}, secondFactor: AuthConfig['secondFactor'] = true) => {
    const app = openSecondFactorApp({ providers: [Passkey(options)], secondFactor })
    const device = new SoftAuthenticator('http://app.example')
    device.flags = flags
    const browser = app.browser()
    const { location } = await register({ browser, device }, { email: 'new@example.com' })
    const headers = { ...NAVIGATION, host: 'app.example', cookie: browser.cookieHeader() ?? '' }
    const request = new Request(INSIDE, { headers })
    const guarded = await guard({ engine: app.engine, request, facts: {}, foldsCase: false }, { factors: 2 })
    return { browser, location, passes: guarded.response === null, amr: (await browser.current())?.amr }
  }

  it('is two factors as it is at every sign-in afterwards, so that no guard sends them away', async () => {
    const { passes, amr } = await signUp(FLAG.up | FLAG.uv)
    expect(passes).to.equal(true)
    expect(amr).to.deep.equal(['hwk', 'user'])
    const required = await signUp(FLAG.up | FLAG.uv, {}, { required: true })
    expect([required.location, required.passes]).to.deep.equal(['http://app.example', true])
  })

  it('is one factor where nobody had to unlock it', async () => {
    const { passes, amr } = await signUp(FLAG.up, DISCOURAGED)
    expect(passes).to.equal(false)
    expect(amr).to.deep.equal(['hwk'])
    const required = await signUp(FLAG.up, DISCOURAGED, { required: true })
    expect(required.location).to.include('/auth/second-factor')
    expect(await whoIs(required.browser)).to.equal(null)
  })

  it('proves nothing of somebody who is signed in and adds it', async () => {
    const app = openSecondFactorApp({ providers: [Passkey()] })
    const { browser, secret } = await app.withFactor()
    await browser.signOut()
    await app.enterPassword(browser)
    await app.enterCode(browser, app.nextCode(secret), { trust: 'on' })
    const before = (await browser.current())?.amr
    await register({ browser, device: new SoftAuthenticator('http://app.example') })
    expect((await browser.current())?.amr).to.deep.equal(before)
    await browser.signOut()
    await app.enterPassword(browser)
    const refused = await browser.get('/auth/webauthn-options/passkey?action=register')
    expect(refused.status, 'a trusted browser adds none').to.equal(403)
  })
})

describe('MFA-06 a passkey that nobody has to unlock', () => {
  it('is one factor by itself, and the second one after another way in', async () => {
    const device = new SoftAuthenticator('http://app.example')
    device.flags = FLAG.up
    const app = openSecondFactorApp({ providers: [Passkey(DISCOURAGED)] })
    const { browser, userId } = await app.withFactor()
    expect((await register({ browser, device })).status).to.be.oneOf([200, 302])
    const withPasskey = async (other: TestBrowser) => authenticate({ browser: other, device }, {})
    const alone = app.browser()
    await withPasskey(alone)
    expect(await whoIs(alone)).to.equal(null)
    const both = app.browser()
    await app.enterPassword(both)
    expect(await whoIs(both)).to.equal(null)
    await withPasskey(both)
    expect((await both.current())?.user?.id).to.equal(userId)
    expect((await both.current())?.amr).to.include('mfa')
  })
})

describe('a person whose address is not confirmed', () => {
  it('reads that at once where they want to add an app, and shows no passkey for nothing', async () => {
    const app = openSecondFactorApp({ providers: [Passkey()] })
    const browser = await app.withPassword()
    const device = new SoftAuthenticator('http://app.example')
    await register({ browser, device })
    const userId = (await app.idOf(ADA)) ?? ''
    const other = app.browser()
    await app.enterPassword(other)
    expect((await other.get('/auth/second-factor/add', PAGE)).location, 'confirmed').to.include('/auth/second-factor?')
    await app.adapter.updateUser?.({ id: userId, emailVerified: null })
    for (const [page, status] of [
      [await other.get('/auth/second-factor/add', PAGE), 403],
      [await app.send(other, 'second-factor/add', { code: '000000' }, PAGE), 422],
    ] as const) {
      expect(page.status, 'nothing was sent that could be at fault').to.equal(status)
      expect(visibleText(page.body)).to.include('First confirm your e-mail address')
    }
    expect((await other.get('/auth/second-factor/add')).json()).to.deep.equal({
      error: 'SecondFactor',
      reason: 'unconfirmed',
    })
  })

  it('is led by the link back to the app that they must add, and on from there', async () => {
    const provider = await FakeProvider.start()
    const app = openSecondFactorApp({ providers: [oauth(provider)], secondFactor: { required: true } })
    const browser = app.browser()
    const { location: asks } = await atProvider(provider, browser, { ...newPerson(), email: ADA }, EMPTY, 'oidc')
    const { body } = await app.follow(browser, asks)
    expect(visibleText(body)).to.include('First confirm your e-mail address: press the button below')
    expect(visibleText(body)).to.include('Go to sign-in').and.not.to.include('Go back')
    const [, callbackUrl = ''] = /name="callbackUrl" value="([^"]+)"/.exec(body) ?? []
    await app.send(browser, 'signin/email', { email: ADA, callbackUrl: callbackUrl.replaceAll('&amp;', '&') }, PAGE)
    const { location } = await browser.get(app.last('sign-in-link')?.path ?? '', PAGE)
    expect((await app.follow(browser, location)).body).to.include('QR code')
    const { secret, sealed } = await app.offerTo(browser)
    const code = app.nextCode(secret)
    const added = await app.send(browser, 'second-factor/add', { secret: sealed, code }, PAGE)
    expect(added.body).to.match(/class="primary" href="http:\/\/app.example\/?"/)
    expect(await whoIs(browser)).to.equal(ADA)
    await provider.stop()
  })

  it('is led by the link back to the page that they came from where they are signed in', async () => {
    const app = openSecondFactorApp()
    const browser = await app.signedIn()
    await app.adapter.updateUser?.({ id: (await app.idOf(ADA)) ?? '', emailVerified: null })
    for (const [page, title] of [
      ['second-factor/add', 'QR code'],
      ['address', 'Change your address'],
    ] as const) {
      await app.adapter.updateUser?.({ id: (await app.idOf(ADA)) ?? '', emailVerified: null })
      const { body } = await browser.get(`/auth/${page}?callbackUrl=/settings`, PAGE)
      expect(body, page).to.include('href="http://app.example/settings">Go back')
      const [, callbackUrl = ''] = /name="callbackUrl" value="([^"]+)"/.exec(body) ?? []
      await app.send(browser, 'signin/email', { email: ADA, callbackUrl: callbackUrl.replaceAll('&amp;', '&') }, PAGE)
      const { location } = await browser.get(app.last('sign-in-link')?.path ?? '', PAGE)
      const led = await app.follow(browser, location)
      expect(visibleText(led.body) + led.body, page).to.include(title)
      expect(led.body, page).to.include('href="http://app.example/settings">Go back')
    }
  })

  it('ACCT-05 keeps the passkey when they do what the pages advise, and then add an app', async () => {
    const app = openSecondFactorApp({ providers: [Passkey()] })
    const browser = await app.signedIn()
    const device = new SoftAuthenticator('http://app.example')
    await register({ browser, device })
    const id = (await app.idOf(ADA)) ?? ''
    await app.adapter.updateUser?.({ id, emailVerified: null })
    const page = await browser.get('/auth/second-factor/add', PAGE)
    expect(visibleText(page.body)).to.match(/link that we .*in this browser and without signing out/)
    await app.send(browser, 'signin/email', { email: ADA }, PAGE)
    await browser.get(app.last('sign-in-link')?.path ?? '')
    expect(await app.adapter.listAuthenticatorsByUserId?.(id)).to.have.lengthOf(1)
    await authenticate({ browser, device }, {})
    expect((await app.addFactor(browser)).codes).to.have.lengthOf(10)
  })
})

describe('MFA-06 a passkey in place of an app', () => {
  /** Ada has a password and a passkey, and everybody must have a second factor. */
  async function openApp(flags: number = FLAG.up | FLAG.uv, options = {}, adapter = memoryAdapter()) {
    const device = new SoftAuthenticator('http://app.example')
    let isRequired = false
    const required = () => isRequired
    const app = openSecondFactorApp({ providers: [Passkey(options)], secondFactor: { required } }, { adapter })
    const browser = await app.withPassword()
    await register({ browser, device })
    isRequired = true
    device.flags = flags
    return {
      ...app,
      owner: browser,
      device,
      demand: (isDemanded: boolean) => {
        isRequired = isDemanded
      },
    }
  }

  it('is asked for after a password, and lets in by itself', async () => {
    const app = await openApp()
    const browser = app.browser()
    expect((await app.enterPassword(browser)).location).to.equal(ASKED)
    const page = await browser.get('/auth/second-factor', PAGE)
    expect(page.body)
      .to.include('data-passkey="sign-in"')
      .and.to.include('data-redirect-to="http://app.example/auth/second-factor?callbackUrl=')
    expect(page.body, 'no code is asked for').not.to.include('name="code"')
    expect(page.body, 'who has lost it').to.include('ask us for help')
    expect(page.headers.get('content-security-policy')).to.match(/script-src 'nonce-/)
    expect(await whoIs(browser)).to.equal(null)
    const answer = await authenticate({ browser, device: app.device }, { callbackUrl: ASKED })
    expect(answer.location, 'where the sign-in was to lead').to.equal(INSIDE)
    expect(await browser.current()).to.deep.include({ amr: ['hwk', 'user'] })
    expect(browser.jar.has('authjs.held-sign-in')).to.equal(false)
  })

  for (const flags of [FLAG.up | FLAG.uv, FLAG.up]) {
    it(`lets a password be chosen by mail, and not before it is shown${flags & FLAG.uv ? '' : ', also where nobody had to unlock it'}`, async () => {
      const app = await openApp(flags, DISCOURAGED)
      const browser = app.browser()
      await app.choosePassword(browser)
      expect([await whoIs(browser), await whoIs(app.owner)]).to.deep.equal([null, ADA])
      await authenticate({ browser, device: app.device }, { callbackUrl: ASKED })
      expect([await whoIs(browser), await whoIs(app.owner)]).to.deep.equal([ADA, null])
      expect((await app.enterPassword(app.browser())).location, 'the one of before').to.include('error=')
      expect(app.mails.map(({ kind }) => kind)).to.include('password-changed')
    })
  }

  it('lets a password be chosen also where the store numbers its users', async () => {
    const app = await openApp(FLAG.up | FLAG.uv, {}, numberedUsers())
    const browser = app.browser()
    await app.choosePassword(browser)
    await authenticate({ browser, device: app.device }, { callbackUrl: ASKED })
    expect([await whoIs(browser), await whoIs(app.owner)]).to.deep.equal([ADA, null])
    expect((await app.enterPassword(app.browser(), ADA, PAGE, NEW_PASSWORD)).location).to.equal(ASKED)
  })

  it('RATE-05 is no answer to the sign-in of somebody else, and makes no browser known to them', async () => {
    const app = openSecondFactorApp({ providers: [Passkey()], limits: {} })
    const ada = await app.withFactor()
    const eve = await app.signedIn('eve@example.com')
    const device = new SoftAuthenticator('http://app.example')
    await register({ browser: eve, device })
    const thief = app.browser()
    await app.enterPassword(thief)
    await authenticate({ browser: thief, device }, { callbackUrl: ASKED })
    expect(await whoIs(thief)).to.equal('eve@example.com')
    await thief.signOut()
    let looked = 0
    for (let index = 0; index < 24; index += 1) {
      if (index % 4 === 0) await app.enterPassword(thief)
      const { status } = await app.enterCode(thief, '000000')
      if (status === 422) looked += 1
    }
    expect(looked).to.be.at.most(10)
    const own = Object.assign(app.browser(), { address: '203.0.113.9' })
    expect(ada.codes).to.have.lengthOf(10)
    await app.enterPassword(own)
    expect((await app.enterCode(own, ada.codes[0] ?? '')).location, 'a recovery code').to.equal(INSIDE)
  })

  it('stores no password that somebody else has chosen in the browser, with a passkey of another page', async () => {
    const app = await openApp()
    const browser = app.browser()
    await app.choosePassword(browser)
    await authenticate({ browser, device: app.device }, {})
    expect([await whoIs(browser), await whoIs(app.owner)]).to.deep.equal([ADA, ADA])
    expect(app.mails.map(({ kind }) => kind)).not.to.include('password-changed')
    expect((await app.enterPassword(app.browser())).location, 'the one of before').to.equal(ASKED)
  })

  it('stores no password for an address that is not theirs any more, and takes none away', async () => {
    const app = await openApp()
    const browser = app.browser()
    await app.choosePassword(browser)
    const id = (await app.idOf(ADA)) ?? ''
    await app.adapter.updateUser?.({ id, email: 'ada@elsewhere.example' })
    await authenticate({ browser, device: app.device }, { callbackUrl: ASKED })
    expect((await app.enterPassword(app.browser(), 'ada@elsewhere.example')).location).to.equal(ASKED)
  })

  it('keeps whoever has the password alone from adding an app', async () => {
    const app = await openApp()
    const thief = app.browser()
    await app.enterPassword(thief)
    expect((await thief.get('/auth/second-factor/add')).status).to.equal(401)
    expect((await app.enterCode(thief, '000000')).location, 'no code is right').to.include('/auth/signin')
    expect(await whoIs(thief)).to.equal(null)
  })

  it('is shown before an app is added, also where nobody must have a second factor', async () => {
    const app = await openApp()
    const thief = app.browser()
    app.demand(false)
    await app.enterPassword(thief)
    expect(await whoIs(thief)).not.to.equal(null)
    expect((await app.send(thief, 'second-factor/add', { secret: 'x', code: '000000' })).json()).to.deep.equal({
      error: 'RecentSignInRequired',
    })
    const asked = (await thief.get('/auth/second-factor/add?callbackUrl=/inside', PAGE)).location ?? ''
    expect(asked.slice(0, asked.indexOf('?'))).to.equal('http://app.example/auth/second-factor')
    const page = await thief.get(asked.slice(app.origin.length), PAGE)
    expect(page.body).to.include('data-redirect-to="http://app.example/auth/second-factor/add?callbackUrl=')
    expect(page.body).to.include('data-passkey="sign-in"')
    await authenticate({ browser: thief, device: app.device }, {})
    expect((await app.addFactor(thief)).answer.status, 'by the owner').to.equal(200)
  })

  it('MFA-06: is shown before its owner changes how they sign in, also where nobody must have a second factor', async () => {
    idp = await FakeProvider.start()
    try {
      const device = new SoftAuthenticator('http://app.example')
      const stranger = new SoftAuthenticator('http://app.example')
      const app = openSecondFactorApp({
        providers: [Passkey(), oauth(idp, 'oidc', {})],
        secondFactor: { trusts: ['oidc'] },
      })
      await register({ browser: await app.withPassword(), device })
      const thief = app.browser()
      await app.enterPassword(thief)
      const options = () => thief.get('/auth/webauthn-options/passkey?action=register')
      const { passkeys } = (await thief.get('/auth/passkeys')).json() as { passkeys: { id: string }[] }
      const remove = (accept = {}) => app.send(thief, 'passkeys/remove', { id: passkeys[0]?.id ?? '' }, accept)
      const link = () => app.send(thief, 'link/oidc', {}, PAGE)
      const refused = { error: 'RecentSignInRequired' }
      expect([(await options()).status, (await options()).json()]).to.deep.equal([403, refused])
      expect([(await remove()).status, (await remove()).json().error]).to.deep.equal([403, refused.error])
      expect((await app.follow(thief, (await remove(PAGE)).location)).at.pathname).to.equal('/auth/second-factor')
      expect((await app.follow(thief, (await link()).location)).at.pathname).to.equal('/auth/second-factor')
      expect((await app.follow(thief, 'http://app.example/auth/link/oidc')).at.pathname).to.equal('/auth/second-factor')
      // A sign-in at the provider would add the account as well.
      setProviderUser(idp, app.clock, { ...newPerson(), emailVerified: true })
      await thief.get(await goTo(thief, idp), PAGE)
      const userId = (await app.idOf(ADA)) ?? ''
      expect(await app.adapter.listAccountsByUserId?.(userId)).to.have.lengthOf(1)
      const forms = {
        address: { email: EVE },
        'password/change': { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
        'password/remove': {},
      }
      for (const [path, fields] of Object.entries(forms))
        expect((await app.send(thief, path, fields)).json(), path).to.deep.equal(refused)
      // Whoever has an account there may connect it anew, and not one that is another's, who gives it away at that moment.
      const other = app.browser()
      const evil = { ...newPerson(), emailVerified: true }
      setProviderUser(idp, app.clock, evil)
      await other.get(await goTo(other, idp), PAGE)
      await app.adapter.linkAccount?.({ provider: 'oidc', type: 'oidc', providerAccountId: 'own', userId })
      expect((await link()).location).to.include(idp.issuer)
      setProviderUser(idp, app.clock, evil)
      const begun = (await link()).location ?? ''
      const ended = await thief.get(`/auth/callback/oidc?${idp.authorize(begun)}`, PAGE)
      expect(ended.location).to.include('RecentSignInRequired')
      // Whoever shows it does all of that.
      await authenticate({ browser: thief, device }, {})
      await register({ browser: thief, device: stranger })
      expect((await link()).location).to.include(idp.issuer)
      expect((await remove()).status).to.equal(200)
    } finally {
      await idp.stop()
    }
  })

  it('MFA-06: is asked for also beside a sign-in page of the application, and not to end other sessions', async () => {
    const device = new SoftAuthenticator('http://app.example')
    const app = openSecondFactorApp({ providers: [Passkey()], pages: { signIn: '/login' } })
    await register({ browser: await app.withPassword(), device })
    const browser = app.browser()
    await app.enterPassword(browser)
    const { passkeys } = (await browser.get('/auth/passkeys')).json() as { passkeys: { id: string }[] }
    const remove = () => app.send(browser, 'passkeys/remove', { id: passkeys[0]?.id ?? '' }, PAGE)
    const { at, body } = await app.follow(browser, (await remove()).location)
    expect(at.pathname).to.equal('/auth/second-factor')
    expect(body).to.include('data-passkey="sign-in"')
    expect((await app.send(browser, 'sessions/revoke', { others: 'true' })).status).to.equal(200)
    app.clock.advance(3600)
    const { location } = await remove()
    const led = await browser.get(location?.slice(app.origin.length) ?? '', PAGE)
    expect(led.location, 'where more is missing').to.match(/^\/login[?].*error=RecentSignInRequired&code=RemovePasskey/)
  })

  it('MFA-06: is offered of the provider that it is of', async () => {
    const device = new SoftAuthenticator('http://app.example')
    const key = Passkey({ ...DISCOURAGED, id: 'key', enableConditionalUI: false })
    const app = openSecondFactorApp({ providers: [Passkey(), key] })
    await register({ browser: await app.withPassword(), device }, { id: 'key' })
    const browser = app.browser()
    device.flags = FLAG.up
    await authenticate({ browser, device }, { id: 'key' })
    const { body } = await app.follow(browser, (await browser.get('/auth/address', PAGE)).location)
    expect(body, 'it is not enough alone').to.include('Go to sign-in').and.not.to.include('data-passkey="sign-in"')
    await app.enterPassword(browser)
    await authenticate({ browser, device }, { id: 'key' })
    const phone = new SoftAuthenticator('http://app.example')
    await register({ browser, device: phone })
    const again = app.browser()
    await authenticate({ browser: again, device }, { id: 'key' })
    const offered = await app.follow(again, (await again.get('/auth/address', PAGE)).location)
    expect(offered.body, 'the later one is').to.match(/data-provider-id="passkey"/)
  })

  it('MFA-06: is asked for beside a key that nobody has to unlock, also where there is no other way in', async () => {
    for (const secondFactor of [{ required: true }, {}]) {
      const key = Passkey({ ...DISCOURAGED, id: 'key', enableConditionalUI: false })
      const app = openTestApp({ providers: [Passkey(), key], adapter: memoryAdapter(), secondFactor })
      const [phone, stolen] = [new SoftAuthenticator(app.origin), new SoftAuthenticator(app.origin)]
      const owner = app.browser()
      await register({ browser: owner, device: phone }, { email: ADA })
      stolen.flags = FLAG.up
      await register({ browser: owner, device: stolen }, { id: 'key' })
      const thief = app.browser()
      const led = await authenticate({ browser: thief, device: stolen }, { id: 'key' })
      if (secondFactor.required) expect(led.location).to.match(/\/auth\/second-factor[?]/)
      else expect((await thief.get('/auth/webauthn-options/passkey?action=register')).status).to.equal(403)
      const add = await thief.get('/auth/second-factor/add', PAGE)
      expect([add.status, add.location ?? ''])
        .to.deep.include(302)
        .and.not.include('add?')
      await authenticate({ browser: owner, device: phone })
      expect((await owner.get('/auth/second-factor/add', PAGE)).status, 'of its owner').to.equal(200)
    }
  })

  it('is not enough where it is the only way in and nobody has to unlock it, which the account page says in the time of grace', async () => {
    const secondFactor = { required: true, gracePeriod: 3600 }
    const app = openTestApp({ providers: [Passkey(DISCOURAGED)], adapter: memoryAdapter(), secondFactor })
    const browser = app.browser()
    const device = new SoftAuthenticator(app.origin)
    device.flags = FLAG.up
    await register({ browser, device }, { email: ADA })
    expect(visibleText((await browser.get('/auth/account', PAGE)).body)).to.include('Needed for signing in from')
  })

  it('MFA-06: is not asked for where it signs nobody in, and does not stay', async () => {
    const app = await openApp()
    app.demand(false)
    const id = (await app.idOf(ADA)) ?? ''
    const [account] = (await app.adapter.listAccountsByUserId?.(id)) ?? []
    await app.adapter.unlinkAccount?.({ provider: 'passkey', providerAccountId: account?.providerAccountId ?? '' })
    const browser = app.browser()
    await app.enterPassword(browser)
    const device = new SoftAuthenticator('http://app.example')
    expect((await register({ browser, device })).location).not.to.include('error')
    // Of two that are there, only the second one counts.
    app.demand(true)
    const own = browser
    await authenticate({ browser: own, device }, {})
    const { passkeys } = (await own.get('/auth/passkeys')).json() as { passkeys: { id: string }[] }
    expect(passkeys).to.have.lengthOf(2)
    const answers = []
    for (const { id: each } of passkeys) answers.push((await app.send(own, 'passkeys/remove', { id: each })).status)
    expect(answers).to.deep.equal([200, 409])
  })

  it('MFA-06: stays where it is the only second factor of somebody who must have one, also in two tabs at once', async () => {
    const app = await openApp()
    const browser = app.browser()
    await app.enterPassword(browser)
    await authenticate({ browser, device: app.device }, { callbackUrl: ASKED })
    const own = async () => ((await browser.get('/auth/passkeys')).json() as { passkeys: { id: string }[] }).passkeys
    const remove = (id = '') => app.send(browser, 'passkeys/remove', { id })
    const [{ id = '' } = {}] = await own()
    expect((await remove(id)).status).to.equal(409)
    expect((await browser.get('/auth/account', PAGE)).body).to.include('your account must have two-step verification')
    await register({ browser, device: new SoftAuthenticator('http://app.example') })
    const ids = (await own()).map((each) => each.id)
    const answers = await Promise.all(ids.map(remove))
    expect(
      answers.map(({ status }) => status),
      'both at once',
    ).to.include(409)
    expect(await own()).to.have.lengthOf.at.least(1)
    await app.addFactor(browser)
    for (const { id: each } of await own()) expect((await remove(each)).status).to.equal(200)
  })

  it('is offered after a provider that says of itself that it asked for a key', async () => {
    idp = await FakeProvider.start()
    try {
      const device = new SoftAuthenticator('http://app.example')
      const app = openSecondFactorApp({
        providers: [Passkey(DISCOURAGED), oauth(idp, 'oidc', { allowDangerousEmailAccountLinking: true })],
      })
      const person = { ...newPerson(), emailVerified: true }
      const signedIn = async (amr: readonly string[]) => {
        const browser = app.browser()
        setProviderUser(idp, app.clock, person)
        const { claims: timely } = idp.faults
        idp.faults = { claims: (claims) => ({ ...timely?.(claims), amr }) }
        await browser.get(await goTo(browser, idp))
        return browser
      }
      await register({ browser: await signedIn(['pwd']), device })
      device.flags = FLAG.up
      const again = await signedIn(['hwk'])
      const to = (await again.get('/auth/second-factor/add', PAGE)).location ?? ''
      expect((await again.get(to.slice(app.origin.length), PAGE)).body).to.include('data-passkey="sign-in"')
      await authenticate({ browser: again, device }, {})
      expect((await again.current())?.amr).to.deep.equal(['hwk', 'mfa'])
    } finally {
      await idp.stop()
    }
  })

  it('hands on what a provider says as it said it, and the dates of the application as dates', async () => {
    const idp = await FakeProvider.start()
    const clock = new Clock(Math.floor(Date.now() / 1000) * 1000)
    const adapter = memoryAdapter()
    const told: unknown[] = []
    const person = newPerson()
    const odd = { 'latchkey.date': 'soon', 'latchkey.date.': [{ 'latchkey.date': { 'latchkey.dates': 1 } }] }
    const since = new Date(0)
    try {
      const app = openTestApp(
        {
          adapter,
          session: { strategy: 'jwt', revocation: { store: adapter, checkEvery: 0 } },
          secondFactor: true,
          limits: false,
          providers: [
            oauth(idp, 'oidc', {
              idToken: false,
              profile: ({ sub, email }: Person) => ({ id: sub, email, since, odd }),
            }),
          ],
          callbacks: {
            jwt({ token, user, profile }) {
              if (user) told.push({ ...user }, profile)
              return token
            },
          },
        },
        { clock },
      )
      const enter = async () => {
        const browser = app.browser()
        setProviderUser(idp, clock, person)
        Object.assign(idp.profile, odd)
        expect((await browser.get(await goTo(browser, idp))).location).to.be.a('string')
        return browser
      }
      const userId = String((await (await enter()).current())?.user?.id)
      const { factors } = (await app.engine.config.services.get(SECOND_FACTORS)?.()) ?? expect.fail()
      await factors.add(userId, { secret: SECRET, step: 0 }, 0)
      told.length = 0
      const browser = await enter()
      expect(told, 'held').to.deep.equal([])
      const answer = { csrfToken: await browser.csrfToken(), code: codeOf(SECRET, clock.ms) }
      await browser.post('/auth/second-factor', answer, PAGE)
      expect(await whoIs(browser)).to.equal(person.email)
      expect(told[0]).to.deep.include({ since, odd })
      expect(told[1]).to.deep.include(odd)
    } finally {
      await idp.stop()
    }
  })

  it('is enough to add an app for whoever has no other way in, also where others have a password', async () => {
    const app = openSecondFactorApp({ providers: [Passkey(DISCOURAGED)] })
    const { adapter } = app
    const { config } = app.engine
    const { id } = await adapter.createUser({ id: 'p', email: '', emailVerified: null })
    const account = { userId: id, provider: 'passkey', providerAccountId: 'cGFzc2tleQ==' }
    await adapter.linkAccount({ ...account, type: 'webauthn' })
    await adapter.createAuthenticator?.({
      ...{ ...account, credentialID: 'cGFzc2tleQ==', credentialPublicKey: 'cHVibGlj', counter: 0 },
      ...{ credentialDeviceType: 'multiDevice', credentialBackedUp: true },
    })
    expect(await mustShowBoth(config, id, true)).to.equal(false)
    expect(await mustShowBoth(config, id, false), 'by something else').to.equal(true)
    await adapter.updateUser({ id, email: newPerson().email ?? '', emailVerified: new Date() })
    await operatorOf(() => config).setPassword({ userId: id, password: 'copper lantern under seven bridges' })
    expect(await mustShowBoth(config, id, true)).to.equal(true)
  })

  it('is asked for by a sign-in that was to add an app, if it was added meanwhile', async () => {
    const app = await openApp()
    const { adapter } = app
    const passkeys = (await adapter.listAuthenticatorsByUserId?.((await app.idOf(ADA)) ?? '')) ?? []
    await Promise.all(passkeys.map(({ credentialID }) => adapter.deleteAuthenticator?.(credentialID)))
    const thief = app.browser()
    expect((await app.enterPassword(thief)).location).to.include('/second-factor/add')
    const { secret, sealed } = await app.offerTo(thief)
    for (const passkey of passkeys) await adapter.createAuthenticator?.(passkey)
    const answer = await app.send(thief, 'second-factor/add', { secret: sealed, code: app.nextCode(secret) })
    expect(answer.status).to.equal(401)
    expect(await whoIs(thief)).to.equal(null)
  })

  it('raises a session that was begun in another way, and none that it has begun itself', async () => {
    const app = await openApp(FLAG.up, DISCOURAGED)
    app.demand(false)
    const browser = app.browser()
    await app.enterPassword(browser)
    expect((await browser.current())?.amr).to.equal(undefined)
    await authenticate({ browser, device: app.device }, {})
    expect((await browser.current())?.amr).to.deep.equal(['hwk', 'mfa'])
    const alone = app.browser()
    await authenticate({ browser: alone, device: app.device }, {})
    await authenticate({ browser: alone, device: app.device }, {})
    expect((await alone.current())?.amr, 'twice the same is one').to.deep.equal(['hwk'])
    const late = app.browser()
    await app.enterPassword(late)
    app.clock.advance(16 * 60)
    await authenticate({ browser: late, device: app.device }, {})
    expect((await late.current())?.amr, 'the password was shown too long ago').to.deep.equal(['hwk'])
  })

  it('leaves whoever shows it signed in, where they must have it', async () => {
    const app = await openApp(FLAG.up, DISCOURAGED)
    app.demand(false)
    const browser = app.browser()
    await app.enterPassword(browser)
    app.demand(true)
    const answer = await authenticate({ browser, device: app.device }, { callbackUrl: '/inside' })
    expect(answer.location).to.equal(INSIDE)
    expect((await browser.current())?.amr).to.deep.equal(['hwk', 'mfa'])
  })

  for (const strategy of ['database', 'jwt'] as const) {
    it(`leaves whoever shows it signed in who has shown an app before, with ${strategy} sessions`, async () => {
      const adapter = memoryAdapter()
      const session =
        strategy === 'jwt' ? { strategy, revocation: { store: adapter, checkEvery: 0 } } : ({ strategy } as const)
      const app = openSecondFactorApp({ providers: [Passkey(DISCOURAGED)], session }, { adapter })
      const { browser } = await app.withFactor()
      const device = new SoftAuthenticator('http://app.example')
      device.flags = FLAG.up
      await register({ browser, device })
      expect((await authenticate({ browser, device }, { callbackUrl: '/inside' })).location).to.equal(INSIDE)
      expect((await browser.current())?.amr).to.deep.equal(['hwk', 'mfa'])
    })
  }

  it('keeps the visitor signed in for as long as the sign-in asked that waited for it', async () => {
    const app = openSecondFactorApp({
      providers: [Passkey()],
      secondFactor: { required: true },
      session: { strategy: 'database', maxAge: 86_400, remember: { maxAge: 30 * 86_400 } },
    })
    const device = new SoftAuthenticator('http://app.example')
    const browser = await app.signedIn()
    await app.addFactor(browser)
    await register({ browser, device })
    for (const remember of ['on', '']) {
      const again = app.browser()
      await app.send(again, 'signin/email', { email: ADA, ...(remember && { remember }) }, PAGE)
      await again.get(app.last('sign-in-link')?.path ?? '')
      const { headers } = await authenticate(
        { browser: again, device },
        { callbackUrl: 'http://app.example/auth/second-factor' },
      )
      const [cookie = ''] = headers.getSetCookie().filter((each) => each.includes('session-token'))
      expect(cookie.includes('Expires'), cookie).to.equal(remember === 'on')
    }
  })

  /** The page that asks whoever is signed in. */
  const askedIn = (browser: TestBrowser) => browser.get('/auth/second-factor?callbackUrl=/inside', PAGE)

  it('is offered in a trusted browser where it is two factors, and otherwise not, since it would count for nothing', async () => {
    for (const [flags, options] of [[FLAG.up | FLAG.uv] as const, [FLAG.up, DISCOURAGED] as const]) {
      const app = await openApp(flags, options)
      const browser = app.browser()
      await app.enterPassword(browser)
      await authenticate({ browser, device: app.device }, { callbackUrl: ASKED })
      const { secret } = await app.addFactor(browser)
      await browser.signOut()
      await app.enterPassword(browser)
      await app.enterCode(browser, app.nextCode(secret), { trust: 'on' })
      await browser.signOut()
      expect((await app.enterPassword(browser)).location, 'it is trusted').to.equal(INSIDE)
      const { body } = await askedIn(browser)
      const isTwoFactors = options === undefined
      expect(body).to.include('name="code"')
      expect(body.includes('data-passkey="sign-in"')).to.equal(isTwoFactors)
      await authenticate({ browser, device: app.device }, {})
      expect((await browser.current())?.amr?.includes('user') ?? false).to.equal(isTwoFactors)
      if (!isTwoFactors) expect((await askedIn(browser)).body, 'while that waits').to.not.include('data-passkey')
    }
  })

  it('is offered after another sign-in, to which the page leads, where the password was shown too long ago', async () => {
    const app = await openApp(FLAG.up, DISCOURAGED)
    app.demand(false)
    const browser = app.browser()
    await app.enterPassword(browser)
    app.clock.advance(16 * 60)
    const led = new URL((await askedIn(browser)).location ?? '')
    expect([led.pathname, led.searchParams.get('error')]).to.deep.equal(['/auth/signin', 'RecentSignInRequired'])
    const back = { email: ADA, password: PASSWORD, callbackUrl: led.searchParams.get('callbackUrl') ?? '' }
    const entered = await app.send(browser, 'callback/password', back, PAGE)
    const page = await browser.get(entered.location?.slice(app.origin.length) ?? '', PAGE)
    expect(page.body).to.include('data-passkey="sign-in"').and.to.include(`data-redirect-to="${INSIDE}"`)
    await authenticate({ browser, device: app.device }, {})
    expect((await browser.current())?.amr).to.deep.equal(['hwk', 'mfa'])
  })

  it('does not keep an app that is to be taken away, as a code of it, a recovery code and another app do', async () => {
    const app = openSecondFactorApp({ providers: [Passkey()], url: 'http://app.example' })
    const { browser, userId, secret, codes } = await app.withFactor()
    const device = new SoftAuthenticator('http://app.example')
    await register({ browser, device })
    const proofs: Record<string, () => Promise<unknown>> = {
      'a code': () => app.enterCode(browser, app.nextCode(secret)),
      'a recovery code': () => app.enterCode(browser, codes[0] ?? ''),
      'another app': () => app.addFactor(browser),
      'the passkey': () => authenticate({ browser, device }, {}),
    }
    for (const [name, show] of Object.entries(proofs)) {
      await app.operate('resetSecondFactor', { userId, after: 60 })
      await show()
      app.clock.advance(61)
      const { location } = await app.enterPassword(app.browser())
      const text = visibleText((await browser.get('/auth/account', PAGE)).body)
      expect(text.includes('Set up another authenticator app'), `${name}: ${location}`).to.equal(name !== 'the passkey')
    }
  })

  it('leads to the sign-in whoever has shown nothing but the passkey', async () => {
    const app = await openApp(FLAG.up, DISCOURAGED)
    app.demand(false)
    const browser = app.browser()
    await authenticate({ browser, device: app.device }, {})
    const { body } = await askedIn(browser)
    expect(visibleText(body)).to.include('Sign in in another way').and.to.include('Go to sign-in')
    expect(body).to.include('href="http://app.example/auth/signin?')
  })

  it('is offered beside the code of an app, and to somebody who is signed in', async () => {
    const app = await openApp()
    const signedIn = (await app.owner.get('/auth/second-factor?callbackUrl=/inside', PAGE)).body
    expect(signedIn).to.include('data-passkey="sign-in"')
    const other = app.browser()
    await app.enterPassword(other)
    await authenticate({ browser: other, device: app.device }, {})
    await app.addFactor(other)
    const browser = app.browser()
    await app.enterPassword(browser)
    const { body } = await browser.get('/auth/second-factor', PAGE)
    expect(body).to.include('name="code"').and.to.include('data-passkey="sign-in"')
    expect((await browser.get('/auth/second-factor?recovery', PAGE)).body).not.to.include('data-passkey')
  })

  it('is the second factor after a password where nobody had to unlock it, and adds no app by itself', async () => {
    for (const isRequired of [true, false]) {
      const app = await openApp(FLAG.up, DISCOURAGED)
      app.demand(isRequired)
      const thief = app.browser()
      const answer = await authenticate({ browser: thief, device: app.device }, {})
      expect(answer.location?.includes('/auth/second-factor'), 'asked at the sign-in').to.equal(isRequired)
      const led = isRequired ? answer : await thief.get('/auth/second-factor/add', PAGE)
      const { body } = await thief.get(led.location?.slice(app.origin.length) ?? '', PAGE)
      expect(body).to.include('Sign in in another way').and.not.include('data-passkey')
      await authenticate({ browser: thief, device: app.device }, {})
      const sent = await app.send(thief, 'second-factor/add', { secret: 'x', code: '000000' })
      expect(sent.json(), 'the same passkey twice').to.include(
        isRequired ? { message: 'Sign in first.' } : { error: 'RecentSignInRequired' },
      )
      const browser = app.browser()
      await authenticate({ browser, device: app.device }, {})
      await app.enterPassword(browser)
      await authenticate({ browser, device: app.device }, {})
      expect((await browser.current())?.amr).to.include('mfa')
      expect((await app.addFactor(browser)).answer.status, 'by the owner').to.equal(200)
    }
  })

  it('adds an app by itself if it is the only way to sign in, also where nobody had to unlock it', async () => {
    for (const isRequired of [true, false]) {
      const device = new SoftAuthenticator('http://app.example')
      device.flags = FLAG.up
      const adapter = memoryAdapter()
      const app = openTestApp({
        providers: [Passkey(DISCOURAGED)],
        adapter,
        secondFactor: { required: isRequired },
        session: { strategy: 'database' },
      })
      const browser = app.browser()
      const { location } = await register({ browser, device }, { email: ADA })
      expect(location?.includes('/second-factor/add')).to.equal(isRequired)
      const again = app.browser()
      await authenticate({ browser: again, device }, {})
      const { url, secret } = (await again.get('/auth/second-factor/add')).json()
      const csrfToken = await again.csrfToken()
      const code = codeOf(new URL(url).searchParams.get('secret') ?? '', app.clock.ms)
      const added = await again.post('/auth/second-factor/add', { csrfToken, secret, code })
      expect(added.json().codes).to.have.lengthOf(10)
      expect(await whoIs(again)).to.equal(ADA)
    }
  })

  it('adds no app by itself where the store does not say whether there is another way in', async () => {
    const device = new SoftAuthenticator('http://app.example')
    device.flags = FLAG.up
    const { listAccountsByUserId: _, ...adapter } = memoryAdapter()
    const app = openTestApp({
      providers: [Passkey(DISCOURAGED)],
      adapter,
      secondFactor: true,
      session: { strategy: 'database' },
    })
    const browser = app.browser()
    await register({ browser, device }, { email: ADA })
    const again = app.browser()
    await authenticate({ browser: again, device }, {})
    const asked = await again.get('/auth/second-factor/add')
    expect(asked.json()).to.include({ error: 'RecentSignInRequired' })
  })
})
