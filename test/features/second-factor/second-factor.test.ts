import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { PASSWORDS, setPassword } from '../../../lib/features/password/operations.js'
import { deleteUser } from '../../../lib/features/people/operations.js'
import { SECOND_FACTORS } from '../../../lib/features/second-factor/dependencies.js'
import { type AuthConfig, EmailSignInError } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { failureOf } from '../../support/failure.js'
import { elements, visibleText } from '../../support/html.js'
import { requestContext, withSessions } from '../../support/request-context.js'
import { type TestBrowser, whoIs } from '../../support/test-app.js'
import { ADA, EVE, NEW, PAGE } from '../address/address-app.js'
import { authenticate, register } from '../passkeys/ceremonies.js'
import { ASKED, codeOf, INSIDE, NEW_PASSWORD, openSecondFactorApp, PASSWORD } from './second-factor-app.js'

describe('a second factor', () => {
  it('is added with an authenticator app, which shows a code first, and gives ten recovery codes', async () => {
    const app = openSecondFactorApp()
    const ada = await app.signedIn()
    const page = await ada.get('/auth/second-factor/add', PAGE)
    expect(page.status).to.equal(200)
    expect(page.body).to.include('<svg class="qr"').and.to.include('otpauth://totp/')
    expect(page.headers.get('cache-control')).to.include('no-store')
    const { secret, codes, answer } = await app.addFactor(ada)
    // 160 bits (MFA-01).
    expect(secret).to.match(/^[A-Z2-7]{32}$/)
    expect(answer.status, answer.body).to.equal(200)
    expect(codes).to.have.lengthOf(10)
    expect(new Set(codes)).to.have.lengthOf(10)
    expect(await whoIs(ada)).to.equal(ADA)
    expect(app.mails.map(({ kind }) => kind)).to.include('second-factor-added')
  })

  it('MFA-05 is asked for after a password, and until then there is no session anywhere', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const browser = app.browser()
    const first = await app.enterPassword(browser)
    expect(first.status).to.equal(302)
    expect(first.location).to.equal(ASKED)
    expect(browser.sessionNames()).to.deep.equal([])
    expect(await whoIs(browser)).to.equal(null)
    expect(await browser.current()).to.equal(null)
    expect((await browser.get('/auth/account', PAGE)).location).to.include('/auth/signin')
    for (const path of ['sessions', 'accounts']) expect((await browser.get(`/auth/${path}`)).status).to.equal(401)
    const shown = await browser.get('/auth/second-factor', PAGE)
    expect(visibleText(shown.body)).to.include('Enter the code that your authenticator app shows')
    expect(shown.body).to.not.include(ADA)
    expect(visibleText(shown.body)).to.include('Go to sign-in')
    const second = await app.enterCode(browser, app.nextCode(secret))
    expect(second.location, second.body).to.equal(INSIDE)
    expect(await whoIs(browser)).to.equal(ADA)
    app.clock.advance(120)
    const more = await browser.get('/auth/second-factor?callbackUrl=/inside', PAGE)
    expect(visibleText(more.body)).to.include('Go to the home page').and.not.include('Go to sign-in')
  })

  it('MFA-04 MFA-06 is asked for after a mailed link as well, which is one factor', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const browser = await app.signedIn()
    expect(await whoIs(browser)).to.equal(null)
    expect((await app.enterCode(browser, app.nextCode(secret))).status).to.equal(302)
    expect(await whoIs(browser)).to.equal(ADA)
  })

  it('is not asked for of people who have none', async () => {
    const app = openSecondFactorApp()
    expect(await whoIs(await app.signedIn())).to.equal(ADA)
  })

  it('MFA-01 takes each code once, also in two browsers at once, and only of 30 seconds before and after', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const [one, two] = [app.browser(), app.browser()]
    await app.enterPassword(one)
    await app.enterPassword(two)
    const code = app.nextCode(secret)
    const answers = await Promise.all([app.enterCode(one, code), app.enterCode(two, code)])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([302, 422])
    const late = app.browser()
    await app.enterPassword(late)
    app.clock.advance(300)
    for (const steps of [-2, 2]) {
      const answer = await app.enterCode(late, codeOf(secret, app.clock.ms + steps * 30_000))
      expect(answer.status, `${steps} steps`).to.equal(422)
    }
    const arabic = codeOf(secret, app.clock.ms - 30_000).replace(/\d/g, (digit) =>
      String.fromCodePoint(0x660 + Number(digit)),
    )
    expect((await app.enterCode(late, ` ${arabic} `)).location).to.equal(INSIDE)
    // An earlier one than the last that was used.
    const again = app.browser()
    await app.enterPassword(again)
    expect((await app.enterCode(again, codeOf(secret, app.clock.ms - 30_000))).status).to.equal(422)
  })

  it('MFA-03 has five tries and ten minutes, and parallel guesses are each a try', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    const wrong = await Promise.all(Array.from({ length: 12 }, () => app.enterCode(browser, '000000')))
    expect(wrong.filter(({ status }) => status === 422).length).to.be.within(1, 4)
    const last = wrong.filter(({ location }) => location?.includes('error=SessionRequired&code=TooManyCodes'))
    expect(last).to.have.lengthOf(1)
    const { body } = await browser.get((last[0]?.location ?? '').replace(app.origin, ''), PAGE)
    expect(visibleText(body)).to.include('Too many wrong codes. Please sign in again.')
    const late = await app.enterCode(browser, app.nextCode(secret))
    expect(late.location).to.include('/auth/signin?error=SessionRequired&code=SignInExpired')
    expect(await whoIs(browser)).to.equal(null)
    const slow = app.browser()
    await app.enterPassword(slow)
    app.clock.advance(601)
    expect((await app.enterCode(slow, app.nextCode(secret))).location).to.include('/auth/signin')
    expect(await whoIs(slow)).to.equal(null)
  })

  it('belongs to the browser that began, and to the person who began', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const eve = await app.withFactor(EVE)
    const [browser, other] = [app.browser(), app.browser()]
    await app.enterPassword(browser)
    expect((await app.enterCode(other, app.nextCode(secret))).location).to.include('/auth/signin')
    expect((await app.enterCode(browser, app.nextCode(eve.secret))).status).to.equal(422)
    expect(await whoIs(browser)).to.equal(null)
  })

  it('MFA-02 is replaced by a recovery code once, however it is written, and the owner learns of it', async () => {
    const app = openSecondFactorApp()
    const { codes } = await app.withFactor()
    const [code = ''] = codes
    const browser = app.browser()
    await app.enterPassword(browser)
    const page = await browser.get('/auth/second-factor?recovery', PAGE)
    expect(visibleText(page.body)).to.include('Recovery code')
    expect((await app.enterCode(browser, ` ${code.toLowerCase().replaceAll('-', ' ')} `)).status).to.equal(302)
    expect(await whoIs(browser)).to.equal(ADA)
    expect(app.mails.map(({ kind }) => kind)).to.include('recovery-code-used')
    const again = app.browser()
    await app.enterPassword(again)
    expect((await app.enterCode(again, code)).status).to.equal(422)
  })

  it('MFA-02 keeps neither secrets nor recovery codes readable in the store', async () => {
    const app = openSecondFactorApp()
    const { secret, codes, userId } = await app.withFactor()
    const records = (await app.adapter.listRecordsByOwner?.('second-factor', userId)) ?? []
    expect(records).to.have.lengthOf(1)
    const stored = JSON.stringify(records)
    for (const each of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))]) {
      expect(stored).to.not.include(each)
    }
  })

  it('keeps nothing of what was entered while it waits', async () => {
    const app = openSecondFactorApp()
    const { userId } = await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    const records = (await app.adapter.listRecordsByOwner?.('held-sign-in', userId)) ?? []
    expect(records).to.have.lengthOf(1)
    expect(JSON.stringify(records)).to.not.include(PASSWORD)
    expect(JSON.stringify(app.log.lines)).to.not.include(PASSWORD)
  })

  it('MFA-07 is removed only by who has shown it, and the owner learns of it', async () => {
    const app = openSecondFactorApp()
    const { browser } = await app.withFactor()
    // It was shown when it was added.
    expect((await app.send(browser, 'second-factor/remove', {}, PAGE)).status).to.equal(200)
    const told = app.mails.find(({ kind }) => kind === 'second-factor-removed')
    expect(told?.text, 'as after another one').to.include('All other sessions have ended.')
    const next = app.browser()
    expect((await app.enterPassword(next)).location).to.equal(INSIDE)
  })

  it('MFA-07 is replaced by another app, and its owner reads that, on the page, by mail and in what has happened', async () => {
    const told: string[] = []
    const app = openSecondFactorApp({
      accountPage: { parts: ['securityEvents'] },
      securityEvents: true,
      events: { security: ({ type }) => void told.push(type) },
    })
    const { browser } = await app.withFactor()
    const { secret, sealed } = await app.offerTo(browser)
    const code = app.nextCode(secret)
    const { body } = await app.send(browser, 'second-factor/add', { secret: sealed, code }, PAGE)
    expect(visibleText(body)).to.include('Your authenticator app was replaced').and.not.to.include('app was added')
    expect(body).to.include('class="codes"')
    const { kind, text = '' } = app.mails.at(-1) ?? {}
    expect(kind).to.equal('second-factor-replaced')
    expect(text.replace(/\s+/g, ' ')).to.include(
      'old recovery codes do not work any more. All other sessions have ended.',
    )
    expect(told.slice(-2)).to.deep.equal(['second-factor-added', 'second-factor-replaced'])
    expect(visibleText((await browser.get('/auth/account', PAGE)).body)).to.include(
      'Your authenticator app was replaced',
    )
  })

  it('is not taken over by a sign-in without it: old sessions, forms of other sites, programs', async () => {
    expect(() => openSecondFactorApp({ session: { strategy: 'jwt' } })).to.throw('cannot be ended')
    const app = openSecondFactorApp({ origins: ['https://front.example'], bearer: true })
    const old = await app.signedIn()
    const { browser } = await app.withFactor()
    // Sessions of before have ended.
    expect(await whoIs(old)).to.equal(null)
    for (const path of ['add', 'codes', 'remove']) {
      const answer = await app.send(browser, `second-factor/${path}`, {}, { origin: 'https://front.example' })
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal(`http://app.example/auth/second-factor/${path}`)
      const forged = await browser.post(`/auth/second-factor/${path}`, {}, PAGE)
      expect(forged.body + forged.location).to.match(/csrf|Please try again/i)
    }
    app.clock.advance(24 * 3600)
    for (const path of ['add', 'codes', 'remove']) {
      expect((await app.send(browser, `second-factor/${path}`, {}, PAGE)).location).to.include('RecentSignInRequired')
    }
  })

  it('MFA-01 shows the secret of an app to no page of another origin', async () => {
    const app = openSecondFactorApp({ origins: ['https://front.example'] })
    const { browser } = await app.withFactor()
    const eve = await app.signedIn(EVE)
    for (const each of [eve, browser]) {
      const read = await each.get('/auth/second-factor/add', { origin: 'https://front.example' })
      expect(read.status).to.equal(403)
      expect(read.json()).to.have.all.keys('message')
      expect([...each.jar.keys()].filter((name) => name.includes('offered'))).to.deep.equal([])
      const page = await each.get('/auth/second-factor/add', { origin: 'https://front.example', ...PAGE })
      expect([page.body.includes('otpauth'), page.headers.get('access-control-allow-origin')]).to.deep.equal([
        true,
        null,
      ])
      expect((await app.offerTo(each)).secret, 'from a page here').to.have.length(32)
    }
  })

  it('is added by nobody whose address is not confirmed', async () => {
    const app = openSecondFactorApp()
    const ada = await app.signedIn()
    const id = (await app.idOf(ADA)) ?? ''
    await app.adapter.updateUser?.({ id, emailVerified: null })
    const refusal = { error: 'SecondFactor', reason: 'unconfirmed' }
    expect((await ada.get('/auth/second-factor/add')).json()).to.deep.equal(refusal)
    expect((await app.send(ada, 'second-factor/add', {})).json()).to.deep.equal(refusal)
    const { body } = await ada.get('/auth/second-factor/add', PAGE)
    expect(visibleText(body)).to.match(/E-mail me a link Go back$/)
    const form = elements(body, 'form').map((each) => each.get('action'))
    expect(form, 'the button sends the mail').to.deep.equal(['http://app.example/auth/signin/email'])
  })

  it('is added with the secret of the page that its user has opened, within a quarter of an hour', async () => {
    const app = openSecondFactorApp()
    const [ada, eve] = [await app.signedIn(), await app.signedIn(EVE)]
    const { secret, sealed } = await app.offerTo(eve)
    const code = app.nextCode(secret)
    const stolen = await app.send(ada, 'second-factor/add', { secret: sealed, code })
    expect(stolen.json()).to.deep.equal({ error: 'SecondFactor', reason: 'expired' })
    const own = await app.offerTo(ada)
    app.clock.advance(16 * 60)
    const again = await app.signedIn()
    const late = await app.send(again, 'second-factor/add', { secret: own.sealed, code: app.nextCode(own.secret) })
    expect(late.json()).to.deep.equal({ error: 'SecondFactor', reason: 'expired' })
  })
})

describe('a browser that somebody trusts', () => {
  for (const strategy of ['database', 'jwt'] as const) {
    /** An app whose store fails where a test says. */
    const openWithStore = () => {
      const adapter = memoryAdapter()
      let isFailing = false
      for (const name of ['changeSessionToken', 'updateTokenSession'] as const) {
        const method = adapter[name] as (...args: unknown[]) => unknown
        const isProof = (args: unknown[]) => name === 'changeSessionToken' || 'createdAt' in (args[1] as object)
        const mayFail = (...args: unknown[]) => {
          if (isFailing && isProof(args)) throw new Error('The store is down.')
          return method.apply(adapter, args)
        }
        Object.assign(adapter, { [name]: mayFail })
      }
      const session = strategy === 'jwt' ? { strategy, revocation: { store: adapter, checkEvery: 0 } } : { strategy }
      const app = openSecondFactorApp({ session }, { adapter })
      const fail = () => {
        isFailing = true
      }
      return { ...app, fail }
    }

    it(`MFA-07: the session in which an app was added ends if the store fails then, and the codes are shown (${strategy})`, async () => {
      const app = openWithStore()
      const browser = await app.withPassword()
      const thief = browser.copy()
      app.fail()
      expect((await app.addFactor(browser)).codes).to.have.length(10)
      expect([await whoIs(browser), await whoIs(thief)]).to.deep.equal([null, null])
      expect((await app.enterPassword(browser)).location).to.equal(ASKED)
    })
  }

  it('is not asked again for 30 days, and has another secret after each sign-in', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    await app.enterCode(browser, app.nextCode(secret), { trust: 'on' })
    const thief = browser.copy()
    await browser.signOut()
    expect((await app.enterPassword(browser)).location).to.equal(INSIDE)
    // The copy ended when its owner signed in, but for the time of a second tab.
    app.clock.advance(11)
    await thief.signOut()
    expect((await app.enterPassword(thief)).location).to.equal(ASKED)
    app.clock.advance(31 * 24 * 3600)
    expect((await app.enterPassword(browser)).location).to.equal(ASKED)
  })

  it('must show the factor all the same for what needs a recent sign-in', async () => {
    for (const recentAuthAge of [900, Number.POSITIVE_INFINITY]) {
      const app = openSecondFactorApp({ session: { recentAuthAge } })
      const { secret } = await app.withFactor()
      const browser = app.browser()
      await app.enterPassword(browser)
      await app.enterCode(browser, app.nextCode(secret), { trust: 'on' })
      await browser.signOut()
      await app.enterPassword(browser)
      expect(await whoIs(browser)).to.equal(ADA)
      for (const page of ['second-factor/remove', 'address'])
        expect((await browser.get(`/auth/${page}`, PAGE)).location, page).to.include('/auth/second-factor?callbackUrl=')
      const byRoute = withSessions(app.engine).revokeOtherSessions(requestContext(browser.cookieHeader(), app.origin))
      expect(await byRoute, 'a route that has asked for the password, and says so').to.equal(1)
      // Who signs in again, while signed in, is asked.
      expect((await app.enterPassword(browser)).location).to.equal(ASKED)
      expect((await app.enterCode(browser, app.nextCode(secret))).location).to.equal(INSIDE)
      expect((await browser.get('/auth/second-factor/remove', PAGE)).status).to.equal(200)
    }
  })

  it('is trusted no more after another password, another factor, or the end of all trust', async () => {
    const app = openSecondFactorApp()
    const { secret, userId } = await app.withFactor()
    const trusting = async () => {
      const browser = app.browser()
      await app.enterPassword(browser)
      await app.enterCode(browser, app.nextCode(secret), { trust: 'on' })
      return browser
    }
    const one = await trusting()
    const account = await one.get('/auth/account', PAGE)
    expect(visibleText(account.body)).to.include('No code needed since')
    await app.send(one, 'second-factor/forget', {}, PAGE)
    await one.signOut()
    expect((await app.enterPassword(one)).location).to.equal(ASKED)
    const two = await trusting()
    await app.send(two, 'password/change', { password: PASSWORD, newPassword: `${PASSWORD} again` }, PAGE)
    const trusted = async () => (await app.adapter.listRecordsByOwner?.('trusted-browser', userId))?.length
    expect(await trusted()).to.equal(0)
    const three = await app.signedIn()
    await app.enterCode(three, app.nextCode(secret), { trust: 'on' })
    expect(await trusted()).to.equal(1)
    await setPassword(app.engine.config, { userId, password: PASSWORD })
    expect(await trusted()).to.equal(0)
    const four = await app.signedIn()
    await app.enterCode(four, app.nextCode(secret), { trust: 'on' })
    expect((await app.addFactor(four)).codes).to.have.lengthOf(10)
    expect(await trusted()).to.equal(0)
    expect((await app.enterPassword(three)).location).to.equal(ASKED)
  })

  it('is offered where the configuration wants it', async () => {
    for (const trustedFor of [0, 60]) {
      const app = openSecondFactorApp({ secondFactor: { trustedFor } })
      const { secret } = await app.withFactor()
      const browser = app.browser()
      await app.enterPassword(browser)
      const { body } = await browser.get('/auth/second-factor', PAGE)
      expect(body.includes('name="trust"')).to.equal(trustedFor > 0)
      const { setCookies } = await app.enterCode(browser, app.nextCode(secret), { trust: 'on' })
      expect(setCookies.some(({ name }) => name.includes('trusted-browser'))).to.equal(trustedFor > 0)
    }
  })
})

describe('a second factor that people must have', () => {
  it('is added before they are in, and leads on to where they wanted to go', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: true } })
    const browser = app.browser()
    await app.send(browser, 'signin/email', { email: ADA, callbackUrl: '/inside' })
    const first = await browser.get(app.last('sign-in-link')?.path ?? '')
    expect(first.location).to.include('/auth/second-factor/add')
    expect(await whoIs(browser)).to.equal(null)
    const { codes, answer } = await app.addFactor(browser)
    expect(answer.status, answer.body).to.equal(200)
    expect(codes).to.have.lengthOf(10)
    expect(await whoIs(browser)).to.equal(ADA)
    const refused = await app.send(browser, 'second-factor/remove', {}, PAGE)
    expect(visibleText(refused.body)).to.include('must have two-step verification')
  })

  it('is added after a password, of which the session says that it was shown, as after a sign-in with both', async () => {
    let isRequired = false
    const app = openSecondFactorApp({ secondFactor: { required: () => isRequired } })
    await app.withPassword()
    isRequired = true
    const [browser, later] = [app.browser(), app.browser()]
    await app.enterPassword(browser)
    const { secret } = await app.addFactor(browser)
    await app.enterPassword(later)
    await app.enterCode(later, app.nextCode(secret))
    for (const each of [browser, later]) expect((await each.current())?.amr).to.deep.equal(['pwd', 'otp', 'mfa'])
  })

  it('MFA-03 is added within ten minutes; whoever takes longer reads that, signs in again, and is led on from there', async () => {
    let isRequired = false
    const app = openSecondFactorApp({ secondFactor: { required: () => isRequired } })
    await app.withPassword()
    isRequired = true
    const browser = app.browser()
    await app.enterPassword(browser)
    const { secret, sealed } = await app.offerTo(browser)
    app.clock.advance(601)
    const callbackUrl = '/inside'
    const late = await app.send(
      browser,
      'second-factor/add',
      { secret: sealed, code: app.nextCode(secret), callbackUrl },
      PAGE,
    )
    const { at, body } = await app.follow(browser, late.location)
    expect(visibleText(body)).to.include('That sign-in took too long, or has ended. Please sign in again.')
    const again = { email: ADA, password: PASSWORD, callbackUrl: at.searchParams.get('callbackUrl') ?? '' }
    await app.send(browser, 'callback/password', again, PAGE)
    const offered = await app.offerTo(browser)
    const code = app.nextCode(offered.secret)
    const added = await app.send(browser, 'second-factor/add', { secret: offered.sealed, code }, PAGE)
    expect(added.status, added.location ?? '').to.equal(200)
    expect(added.body).to.include(`class="primary" href="${INSIDE}"`)
    expect(await whoIs(browser)).to.equal(ADA)
  })

  it('waits for the time of grace, which begins once', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: ({ email }) => email === ADA, gracePeriod: 3600 } })
    expect(await whoIs(await app.signedIn())).to.equal(ADA)
    app.clock.advance(3000)
    expect(await whoIs(await app.signedIn())).to.equal(ADA)
    app.clock.advance(601)
    expect(await whoIs(await app.signedIn())).to.equal(null)
    expect(await whoIs(await app.signedIn(EVE))).to.equal(EVE)
  })

  it('is said to be needed, and from when on, to whoever has the time of grace, and to nobody else', async () => {
    const secondFactor = { required: ({ email }: { email: string }) => email === ADA, gracePeriod: 3600 }
    const store = memoryAdapter()
    const read: string[] = []
    const adapter: typeof store = {
      ...store,
      getRecord: (kind, key) => {
        read.push(kind)
        return store.getRecord(kind, key)
      },
    }
    const app = openSecondFactorApp({ secondFactor, providers: [Passkey()] }, { adapter })
    const partOf = async (browser: TestBrowser) => {
      const { body } = await browser.get('/auth/account', PAGE)
      return visibleText(/aria-labelledby="part-secondFactor".*?<\/section>/s.exec(body)?.[0] ?? '')
    }
    const ada = await app.signedIn()
    app.clock.advance(60)
    const needed = 'No authenticator app yet. Needed for signing in from'
    const [said = ''] = /from (.*?) on/.exec(await partOf(ada)) ?? []
    expect(said).to.match(/\d{4}/)
    app.clock.advance(60)
    expect(await partOf(ada), 'the time stays')
      .to.include(needed)
      .and.include(said)
      .and.include('Add an authenticator app')
    expect(await partOf(await app.signedIn(EVE)))
      .to.include('No authenticator app yet.')
      .and.not.include('Needed')
    await app.addFactor(ada)
    expect(await partOf(ada))
      .to.include('Recovery codes left: 10')
      .and.not.include('Needed')
    const without = openSecondFactorApp({ secondFactor: { required: () => false } }, { adapter })
    const visitor = await without.signedIn(EVE)
    read.length = 0
    await partOf(visitor)
    expect(read.filter((kind) => kind === 'second-factor')).to.have.lengthOf(1)
    await register({ browser: ada, device: new SoftAuthenticator('http://app.example') })
    expect(await partOf(ada), 'a passkey does as well').not.to.include('Needed')
  })

  it('is added at once by whoever has had the time of grace, however the second factor is taken away', async () => {
    let isRequired = true
    const secondFactor = { required: () => isRequired, gracePeriod: 3600 }
    const app = openSecondFactorApp({ secondFactor, url: 'http://app.example' })
    await app.addFactor(await app.signedIn())
    const userId = (await app.idOf(ADA)) ?? ''
    await app.operate('resetSecondFactor', { userId })
    expect(await whoIs(await app.signedIn()), 'in what is left of it').to.equal(ADA)
    app.clock.advance(3601)
    const ends: Record<string, (browser: TestBrowser) => unknown> = {
      'by code': () => app.operate('resetSecondFactor', { userId }),
      'by code, later': () => app.operate('resetSecondFactor', { userId, after: 1 }),
      'by its owner': async (browser) => {
        isRequired = false
        expect((await app.send(browser, 'second-factor/remove', {}, PAGE)).status).to.equal(200)
        isRequired = true
      },
    }
    for (const [by, end] of Object.entries(ends)) {
      const browser = await app.signedIn()
      await app.addFactor(browser)
      expect(await whoIs(browser)).to.equal(ADA)
      await end(browser)
      app.clock.advance(2)
      expect(await whoIs(await app.signedIn()), by).to.equal(null)
    }
    await deleteUser(app.engine.config, userId)
    expect(await app.adapter.listRecordsByOwner?.('second-factor', userId), 'with the user').to.deep.equal([])
  })

  it('is asked of everybody whom the function that says who answers with nothing, as for a column that is not there', async () => {
    const required = ((user: { mustHave?: boolean }) => user.mustHave) as () => boolean
    const app = openSecondFactorApp({ secondFactor: { required } })
    const ada = await app.signedIn()
    expect(await whoIs(ada)).to.equal(null)
    await app.addFactor(ada)
    for (const [{ status, body }, expected] of [
      [await ada.get('/auth/second-factor/remove', PAGE), 403],
      [await app.send(ada, 'second-factor/remove', {}, PAGE), 422],
    ] as const) {
      expect(visibleText(body)).to.include('must have two-step').and.not.include('needs no code')
      expect(status).to.equal(expected)
    }
    expect((await ada.get('/auth/second-factor/remove', PAGE)).body).to.not.include('<button')
  })

  it('lets nobody in if the function that says who throws, and keeps nobody from signing out a lost device', async () => {
    let isDown = false
    const required = () => {
      if (isDown) throw new Error('no database')
      return false
    }
    const app = openSecondFactorApp({ secondFactor: { required } })
    const { browser } = await app.withFactor()
    isDown = true
    expect(await whoIs(await app.signedIn(EVE))).to.equal(null)
    const { status, body } = await browser.get('/auth/account', PAGE)
    expect([status, body.includes('part-secondFactor')]).to.deep.equal([200, false])
    expect(body).to.include('part-sessions')
  })

  it('MFA-07 is added by nobody whose sign-in ended while its form was on the way', async () => {
    const adapter = memoryAdapter()
    let hasEnded = false
    const { deleteRecord } = adapter
    const app = openSecondFactorApp(
      { secondFactor: { required: true } },
      {
        // Another request has taken it.
        adapter: Object.assign(adapter, {
          deleteRecord: (kind: string, key: string) =>
            hasEnded && kind === 'held-sign-in' ? null : deleteRecord(kind, key),
        }),
      },
    )
    await app.withPassword()
    const own = app.browser()
    await app.enterPassword(own)
    const offer = await app.offerTo(own)
    hasEnded = true
    const code = app.nextCode(offer.secret)
    await app.send(own, 'second-factor/add', { secret: offer.sealed, code }, PAGE)
    expect(await whoIs(own)).to.equal(null)
    hasEnded = false
    const again = app.browser()
    expect((await app.enterPassword(again)).location).to.include('/auth/second-factor/add')
  })

  it('MFA-07 is not asked for once the application has changed the address that somebody signed in with', async () => {
    const app = openSecondFactorApp()
    const { userId } = await app.withFactor()
    const own = app.browser()
    expect((await app.enterPassword(own)).location).to.equal(ASKED)
    await app.adapter.updateUser({ id: userId, email: NEW })
    expect((await own.get('/auth/second-factor', PAGE)).location).to.include('/auth/signin')
  })

  it('MFA-07 is added by nobody whose password was changed meanwhile', async () => {
    let isRequired = false
    const app = openSecondFactorApp({ secondFactor: { required: () => isRequired } })
    const ada = await app.withPassword()
    isRequired = true
    const eve = app.browser()
    expect((await app.enterPassword(eve)).location).to.include('/auth/second-factor/add')
    const offer = await app.offerTo(eve)
    await app.send(ada, 'password/change', { password: PASSWORD, newPassword: `${PASSWORD} again` }, PAGE)
    const code = app.nextCode(offer.secret)
    const answer = await app.send(eve, 'second-factor/add', { secret: offer.sealed, code }, PAGE)
    expect(answer.location).to.include('/auth/signin')
    expect(await whoIs(ada)).to.equal(ADA)
    isRequired = false
    expect(await whoIs(await app.signedIn())).to.equal(ADA)
  })

  it('ACCT-05 is added by the owner of an address, who confirms it at that moment, and not by who came before', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: true } })
    await app.adapter.createUser?.({ id: 'squatter', email: ADA, emailVerified: null })
    const owner = await app.signedIn()
    const { codes } = await app.addFactor(owner)
    expect(codes).to.have.lengthOf(10)
    expect(await whoIs(owner)).to.equal(ADA)
  })

  it('is added once, if two browsers wait to add it', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: true } })
    const one = await app.signedIn()
    const two = await app.signedIn()
    await app.addFactor(one)
    expect((await two.get('/auth/second-factor/add')).status).to.equal(401)
    const offer = await app.offerTo(one)
    const late = await app.send(two, 'second-factor/add', { secret: offer.sealed, code: app.nextCode(offer.secret) })
    expect(late.status).to.equal(401)
    expect(await whoIs(two)).to.equal(null)
  })
})

describe('an administrator', () => {
  it('MFA-07 takes a second factor away, and the owner learns of it', async () => {
    const app = openSecondFactorApp({ url: 'http://app.example' })
    const { browser, userId } = await app.withFactor()
    expect(await app.operate('resetSecondFactor', { userId })).to.equal(true)
    expect(await whoIs(browser)).to.equal(null)
    expect(app.mails.at(-1)?.kind).to.equal('second-factor-removed')
    expect(app.mails.at(-1)?.text, 'that of the owner has ended as well').not.to.include('other sessions have ended')
    expect((await app.enterPassword(app.browser())).location).to.equal(INSIDE)
    expect(await app.operate('resetSecondFactor', { userId })).to.equal(false)
  })

  it('MFA-07 takes it away after a time, in which whoever has it keeps it', async () => {
    const app = openSecondFactorApp({ url: 'http://app.example' })
    const { browser: before, secret, userId } = await app.withFactor()
    expect(await app.operate('resetSecondFactor', { userId, after: 3600 })).to.equal(true)
    const told = app.mails.at(-1)
    expect(told?.kind).to.equal('second-factor-reset-asked')
    expect(told?.text.replace(/\s+/g, ' ')).to.match(/happens on May \d+, 2031, \d+:\d+ [AP]M UTC[.]/)
    expect(told?.text).to.include('http://app.example/auth/second-factor')
    const browser = app.browser()
    await app.enterPassword(browser)
    expect((await app.enterCode(browser, app.nextCode(secret))).location).to.equal(INSIDE)
    app.clock.advance(3601)
    expect((await app.enterPassword(app.browser())).location).to.equal(ASKED)
    await app.operate('resetSecondFactor', { userId, after: 3600, language: 'de' })
    expect(app.mails.at(-1)?.text.replace(/\s+/g, ' '), 'in the language of the owner').to.match(
      /Das geschieht am \d+\.05\.2031, \d+:\d+ UTC/,
    )
    app.clock.advance(3601)
    const removed = () => app.mails.filter(({ kind }) => kind === 'second-factor-removed').length
    expect(removed()).to.equal(0)
    // It takes effect with a sign-in, perhaps of somebody else, and the owner learns of it once.
    await Promise.all([app.enterPassword(app.browser()), app.enterPassword(app.browser())])
    expect((await app.enterPassword(app.browser())).location).to.equal(INSIDE)
    expect(removed()).to.equal(1)
    expect(await whoIs(before), 'a session of before goes on, and no mail says otherwise').to.equal(ADA)
    expect(app.mails.find(({ kind }) => kind === 'second-factor-removed')?.text).not.to.include('sessions have ended')
  })
})

describe('a second factor whose owner cannot be told that it is to be taken away', () => {
  it('MFA-07 stays, and the call fails', async () => {
    const app = openSecondFactorApp({ url: 'http://app.example' })
    const { userId } = await app.withFactor()
    const push = app.mails.push
    app.mails.push = () => {
      throw new Error('connection refused')
    }
    const reset = () => app.operate('resetSecondFactor', { userId, after: 60 })
    expect(await failureOf(reset())).to.be.instanceOf(EmailSignInError)
    app.clock.advance(61)
    expect((await app.enterPassword(app.browser())).location).to.equal(ASKED)
    app.mails.push = push
    expect(await reset()).to.equal(true)
    app.clock.advance(61)
    expect((await app.enterPassword(app.browser())).location).to.equal(INSIDE)
  })
})

describe('the page to which the mail leads about a second factor that is to be taken away', () => {
  const openLed = async (config: Partial<AuthConfig> = {}) => {
    const app = openSecondFactorApp({ url: 'http://app.example', ...config })
    const { browser, secret, userId } = await app.withFactor()
    const reset = () => app.operate('resetSecondFactor', { userId, after: 3600 })
    /** A browser in which nobody is signed in any more. */
    const leaving = async (more: Record<string, string>) => {
      const other = app.browser()
      await app.enterPassword(other)
      await app.enterCode(other, app.nextCode(secret), more)
      await other.signOut()
      return other
    }
    /** Follows the link of the mail, and signs in where it leads. Gives where that leads. */
    const signInFromMail = async (visitor: TestBrowser) => {
      const { at } = await app.follow(visitor, 'http://app.example/auth/second-factor')
      expect(at.pathname).to.equal('/auth/signin')
      const callbackUrl = at.searchParams.get('callbackUrl') ?? ''
      const fields = { email: ADA, password: PASSWORD, callbackUrl }
      return app.follow(visitor, (await app.send(visitor, 'callback/password', fields, PAGE)).location)
    }
    const isAsked = async () => (await app.enterPassword(app.browser())).location === ASKED
    return { ...app, secret, owner: browser, reset, leaving, signInFromMail, isAsked }
  }

  it('MFA-07 asks for the code that keeps it, also in a trusted browser', async () => {
    const app = await openLed()
    const trusted = await app.leaving({ trust: 'on' })
    await app.reset()
    const { body } = await app.signInFromMail(trusted)
    expect(await whoIs(trusted), 'the browser is trusted').to.equal(ADA)
    expect(body).to.include('name="code"').and.not.to.include('name="trust"')
    expect((await app.enterCode(trusted, '000000')).status, 'a thief who has the password').to.equal(422)
    expect(app.mails.at(-1)?.kind).to.equal('second-factor-reset-asked')
    const kept = await app.enterCode(trusted, app.nextCode(app.secret))
    expect(visibleText(kept.body)).to.include('Two-step verification stays on')
    expect(app.mails.at(-1)?.kind, 'the owner learns of it').to.equal('second-factor-kept')
    app.clock.advance(3601)
    expect(await app.isAsked()).to.equal(true)
  })

  it('MFA-07 is one click away on the account page, and whoever keeps it reads that there and by mail, once', async () => {
    const told: string[] = []
    const app = await openLed({
      accountPage: { parts: ['secondFactor'] },
      events: { security: ({ type }) => void told.push(type) },
    })
    expect((await app.owner.get('/auth/account', PAGE)).body).not.to.include('Keep it')
    await app.reset()
    const { body } = await app.owner.get('/auth/account', PAGE)
    expect(visibleText(body).replace(/\s+/g, ' ')).to.match(/Will be removed on \w+ \d+, 2031.{1,4}\d+:\d+/)
    expect(body, 'so that nobody overlooks it').to.match(/class="alert">.{0,400}Will be removed/s)
    const url = (/href="([^"]+)"[^>]*>\s*Keep it/.exec(body)?.[1] ?? '').replaceAll('&amp;', '&')
    expect(url.replace(/of=[\w-]+&/, '')).to.equal(ASKED.replace('inside', 'auth%2Faccount'))
    const asking = (await app.follow(app.owner, url)).body
    expect(asking).to.include('name="code"')
    expect(visibleText(asking)).to.include('Two-step verification is to be turned off for your account')
    expect(asking).to.include('href="http://app.example/auth/account">Go back')
    const callbackUrl = 'http://app.example/auth/account'
    const kept = await app.enterCode(app.owner, app.nextCode(app.secret), { callbackUrl })
    expect(visibleText(kept.body)).to.include('Two-step verification stays on')
    expect(kept.body).to.include(`href="${callbackUrl}"`)
    app.clock.advance(120)
    expect((await app.enterCode(app.owner, app.nextCode(app.secret), { callbackUrl })).location).to.equal(callbackUrl)
    expect(app.mails.filter(({ kind }) => kind === 'second-factor-kept')).to.have.lengthOf(1)
    expect(told.filter((type) => type === 'second-factor-kept')).to.have.lengthOf(1)
    await app.reset()
    const [browser, code] = [app.browser(), app.nextCode(app.secret)]
    await app.enterPassword(browser)
    expect((await app.enterCode(browser, code)).location, 'a sign-in goes on').to.equal(INSIDE)
    expect(app.mails.at(-1)?.kind).to.equal('second-factor-kept')
  })

  it('MFA-07 tells somebody else who is signed in that it is about another account, and leads its owner back', async () => {
    const app = await openLed()
    const eve = await app.withFactor(EVE)
    await app.reset()
    const link = `http://app.example${/\/auth\/second-factor\?of=[\w-]+/.exec(app.mails.at(-1)?.text ?? '')?.[0]}`
    app.clock.advance(120)
    for (const visitor of [eve.browser, await app.signedIn('noor@example.com')]) {
      const { body } = await app.follow(visitor, link)
      expect(visibleText(body)).to.include('This link is about another account').and.not.to.include(ADA)
      const [, away = ''] = /href="([^"]+)"[^>]*>\s*Sign in with another account/.exec(body) ?? []
      const leading = new URL(away.replaceAll('&amp;', '&')).searchParams.get('callbackUrl') ?? ''
      const { location } = await app.send(visitor, 'signout', { callbackUrl: leading }, PAGE)
      const { at } = await app.follow(visitor, location)
      expect(at.pathname).to.equal('/auth/signin')
      const callbackUrl = at.searchParams.get('callbackUrl') ?? ''
      await app.send(visitor, 'callback/password', { email: EVE, password: PASSWORD, callbackUrl }, PAGE)
      const wrong = await app.enterCode(visitor, app.nextCode(eve.secret))
      const again = await app.follow(visitor, wrong.location)
      expect(visibleText(again.body), 'the other person once more').to.include('This link is about another account')
      await app.send(visitor, 'callback/password', { email: ADA, password: PASSWORD, callbackUrl }, PAGE)
    }
    const kept = await app.enterCode(eve.browser, app.nextCode(app.secret))
    expect(visibleText(kept.body)).to.include('Two-step verification stays on')
  })

  it('MFA-07 says what has become of it by then, and why somebody signs in', async () => {
    const app = await openLed()
    await app.reset()
    const link = `http://app.example${/\/auth\/second-factor\?of=[\w-]+/.exec(app.mails.at(-1)?.text ?? '')?.[0]}`
    const shown = async (visitor: TestBrowser, url = link) => (await app.follow(visitor, url)).body
    const signedOut = app.browser()
    expect(visibleText(await shown(signedOut))).to.include('To keep two-step verification on, please sign in.')
    expect(await shown(app.owner), 'while there is something to keep').to.include('name="code"')
    const account = (await app.owner.get('/auth/account', PAGE)).body
    const button = (/href="([^"]+)"[^>]*>\s*Keep it/.exec(account)?.[1] ?? '').replaceAll('&amp;', '&')
    await app.enterCode(app.owner, app.nextCode(app.secret))
    for (const url of [link, button]) {
      const kept = await shown(app.owner, url)
      expect(visibleText(kept)).to.include('Two-step verification stays on')
      expect(kept).not.to.include('name="code"')
    }
    app.clock.advance(120)
    const later = await app.leaving({})
    const { at } = await app.follow(later, link)
    const callbackUrl = at.searchParams.get('callbackUrl') ?? ''
    await app.send(later, 'callback/password', { email: ADA, password: PASSWORD, callbackUrl }, PAGE)
    const { location } = await app.enterCode(later, app.nextCode(app.secret))
    expect(visibleText(await shown(later, location ?? '')), 'a sign-in').to.include('Two-step verification stays on')
    await app.reset()
    const page = await shown(app.owner)
    app.clock.advance(3601)
    expect(page).to.include('name="code"')
    const late = await app.enterCode(app.owner, app.nextCode(app.secret))
    for (const body of [await shown(app.owner), await shown(app.owner, button), late.body]) {
      const text = visibleText(body)
      expect(text).to.include('Two-step verification was turned off').and.not.to.include('you need two-step')
      expect(body).to.match(/href="[^"]+\/auth\/second-factor\/add\?[^"]+"[^>]*>\s*Add an authenticator app/)
      expect(body).to.match(/href="http:\/\/app.example\/?"/)
    }
  })

  it('MFA-07 asks again whose session has ended in the meantime', async () => {
    const app = await openLed()
    const browser = await app.leaving({ trust: 'on' })
    const { location } = await app.enterCode(browser, app.nextCode(app.secret))
    expect(new URL(location ?? '').searchParams.get('callbackUrl')).to.include('/auth/second-factor?')
  })

  it('MFA-07 asks again also if it ends at that moment', async () => {
    const app = openSecondFactorApp()
    const { browser, secret } = await app.withFactor()
    const { updateRecord } = app.adapter
    app.adapter.updateRecord = async (record) => {
      for (const { sessionToken } of (await app.adapter.listSessionsByUserId?.(String(record.owner))) ?? [])
        await app.adapter.deleteSession?.(sessionToken)
      return (await updateRecord?.(record)) ?? false
    }
    const { location } = await app.enterCode(browser, app.nextCode(secret), { callbackUrl: '/inside' })
    expect(new URL(location ?? '').searchParams.get('callbackUrl')).to.equal(ASKED)
  })

  it('asks nobody twice whose sign-in has asked already', async () => {
    const app = await openLed()
    const browser = await app.leaving({})
    await app.reset()
    const { at, body } = await app.signInFromMail(browser)
    expect(await whoIs(browser)).to.equal(null)
    expect(body).to.include('name="code"')
    const entered = await app.enterCode(browser, app.nextCode(app.secret), { callbackUrl: at.href })
    expect(await whoIs(browser)).to.equal(ADA)
    expect(visibleText(entered.body)).to.include('Two-step verification stays on')
    expect(entered.body).to.match(/href="http:\/\/app.example\/?"/)
    const { at: again } = await app.follow(browser, 'http://app.example/auth/second-factor')
    expect(again.href, 'also on the page itself').to.equal('http://app.example/')
    app.clock.advance(3601)
    expect(await app.isAsked()).to.equal(true)
  })

  it('asks for a code after a passkey while there is something to keep, and otherwise leads on', async () => {
    const app = await openLed({ providers: [Passkey()] })
    const device = new SoftAuthenticator('http://app.example')
    await register({ browser: app.owner, device })
    const withPasskey = async () => {
      const browser = app.browser()
      const { at } = await app.follow(browser, 'http://app.example/auth/second-factor?callbackUrl=/inside')
      const callbackUrl = at.searchParams.get('callbackUrl') ?? ''
      return app.follow(browser, (await authenticate({ browser, device }, { callbackUrl })).location)
    }
    expect((await withPasskey()).at.href).to.equal(INSIDE)
    await app.reset()
    expect((await withPasskey()).body).to.include('name="code"')
  })

  it('leads nobody in a circle, nor to another site', async () => {
    const app = await openLed()
    const page = 'http://app.example/auth/second-factor'
    const browser = app.browser()
    const evil = await browser.get(
      `/auth/second-factor?callbackUrl=${encodeURIComponent('https://evil.example/')}`,
      PAGE,
    )
    expect(evil.location).not.to.include('evil')
    await app.send(browser, 'callback/password', { email: ADA, password: PASSWORD, callbackUrl: page }, PAGE)
    await app.enterCode(browser, app.nextCode(app.secret))
    expect(await whoIs(browser)).to.equal(ADA)
    for (const url of [page, `${page}?callbackUrl=${encodeURIComponent(page)}`])
      expect((await app.follow(browser, url)).at.href).to.equal('http://app.example/')
    const eves = await app.withPassword(EVE)
    await eves.signOut()
    const fields = { email: EVE, password: PASSWORD, callbackUrl: page }
    const led = await app.follow(eves, (await app.send(eves, 'callback/password', fields, PAGE)).location)
    expect(led.at.pathname, 'who has none').to.equal('/auth/second-factor/add')
  })
})

describe('a store that fails while sessions are to end', () => {
  const openFailing = async () => {
    const app = openSecondFactorApp({ url: 'http://app.example' })
    const { deleteSession, deleteSessionsByUserId, listSessionsByUserId } = app.adapter
    const fail = () => {
      const down = async () => {
        throw new Error('down')
      }
      Object.assign(app.adapter, { deleteSession: down, deleteSessionsByUserId: down, listSessionsByUserId: down })
    }
    const repair = () => Object.assign(app.adapter, { deleteSession, deleteSessionsByUserId, listSessionsByUserId })
    return { ...app, fail, repair, has: async (id: string) => app.adapter.listRecordsByOwner?.('second-factor', id) }
  }

  it('MFA-07 leaves no session of before when code takes the second factor away, once the call is made again', async () => {
    const app = await openFailing()
    const { browser, userId } = await app.withFactor()
    app.fail()
    expect(await failureOf(app.operate('resetSecondFactor', { userId }))).to.be.an('error')
    app.repair()
    expect(await whoIs(browser)).to.equal(ADA)
    expect(await app.operate('resetSecondFactor', { userId })).to.equal(false)
    expect(await whoIs(browser)).to.equal(null)
  })

  it('MFA-07 adds and removes no second factor, so that whoever sends the form again ends them', async () => {
    const app = await openFailing()
    const browser = await app.withPassword()
    const userId = (await app.idOf(ADA)) ?? ''
    const other = app.browser()
    await app.enterPassword(other)
    app.fail()
    expect((await app.addFactor(browser)).answer.status).to.be.at.least(302)
    expect(await app.has(userId)).to.deep.equal([])
    app.repair()
    const { secret, codes } = await app.addFactor(browser)
    expect(codes).to.have.lengthOf(10)
    expect(await whoIs(other)).to.equal(null)
    await app.enterPassword(other)
    await app.enterCode(other, app.nextCode(secret))
    app.fail()
    await app.send(browser, 'second-factor/remove', {}, PAGE)
    expect(await app.has(userId)).to.have.lengthOf(1)
    app.repair()
    expect((await app.send(browser, 'second-factor/remove', {}, PAGE)).status).to.equal(200)
    expect([await whoIs(other), await whoIs(browser)]).to.deep.equal([null, ADA])
  })

  it('MFA-07 takes a second factor away again with which nobody could come in, and the owner learns of both', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: true } })
    const browser = await app.signedIn()
    const { secret, sealed } = await app.offerTo(browser)
    const { createSession } = app.adapter
    const down = async () => {
      throw new Error('down')
    }
    Object.assign(app.adapter, { createSession: down })
    await app.send(browser, 'second-factor/add', { secret: sealed, code: app.nextCode(secret) }, PAGE)
    Object.assign(app.adapter, { createSession })
    expect(app.mails.slice(-2).map(({ kind }) => kind)).to.deep.equal(['second-factor-added', 'second-factor-removed'])
    expect(await whoIs(browser)).to.equal(null)
    expect((await app.addFactor(await app.signedIn())).codes).to.have.lengthOf(10)
  })

  const WAYS: Record<string, (app: ReturnType<typeof openSecondFactorApp>, browser: TestBrowser) => Promise<unknown>> =
    {
      'by whoever knows the one of before': (app, browser) =>
        app.send(browser, 'password/change', { password: PASSWORD, newPassword: NEW_PASSWORD }, PAGE),
      'by mail': (app) => app.choosePassword(app.browser()),
    }
  for (const [way, choose] of Object.entries(WAYS)) {
    it(`PWD-08 changes no password ${way}, so that whoever does it again ends them`, async () => {
      const app = await openFailing()
      const browser = await app.withPassword()
      const other = app.browser()
      await app.enterPassword(other)
      app.fail()
      await choose(app, browser)
      app.repair()
      expect((await app.enterPassword(app.browser())).location, 'the one of before').to.equal(INSIDE)
      expect(app.mails.map(({ kind }) => kind)).not.to.include('password-changed')
      await choose(app, browser)
      expect((await app.enterPassword(app.browser(), ADA, PAGE, NEW_PASSWORD)).location).to.equal(INSIDE)
      expect(await whoIs(other)).to.equal(null)
      expect(app.mails.map(({ kind }) => kind)).to.include('password-changed')
    })
  }

  for (const [way, choose] of Object.entries(WAYS)) {
    it(`PWD-08 is asked again whether it has stored a password ${way}, if its answer was lost`, async () => {
      const app = openSecondFactorApp()
      const browser = await app.withPassword()
      const { updateRecord } = app.adapter
      app.adapter.updateRecord = async (record) => {
        const isStored = (await updateRecord?.(record)) ?? false
        if (record.kind === 'password') throw new Error('lost')
        return isStored
      }
      expect(await choose(app, browser))
        .to.have.property('status')
        .that.is.below(400)
      expect((await app.enterPassword(app.browser(), ADA, PAGE, NEW_PASSWORD)).location).to.equal(INSIDE)
      expect(app.mails.map(({ kind }) => kind)).to.include('password-changed')
    })
  }

  it('PWD-11 does not keep the owner from hearing of another password', async () => {
    const app = openSecondFactorApp()
    await app.withPassword()
    const { updateRecord, getUserByEmail } = app.adapter
    app.adapter.updateRecord = async (record) => {
      const isStored = (await updateRecord?.(record)) ?? false
      const down = async () => {
        throw new Error('down')
      }
      if (record.kind === 'password') app.adapter.getUserByEmail = down
      return isStored
    }
    await app.choosePassword(app.browser())
    app.adapter.getUserByEmail = getUserByEmail
    expect(app.mails.map(({ kind }) => kind)).to.include('password-changed')
  })
})

describe('a second factor of somebody with difficulties', () => {
  it('MFA-02 keeps its recovery codes while the secret of the configuration is replaced', async () => {
    const adapter = memoryAdapter()
    const old = openSecondFactorApp({ secret: 'the old secret of this application' }, { adapter })
    const { codes } = await old.withFactor()
    const app = openSecondFactorApp(
      { secret: ['the new secret of this application', 'the old secret of this application'] },
      { adapter, clock: old.clock },
    )
    const browser = app.browser()
    await app.enterPassword(browser)
    expect((await app.enterCode(browser, codes[0] ?? '')).location).to.equal(INSIDE)
    const last = openSecondFactorApp({ secret: 'the new secret of this application' }, { adapter, clock: old.clock })
    const other = last.browser()
    await last.enterPassword(other)
    expect((await last.enterCode(other, codes[1] ?? '')).location).to.equal(INSIDE)
  })

  it('keeps everybody out if it cannot be read, until the application takes it away', async () => {
    const adapter = memoryAdapter()
    const old = openSecondFactorApp({ secret: 'the old secret of this application' }, { adapter })
    const { userId } = await old.withFactor()
    const app = openSecondFactorApp({ url: 'http://app.example' }, { adapter, clock: old.clock })
    expect(await whoIs(await app.signedIn())).to.equal(null)
    expect(await app.operate('resetSecondFactor', { userId })).to.equal(true)
    expect(await whoIs(await app.signedIn())).to.equal(ADA)
  })

  it('takes away nothing else of the account page if it cannot be read', async () => {
    const app = openSecondFactorApp()
    const { browser, userId } = await app.withFactor()
    for (const record of (await app.adapter.listRecordsByOwner?.('second-factor', userId)) ?? [])
      await app.adapter.updateRecord?.({ ...record, value: 'x', version: record.version + 1 })
    const { status, body } = await browser.get('/auth/account', PAGE)
    expect([status, body.includes('part-secondFactor')]).to.deep.equal([200, false])
    expect(body).to.include('part-sessions')
  })

  it('is not added twice by a page that is sent twice, and its removal is told once', async () => {
    const app = openSecondFactorApp()
    const ada = await app.signedIn()
    const { secret, sealed } = await app.offerTo(ada)
    const fields = { secret: sealed, code: app.nextCode(secret) }
    expect((await app.send(ada, 'second-factor/add', fields)).json().codes).to.have.lengthOf(10)
    const twice = await app.send(ada, 'second-factor/add', fields)
    expect(twice.json()).to.deep.equal({ error: 'SecondFactor', reason: 'expired' })
    // Perhaps the browser has not shown the codes of the first answer. Whoever has them is asked for nothing.
    const shown = await app.send(ada, 'second-factor/add', { ...fields, callbackUrl: '/inside' }, PAGE)
    expect([shown.status, shown.location]).to.deep.equal([200, null])
    expect(visibleText(shown.body))
      .to.include('An authenticator app was added')
      .and.include('If you have kept the recovery codes that you were shown last, you need no new ones.')
    expect(shown.body).to.include(`class="primary" href="${INSIDE}"`).and.include('/auth/second-factor/codes?')
    const { body } = await ada.get('/auth/second-factor/codes', PAGE)
    const [, version = ''] = /name="version" value="(\d+)"/.exec(body) ?? []
    expect((await app.send(ada, 'second-factor/codes', { version }, PAGE)).body.match(/<li><code>/g)).to.have.lengthOf(
      10,
    )
    const renewed = await app.send(ada, 'second-factor/codes', { version }, PAGE)
    expect([renewed.status, renewed.location]).to.deep.equal([422, null])
    expect(visibleText(renewed.body)).to.include('If you have kept the recovery codes that you were shown last')
    expect(app.mails.filter(({ kind }) => kind === 'recovery-codes-renewed')).to.have.lengthOf(1)
    await Promise.all([ada, ada.copy()].map((tab) => app.send(tab, 'second-factor/remove', {}, PAGE)))
    const toAdd = `http://app.example/auth/second-factor/add?callbackUrl=${encodeURIComponent(INSIDE)}`
    for (const path of ['remove', 'codes']) {
      const again = await app.send(ada, `second-factor/${path}`, { callbackUrl: '/inside' }, PAGE)
      expect(again.location).to.equal(toAdd)
      expect((await ada.get(`/auth/second-factor/${path}?callbackUrl=/inside`, PAGE)).location).to.equal(toAdd)
    }
    expect(app.mails.filter(({ kind }) => kind === 'second-factor-removed')).to.have.lengthOf(1)
  })

  it('MFA-07: its owner reads of each change, and sees the codes, also where the answer of the store was lost', async () => {
    const store = memoryAdapter()
    let isLost = false
    const lose = <Answer>(kind: string, answer: Answer): Answer => {
      if (kind !== 'second-factor' || !isLost) return answer
      isLost = false
      throw new Error('connection lost')
    }
    const adapter: typeof store = {
      ...store,
      createRecord: async (record) => lose(record.kind, await store.createRecord(record)),
      updateRecord: async (record) => lose(record.kind, await store.updateRecord(record)),
      deleteRecord: async (kind, key) => lose(kind, await store.deleteRecord(kind, key)),
    }
    const app = openSecondFactorApp({}, { adapter })
    const browser = await app.withPassword()
    isLost = true
    const { secret, codes } = await app.addFactor(browser)
    expect(codes).to.have.lengthOf(10)
    isLost = true
    expect((await app.send(browser, 'second-factor/codes', {})).json().codes).to.have.lengthOf(10)
    expect(app.mails.slice(-2).map(({ kind }) => kind)).to.deep.equal(['second-factor-added', 'recovery-codes-renewed'])
    const other = app.browser()
    await app.enterPassword(other)
    isLost = true
    expect((await app.enterCode(other, app.nextCode(secret))).location).to.equal(INSIDE)
    isLost = true
    await app.send(other, 'second-factor/remove', {})
    expect(app.mails.at(-1)?.kind).to.equal('second-factor-removed')
    expect(isLost).to.equal(false)
  })

  it('MFA-07: its owner reads that it was taken away also if they add another one first', async () => {
    const app = openSecondFactorApp({ url: 'http://app.example' })
    const { browser, userId } = await app.withFactor()
    await app.operate('resetSecondFactor', { userId, after: 600 })
    app.clock.advance(610)
    app.mails.length = 0
    expect((await app.addFactor(browser)).codes).to.have.lengthOf(10)
    expect(app.mails.map(({ kind }) => kind)).to.deep.equal(['second-factor-removed', 'second-factor-added'])
  })

  it('MFA-07: the time to do without one does not begin anew where it is taken away at the moment of another change', async () => {
    const store = memoryAdapter()
    let isRaced = false
    const adapter: typeof store = {
      ...store,
      async updateRecord(record) {
        const found = isRaced && record.kind === 'second-factor' && (await store.getRecord(record.kind, record.key))
        isRaced = false
        if (found) await store.updateRecord({ ...found, version: found.version + 1 })
        return store.updateRecord(record)
      },
    }
    const app = openSecondFactorApp(
      { url: 'http://app.example', secondFactor: { required: true, gracePeriod: 3600 } },
      { adapter },
    )
    const { userId } = await app.withFactor()
    app.clock.advance(4000)
    isRaced = true
    await app.operate('resetSecondFactor', { userId })
    expect((await app.enterPassword(app.browser())).location).to.include('/auth/second-factor/add?')
  })

  it('is entered once by a page that is sent twice, which leads on where the first one did', async () => {
    const failed: string[] = []
    const app = openSecondFactorApp({ events: { security: ({ type }) => void failed.push(type) } })
    const { secret } = await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    const code = app.nextCode(secret)
    const tab = browser.copy()
    const enter = (visitor: TestBrowser) => app.enterCode(visitor, code, { callbackUrl: '/inside' })
    const answers = await Promise.all([enter(browser), enter(tab)])
    expect(answers.map(({ status }) => status)).to.deep.equal([302, 302])
    expect(failed).to.not.include('second-factor-failed')
    const entered = (await whoIs(browser)) === ADA ? browser : tab
    for (const { location } of answers) expect((await app.follow(entered, location)).at.pathname).to.equal('/inside')
  })

  it('leads on as well where the second request comes after the first, and says after a minute that it has ended', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    const tab = browser.copy()
    const enter = (visitor: TestBrowser) => app.enterCode(visitor, app.nextCode(secret), { callbackUrl: '/inside' })
    expect((await enter(browser)).status).to.equal(302)
    const { location } = await enter(tab)
    expect((await app.follow(browser, location)).at.pathname).to.equal('/inside')
    app.clock.advance(61)
    const later = await app.follow(browser, location)
    expect(later.at.pathname).to.equal('/auth/signin')
    expect(later.body).to.include('took too long')
  })

  it('is entered with the last try, also by a page that is sent twice', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    for (let turn = 0; turn < 4; turn += 1) await app.enterCode(browser, '000000')
    const code = app.nextCode(secret)
    const tab = browser.copy()
    const enter = (visitor: TestBrowser) => app.enterCode(visitor, code, { callbackUrl: '/inside' })
    const answers = await Promise.all([enter(browser), enter(tab)])
    const inside = await Promise.all([browser, tab].map(whoIs))
    expect(inside).to.include(ADA)
    for (const { location } of answers)
      expect((await app.follow(inside[0] === ADA ? browser : tab, location)).at.pathname).to.equal('/inside')
  })

  it('saves a new password once with a code that is sent twice, and does not say that it has not', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const browser = app.browser()
    await app.choosePassword(browser)
    const tab = browser.copy()
    const code = app.nextCode(secret)
    const enter = (visitor: TestBrowser) => app.enterCode(visitor, code, { chosen: '1', callbackUrl: '/inside' })
    await enter(browser)
    const { location } = await enter(tab)
    expect(location).to.include('PasswordNotSaved')
    expect((await app.follow(browser, location)).at.pathname).to.equal('/inside')
    expect((await app.enterPassword(app.browser(), ADA, PAGE, NEW_PASSWORD)).location).to.equal(ASKED)
  })

  it('is changed only by a session that has shown it, however recent the session is', async () => {
    const app = openSecondFactorApp()
    const ada = await app.signedIn()
    const userId = (await app.idOf(ADA)) ?? ''
    const factors = (await app.engine.config.services.get(SECOND_FACTORS)?.())?.factors
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
    await factors?.add(userId, { secret, step: factors.stepOf(secret, app.nextCode(secret)) ?? 0 }, 0)
    for (const path of ['add', 'codes', 'remove']) {
      expect((await app.send(ada, `second-factor/${path}`, {}, PAGE)).location, path).to.include('RecentSignInRequired')
    }
    expect((await app.enterCode(ada, app.nextCode(secret))).status).to.equal(302)
    expect((await ada.get('/auth/second-factor/remove', PAGE)).status).to.equal(200)
  })

  it('leads somebody new to the page for new users, and a browser is trusted once', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: true }, pages: { newUser: '/welcome' } })
    const browser = app.browser()
    await app.send(browser, 'signin/email', { email: ADA, callbackUrl: '/inside' })
    await browser.get(app.last('sign-in-link')?.path ?? '')
    const { secret, sealed } = await app.offerTo(browser)
    const page = await app.send(browser, 'second-factor/add', { secret: sealed, code: app.nextCode(secret) }, PAGE)
    expect(page.body).to.include('/welcome?callbackUrl=')
    const userId = (await app.idOf(ADA)) ?? ''
    for (let turn = 0; turn < 2; turn += 1) {
      await app.send(browser, 'signin/email', { email: ADA })
      await browser.get(app.last('sign-in-link')?.path ?? '')
      await app.enterCode(browser, app.nextCode(secret), { trust: 'on' })
    }
    expect(await app.adapter.listRecordsByOwner?.('trusted-browser', userId)).to.have.lengthOf(1)
  })
})

const CODES = 'http://app.example/auth/second-factor/codes?callbackUrl=http%3A%2F%2Fapp.example%2Finside'

describe('the page on which an authenticator app is added', () => {
  const secretIn = (body: string) => /secret=([A-Z2-7]{32})/.exec(body)?.[1] ?? ''

  it('shows the same when it is loaded again, in this browser and for this user, for a quarter of an hour', async () => {
    const app = openSecondFactorApp()
    const [ada, other, eve] = [await app.signedIn(), await app.signedIn(), await app.signedIn(EVE)]
    const shown = async (browser: TestBrowser) => secretIn((await browser.get('/auth/second-factor/add', PAGE)).body)
    const secret = await shown(ada)
    expect(secret).to.not.equal('')
    expect(await shown(ada)).to.equal(secret)
    const wrong = await app.send(ada, 'second-factor/add', { secret: (await app.offerTo(ada)).sealed, code: '1' }, PAGE)
    expect(secretIn(wrong.body)).to.equal(secret)
    expect(await shown(other)).to.not.equal(secret)
    expect(await shown(eve)).to.not.equal(secret)
    app.clock.advance(899)
    expect(await shown(ada)).to.equal(secret)
    app.clock.advance(20)
    await app.send(ada, 'signin/email', { email: ADA })
    await ada.get(app.last('sign-in-link')?.path ?? '')
    expect(await shown(ada)).to.not.equal(secret)
  })

  it('never shows the secret of an app that was added and removed', async () => {
    const app = openSecondFactorApp()
    const ada = await app.signedIn()
    const { secret } = await app.addFactor(ada)
    await app.send(ada, 'second-factor/remove', {}, PAGE)
    expect((await app.offerTo(ada)).secret).to.not.equal(secret)
  })

  it('leads home whom a guard has sent, since back is the guard again, and to the sign-in whoever is not in yet', async () => {
    const app = openSecondFactorApp()
    const ada = await app.signedIn()
    const own = await ada.get('/auth/second-factor/add?callbackUrl=/settings', PAGE)
    expect(own.body).to.match(/href="http:\/\/app.example\/settings">Go back/)
    const { location } = await ada.get('/auth/second-factor?callbackUrl=/vault', PAGE)
    const led = await ada.get(location?.slice(app.origin.length) ?? '', PAGE)
    expect(led.body).to.not.include('Go back')
    expect(led.body).to.include('Go to the home page')
    const [, action = ''] = /action="([^"]*second-factor[^"]*)"/.exec(led.body) ?? []
    const again = await app.send(ada, action.split('/auth/')[1] ?? '', { callbackUrl: '/vault' }, PAGE)
    expect(again.status).to.equal(422)
    expect(again.body).to.not.include('Go back')
    const must = openSecondFactorApp({ secondFactor: { required: true } })
    const page = await (await must.signedIn()).get('/auth/second-factor/add', PAGE)
    expect(page.body).to.not.include('Go back')
    expect(page.body).to.include('/auth/signin')
    // Whoever must have one reads why, and nobody else.
    const why = 'you need two-step verification'
    const reads = [own, led, again, page].map(({ body }) => visibleText(body).includes(why))
    expect(reads).to.deep.equal([false, true, true, true])
  })

  it('leads on if it is sent again once the app was added, also by the sign-in that had to', async () => {
    const app = openSecondFactorApp()
    const ada = await app.signedIn()
    const fields = async (browser: TestBrowser) => {
      const { secret, sealed } = await app.offerTo(browser)
      const csrfToken = await browser.csrfToken()
      return { csrfToken, secret: sealed, code: app.nextCode(secret), callbackUrl: '/inside' }
    }
    const sent = await fields(ada)
    expect((await ada.post('/auth/second-factor/add', sent, PAGE)).body).to.include('recovery codes')
    const twice = await ada.post('/auth/second-factor/add', sent, PAGE)
    expect(twice.body).to.include(`class="primary" href="${INSIDE}"`).and.include(`href="${CODES}"`)
    const must = openSecondFactorApp({ secondFactor: { required: true } })
    const eve = await must.signedIn(EVE)
    const { secret, sealed } = await must.offerTo(eve)
    const forced = {
      csrfToken: await eve.csrfToken(),
      secret: sealed,
      code: must.nextCode(secret),
      callbackUrl: '/inside',
    }
    expect((await eve.post('/auth/second-factor/add', forced, PAGE)).body).to.include('recovery codes')
    const again = await eve.post('/auth/second-factor/add', forced, PAGE)
    expect(again.body).to.include(`href="${INSIDE}"`)
  })

  it('is offered again, and not said to be added, if a code of the former one was used meanwhile', async () => {
    const app = openSecondFactorApp()
    const { browser, secret } = await app.withFactor()
    const offer = await app.offerTo(browser)
    const other = app.browser()
    await app.enterPassword(other)
    await app.enterCode(other, app.nextCode(secret))
    const answer = await app.send(
      browser,
      'second-factor/add',
      { secret: offer.sealed, code: app.nextCode(offer.secret), callbackUrl: '/inside' },
      PAGE,
    )
    expect(answer.status).to.equal(422)
    expect(answer.body).to.include('name="code"')
  })

  it('says that an app takes the place of another one, and the account page how few recovery codes are left', async () => {
    const app = openSecondFactorApp()
    const { browser, codes, secret } = await app.withFactor()
    const page = await browser.get('/auth/second-factor/add', PAGE)
    expect(visibleText(page.body)).to.include('Set up another authenticator app').and.include('will then stop working')
    const marks = async () => {
      const { body } = await browser.get('/auth/account', PAGE)
      const part = body.split('id="part-secondFactor"')[1]?.split('</section>')[0] ?? ''
      expect(part.match(/codes left/g)).to.have.lengthOf(1)
      expect(part).to.include('Set up another authenticator app')
      return [...part.matchAll(/class="tag">([^<]*)</g)].map(([, mark]) => mark)
    }
    for (const code of codes.slice(0, 8)) expect((await app.enterCode(browser, code)).status).to.equal(302)
    expect(await marks()).to.deep.equal([])
    expect((await app.enterCode(browser, codes[8] ?? '')).status).to.equal(302)
    expect(await marks()).to.deep.equal(['Recovery codes left: 1'])
    expect((await app.enterCode(browser, codes[9] ?? '')).status).to.equal(302)
    expect(await marks()).to.deep.equal(['Recovery codes left: 0'])
    expect((await app.enterCode(browser, app.nextCode(secret))).status).to.equal(302)
  })
})

describe('guesses at a second factor', () => {
  it('MFA-07 are told to the owner, since whoever enters the codes has signed in so far', async () => {
    const app = openSecondFactorApp()
    await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    const told = () => app.mails.filter(({ kind }) => kind === 'second-factor-guessed').length
    for (const count of [0, 0, 1, 1, 1, 1]) {
      await app.enterCode(browser, '000000')
      expect(told()).to.equal(count)
    }
    expect(app.mails.at(-1)?.text).to.include('They may know your password')
  })

  it('MFA-07 are told over several sign-ins as well, and in a session, since the last right one', async () => {
    const app = openSecondFactorApp()
    const { browser: own, secret, userId } = await app.withFactor()
    const told = () => app.mails.filter(({ kind }) => kind === 'second-factor-guessed').length
    const guessTwice = async () => {
      const browser = app.browser()
      await app.enterPassword(browser)
      for (let turn = 0; turn < 2; turn += 1) await app.enterCode(browser, '000000')
      return browser
    }
    const first = await guessTwice()
    expect((await app.enterCode(first, app.nextCode(secret))).location).to.equal(INSIDE)
    await guessTwice()
    expect(told(), 'two since the right one').to.equal(0)
    await guessTwice()
    expect(told()).to.equal(1)
    for (const count of [1, 1, 1, 2, 2]) {
      await app.enterCode(own, '000000')
      expect(told(), 'in a session').to.equal(count)
    }
    const { factors } = (await app.engine.config.services.get(SECOND_FACTORS)?.()) ?? expect.fail('none')
    const counts: number[] = []
    for (let turn = 0; turn < 110; turn += 1) counts.push(await factors.countWrong(userId))
    const anew = counts.indexOf(1)
    expect(counts.slice(anew - 2, anew + 3), 'after a hundred').to.deep.equal([100, 101, 1, 2, 3])
    await app.send(own, 'second-factor/remove', {}, PAGE)
    expect(await app.adapter.listRecordsByOwner?.('second-factor-wrong', userId)).to.deep.equal([])
  })

  it("RATE-05 are not a stranger's wrong passwords, and right codes are none", async () => {
    const app = openSecondFactorApp({ limits: {} })
    const { secret, browser: own } = await app.withFactor()
    for (let turn = 0; turn < 12; turn += 1) {
      const stranger = app.browser()
      stranger.address = `203.0.113.${turn}`
      await app.send(stranger, 'callback/password', { email: ADA, password: 'wrong' }, PAGE)
    }
    const phone = await app.signedIn()
    expect((await app.enterCode(phone, app.nextCode(secret))).status).to.equal(302)
    // In a session, and at sign-ins, more often than one may guess.
    for (let turn = 0; turn < 14; turn += 1) {
      expect((await app.enterCode(own, app.nextCode(secret))).status, `step-up ${turn}`).to.equal(302)
    }
  })

  it('RATE-02 are no failures in a row once the right one has followed in a session', async () => {
    const app = openSecondFactorApp({ limits: {} })
    const { secret, browser } = await app.withFactor()
    for (let hour = 0; hour < 210; hour += 1) {
      app.clock.advance(3600)
      await app.enterCode(browser, '000000')
      expect((await app.enterCode(browser, app.nextCode(secret))).status, `after ${hour} hours`).to.equal(302)
    }
  })

  it('RATE-01 leave whoever is refused for them a recovery code, which nobody can guess, the page to wait at, and a sign-in anew', async () => {
    const app = openSecondFactorApp({ limits: {} })
    const { codes, browser: own } = await app.withFactor()
    const visitor = app.browser()
    visitor.address = '203.0.113.7'
    const guess = async (browser: TestBrowser, code = '000000') => {
      let answer = await app.enterCode(browser, code, { callbackUrl: '/inside' })
      for (let turn = 0; turn < 30 && answer.status !== 429; turn += 1) {
        if (browser === visitor) await app.enterPassword(browser)
        answer = await app.enterCode(browser, code, { callbackUrl: '/inside' })
      }
      expect(answer.status).to.equal(429)
      return [...answer.body.matchAll(/<a class="(?:primary|secondary)" href="([^"]+)">([^<]+)/g)].map(
        ([, url = '', text]) => [text, url.replaceAll('&amp;', '&')] as const,
      )
    }
    const ways = new Map(await guess(visitor))
    expect([...ways.keys()]).to.deep.equal(['Use a recovery code', 'Go back', 'Go to sign-in'])
    expect(ways.get('Go back')).to.equal(ASKED)
    expect((await app.follow(visitor, ASKED)).body).to.include('name="code"')
    expect((await app.follow(visitor, ways.get('Go to sign-in') ?? '')).at.searchParams.get('callbackUrl')).to.equal(
      INSIDE,
    )
    expect((await app.follow(visitor, ways.get('Use a recovery code') ?? '')).body).to.include('Recovery code')
    expect((await app.enterCode(visitor, codes[0] ?? '')).location).to.equal(INSIDE)
    own.address = '203.0.113.8'
    expect(
      (await guess(own)).map(([text]) => text),
      'in a session',
    ).to.deep.equal(['Use a recovery code', 'Go back'])
  })

  it('RATE-01 are counted for the account, over several sign-ins, and not for a browser that it knows', async () => {
    const app = openSecondFactorApp({ limits: {} })
    const { secret, browser: own } = await app.withFactor()
    const answers: number[] = []
    for (let turn = 0; turn < 6; turn += 1) {
      const browser = app.browser()
      browser.address = `203.0.113.${turn}`
      const first = await app.enterPassword(browser)
      answers.push(first.status)
      for (let tries = 0; tries < 4; tries += 1) answers.push((await app.enterCode(browser, '000000')).status)
    }
    expect(answers).to.include(429)
    expect(answers.filter((status) => status === 422).length).to.be.below(11)
    // The owner is not locked out.
    await own.signOut()
    await app.enterPassword(own)
    expect((await app.enterCode(own, app.nextCode(secret))).location).to.equal(INSIDE)
  })
})

describe('whoever knows a password and enters wrong codes', () => {
  /** Somebody whose codes a stranger with the password has closed. */
  async function withStranger() {
    const app = openSecondFactorApp({ limits: {} })
    const { secret, codes } = await app.withFactor()
    let networks = 0
    const elsewhere = () => {
      networks += 1
      return Object.assign(app.browser(), { address: `203.0.${networks % 250}.7` })
    }
    const guess = async (code: () => string, times: number) => {
      const browser = elsewhere()
      await app.enterPassword(browser)
      const statuses: number[] = []
      for (let tries = 0; tries < times; tries += 1) statuses.push((await app.enterCode(browser, code())).status)
      return statuses
    }
    /** With the password, in a browser that nobody knows. */
    const enter = async (code: string) => {
      const browser = elsewhere()
      await app.enterPassword(browser)
      return app.enterCode(browser, code)
    }
    for (let turn = 0; turn < 3; turn += 1) await guess(() => '000000', 5)
    expect((await enter(app.nextCode(secret))).status).to.equal(429)
    return { ...app, secret, codes, elsewhere, guess, enter }
  }

  it('RATE-05 keeps nobody out who has a recovery code, which opens it for the app as well', async () => {
    const app = await withStranger()
    expect((await app.enter(app.codes[0] ?? '')).location).to.equal(INSIDE)
    expect((await app.enter(app.nextCode(app.secret))).location).to.equal(INSIDE)
  })

  it('RATE-05 keeps nobody out who has a recovery code and a browser that is known, in a network full of strangers', async () => {
    const app = openSecondFactorApp({ limits: {} })
    const { browser: own, codes } = await app.withFactor()
    await own.signOut()
    await app.enterPassword(own)
    own.address = '203.0.113.9'
    for (let turn = 0; turn < 110; turn += 1) {
      const stranger = Object.assign(app.browser(), { address: '203.0.113.8' })
      await stranger.post('/auth/second-factor', { code: '000000' })
    }
    expect((await app.enterCode(own, codes[0] ?? '')).location).to.equal(INSIDE)
  })

  it('RATE-05 keeps nobody out who reads a mail to sign in', async () => {
    const app = await withStranger()
    const phone = await app.signedIn()
    expect(await whoIs(phone)).to.equal(null)
    await app.enterCode(phone, app.nextCode(app.secret))
    expect(await whoIs(phone)).to.equal(ADA)
    expect((await app.enter(app.nextCode(app.secret))).location, 'with the password again').to.equal(INSIDE)
  })

  it('RATE-05 keeps nobody out who chooses another password by mail', async () => {
    const app = await withStranger()
    const phone = app.elsewhere()
    await app.choosePassword(phone)
    expect((await app.enterCode(phone, app.nextCode(app.secret))).status).to.equal(302)
    expect(await whoIs(phone)).to.equal(ADA)
  })

  it('RATE-01 finds no recovery code, and an app code is one however it is written', async () => {
    const app = await withStranger()
    const mails = app.mails.length
    for (let turn = 0; turn < 4; turn += 1) {
      const wrong = await app.guess(() => 'ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ', 5)
      expect(wrong, 'as often as a sign-in may be answered').to.deep.equal([422, 422, 422, 422, 302])
    }
    expect(app.mails.length, 'mails of what nobody can find').to.equal(mails)
    for (const spelling of [
      '0 0 0 0 0 0',
      '000-000\u200b\u200b\u200b',
      `${' '.repeat(90)}000000`,
      '０００００００'.slice(1),
    ])
      expect(await app.guess(() => spelling, 1), spelling).to.deep.equal([429])
  })
})

describe('whoever enters codes that are written otherwise, or belong to a similar address', () => {
  it('RATE-01 is counted with digits of every script, of which none becomes another code', async () => {
    const app = openSecondFactorApp({ limits: {} })
    const { secret } = await app.withFactor()
    const code = app.nextCode(secret)
    // The digits of Ol Onal begin at U+1E5F1, those of Myanmar Extended-C at U+116DA.
    const inRow = (zero: number, digits: string) =>
      digits.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)))
    const statuses: number[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      const browser = Object.assign(app.browser(), { address: `203.0.${turn}.7` })
      await app.enterPassword(browser)
      for (const zero of [0x1e5f1, 0x116da, 0x1e5f1, 0x116da])
        statuses.push((await app.enterCode(browser, inRow(zero, code))).status)
      expect(await whoIs(browser)).to.equal(null)
    }
    expect(statuses).to.include(429)
  })

  it('RATE-05 closes nobody else out, however alike the addresses are', async () => {
    const app = openSecondFactorApp({ limits: {} })
    const { secret } = await app.withFactor()
    const twin = 'âda@example.com'
    await app.withFactor(twin)
    for (let turn = 0; turn < 4; turn += 1) {
      const browser = Object.assign(app.browser(), { address: `203.0.${turn}.7` })
      await app.enterPassword(browser, twin)
      for (let tries = 0; tries < 4; tries += 1) await app.enterCode(browser, '000000')
    }
    const own = Object.assign(app.browser(), { address: '203.0.99.7' })
    await app.enterPassword(own)
    expect((await app.enterCode(own, app.nextCode(secret))).location).to.equal(INSIDE)
  })
})

describe('somebody with a second factor who signs in with another address than the main one', () => {
  it('RATE-05 comes in with a browser that is known, whatever strangers have tried', async () => {
    const app = openSecondFactorApp({ limits: {}, maxAddresses: 3 })
    const { browser, secret } = await app.withFactor()
    await app.confirm(await app.tokenFor(browser, NEW))
    const own = Object.assign(app.browser(), { address: '203.0.113.7' })
    await app.enterPassword(own, NEW)
    await app.enterCode(own, app.nextCode(secret))
    expect(await whoIs(own)).to.equal(ADA)
    await own.signOut()
    for (let index = 0; index < 12; index += 1) {
      const stranger = Object.assign(app.browser(), { address: `203.1.${index}.7` })
      await app.enterPassword(stranger, NEW, PAGE, 'a wrong and long password')
    }
    const other = Object.assign(app.browser(), { address: '203.2.0.7' })
    expect((await app.enterPassword(other, NEW)).status, 'elsewhere').to.equal(429)
    expect((await app.enterPassword(own, NEW)).location).to.equal(ASKED)
    await app.enterCode(own, app.nextCode(secret))
    expect((await app.enterPassword(other, NEW)).location, 'elsewhere, now').to.equal(ASKED)
  })
})

describe('a sign-in that waits in a browser in which somebody else is signed in', () => {
  it('RATE-01 gives no guesses at the password of whoever is signed in', async () => {
    const app = openSecondFactorApp({ limits: {} })
    const ada = await app.withPassword()
    const eve = await app.withFactor(EVE)
    let looked = 0
    for (let turn = 0; turn < 3; turn += 1) {
      const own = app.browser()
      await app.enterPassword(own, EVE)
      const thief = ada.copy()
      for (const [name, { value }] of own.jar) if (name.includes('held-sign-in')) thief.plant(name, value)
      for (let index = 0; index < 9; index += 1) {
        const guess = { password: `a wrong and long one ${turn} ${index}`, newPassword: NEW_PASSWORD }
        if ((await app.send(thief, 'password/change', guess)).status === 422) looked += 1
      }
      expect((await app.enterCode(own, app.nextCode(eve.secret))).location).to.equal(INSIDE)
    }
    expect(looked, 'ten of a browser that is known, and ten of strangers').to.equal(20)
  })
})

describe('somebody who signs up with a password where everybody must have a second factor', () => {
  it('adds one at once', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: true } })
    const browser = app.browser()
    const answer = await app.choosePassword(browser, 'new@example.com')
    expect(answer.location).to.include('/auth/second-factor/add')
    const { answer: added, secret } = await app.addFactor(browser)
    expect(added.status).to.equal(200)
    expect(await whoIs(browser)).to.equal('new@example.com')
    const later = app.browser()
    await app.enterPassword(later, 'new@example.com', PAGE, NEW_PASSWORD)
    expect((await app.enterCode(later, app.nextCode(secret))).location).to.equal(INSIDE)
  })

  it('can use the link again if they leave the page that adds it', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: true } })
    const left = app.browser()
    await app.choosePassword(left, 'new@example.com')
    const token = app.tokenIn(app.mails.at(-1)?.path)
    app.clock.advance(700)
    const browser = app.browser()
    await app.send(browser, 'password/choose', { token, newPassword: NEW_PASSWORD }, PAGE)
    const { secret } = await app.addFactor(browser)
    const later = app.browser()
    await app.enterPassword(later, 'new@example.com', PAGE, NEW_PASSWORD)
    expect((await app.enterCode(later, app.nextCode(secret))).location).to.equal(INSIDE)
    const again = await app.send(app.browser(), 'password/choose', { token, newPassword: PASSWORD }, PAGE)
    expect(again.status, 'it has chosen one').to.equal(400)
  })

  it('cannot use the link again once they were disabled', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: true }, session: { refreshUser: 0 } })
    const browser = app.browser()
    await app.choosePassword(browser, 'new@example.com')
    const token = app.tokenIn(app.mails.at(-1)?.path)
    const userId = String(await app.idOf('new@example.com'))
    const { disableUser, enableUser } = operatorOf(() => app.engine.config)
    await disableUser(userId)
    await enableUser(userId)
    const again = await app.send(browser, 'password/choose', { token, newPassword: NEW_PASSWORD }, PAGE)
    expect(again.status).to.equal(400)
  })

  it('chooses one password with a link that is open in two browsers', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: true } })
    const [first, second] = [app.browser(), app.browser()]
    await app.choosePassword(first, 'new@example.com')
    const token = app.tokenIn(app.mails.at(-1)?.path)
    const { secret, sealed } = await app.offerTo(first)
    await app.send(second, 'password/choose', { token, newPassword: PASSWORD }, PAGE)
    await app.addFactor(second)
    expect(await whoIs(second)).to.equal('new@example.com')
    await app.send(first, 'second-factor/add', { secret: sealed, code: app.nextCode(secret) }, PAGE)
    expect(await whoIs(first)).to.equal(null)
    const entered = await app.enterPassword(app.browser(), 'new@example.com')
    expect(entered.location).to.equal(ASKED)
    const other = await app.enterPassword(app.browser(), 'new@example.com', PAGE, NEW_PASSWORD)
    expect(other.location).to.include('error=CredentialsSignin')
  })

  it('can use the link of a reset again after wrong codes', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const browser = app.browser()
    await app.choosePassword(browser)
    const token = app.tokenIn(app.mails.at(-1)?.path)
    for (let tries = 0; tries < 5; tries += 1) await app.enterCode(browser, '000000')
    await app.send(browser, 'password/choose', { token, newPassword: NEW_PASSWORD }, PAGE)
    await app.enterCode(browser, app.nextCode(secret))
    expect((await app.enterPassword(app.browser(), ADA, PAGE, NEW_PASSWORD)).location).to.equal(ASKED)
  })

  it('adds one at once as well if they were stored before, and nobody had confirmed their address', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: true } })
    await app.adapter.createUser({ id: 'x', email: 'new@example.com', emailVerified: null })
    const browser = app.browser()
    const chosen = await app.choosePassword(browser, 'new@example.com')
    expect(chosen.location).to.include('/auth/second-factor/add')
    const { answer, secret } = await app.addFactor(browser)
    expect(answer.status).to.equal(200)
    const later = app.browser()
    await app.enterPassword(later, 'new@example.com', PAGE, NEW_PASSWORD)
    expect((await app.enterCode(later, app.nextCode(secret))).location).to.equal(INSIDE)
  })
})

describe('somebody with a second factor whose address the application has changed', () => {
  it('MFA-04 has the password that they choose by mail once they have shown the factor, and that of before till then', async () => {
    const app = openSecondFactorApp()
    const { userId, secret } = await app.withFactor()
    await app.adapter.updateUser({ id: userId, emailVerified: null })
    const browser = app.browser()
    const stateOf = async () => (await app.adapter.listRecordsByOwner?.('password', userId))?.[0]?.value
    const before = await stateOf()
    expect((await app.choosePassword(browser)).location).to.include('/auth/second-factor')
    expect(await stateOf()).to.equal(before)
    expect((await app.enterCode(browser, app.nextCode(secret))).status).to.equal(302)
    expect(await whoIs(browser)).to.equal(ADA)
    const later = app.browser()
    expect((await app.enterPassword(later)).location).to.include('error=')
    await app.enterPassword(later, ADA, PAGE, NEW_PASSWORD)
    expect(await whoIs(later)).to.equal(ADA)
  })
})

describe('a user whose sign-in has waited for a second factor', () => {
  it('is for the application the same as one whose sign-in has not', async () => {
    const seen: unknown[] = []
    const app = openSecondFactorApp({ events: { signIn: ({ user }) => void seen.push(user) } })
    const { secret } = await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    seen.length = 0
    await app.enterCode(browser, app.nextCode(secret))
    expect(seen).to.deep.equal([await app.adapter.getUserByEmail(ADA)])
  })

  it('MFA-05 is the one who is stored by then, and has no role that they have lost meanwhile', async () => {
    for (const how of ['password', 'link', 'new password']) {
      const seen: unknown[] = []
      const app = openSecondFactorApp({ events: { signIn: ({ user }) => void seen.push(user) } })
      const { secret, userId } = await app.withFactor()
      const changed = (role: string) => app.adapter.updateUser({ id: userId, role } as never)
      await changed('admin')
      const browser = how === 'link' ? await app.signedIn() : app.browser()
      if (how === 'password') await app.enterPassword(browser)
      else if (how === 'new password') await app.choosePassword(browser)
      await changed('reader')
      seen.length = 0
      await app.enterCode(browser, app.nextCode(secret))
      expect(seen, how).to.deep.equal([await app.adapter.getUser(userId)])
      expect(seen[0], how).to.have.property('role', 'reader')
    }
  })
})

describe('a password that was chosen, and waits for a second factor', () => {
  it('PWD-08 is not saved before the code, and the pages say so', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const browser = app.browser()
    const fails = async (enter: () => Promise<{ location: string | null }>) => {
      await app.choosePassword(browser)
      for (const page of ['/auth/second-factor', '/auth/second-factor?recovery'])
        expect(visibleText((await browser.get(page, PAGE)).body)).to.include('Only then is your new password saved.')
      const { body } = await app.follow(browser, (await enter()).location)
      expect(visibleText(body)).to.include('saved only with a right code').and.to.include('link in the mail')
    }
    await fails(async () => {
      for (let tries = 0; tries < 4; tries += 1) await app.enterCode(browser, '000000', { chosen: 'on' })
      return app.enterCode(browser, '000000', { chosen: 'on' })
    })
    await fails(async () => {
      app.clock.advance(601)
      return app.enterCode(browser, app.nextCode(secret), { chosen: 'on' })
    })
  })

  it('PWD-08 is not saved either before somebody new has added the app that they must have', async () => {
    const app = openSecondFactorApp({ secondFactor: { required: true } })
    const browser = app.browser()
    await app.choosePassword(browser, 'new@example.com')
    const { body } = await browser.get('/auth/second-factor/add', PAGE)
    expect(visibleText(body)).to.include('Only then is your new password saved.')
  })

  it('PWD-08 is not lost without a word to a sign-in that another tab of the browser begins', async () => {
    for (const isOver of [false, true]) {
      const app = openSecondFactorApp()
      const { secret } = await app.withFactor()
      const browser = app.browser()
      await app.choosePassword(browser)
      const page = await browser.get('/auth/second-factor', PAGE)
      const hidden = /name="chosen" value="([^"]+)"/.exec(page.body)?.[1] ?? expect.fail('no field')
      await app.enterPassword(browser)
      const { body } = await browser.get('/auth/second-factor', PAGE)
      expect(body).not.to.include('name="chosen"')
      if (isOver) await app.enterCode(browser, app.nextCode(secret))
      const answer = await app.enterCode(browser, app.nextCode(secret), { chosen: hidden })
      expect(answer.location).to.include('PasswordNotSaved')
    }
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const browser = app.browser()
    await app.choosePassword(browser)
    await app.enterCode(browser, app.nextCode(secret), { chosen: '1' })
    expect(await whoIs(browser)).to.equal(ADA)
  })

  const CHANGES: Record<
    string,
    (app: ReturnType<typeof openSecondFactorApp>, ada: { browser: TestBrowser; userId: string }) => Promise<unknown>
  > = {
    'they have changed it': (app, { browser }) =>
      app.send(browser, 'password/change', {
        password: PASSWORD,
        newPassword: 'nine quiet windows facing the harbour',
      }),
    'they have removed it': (app, { browser }) => app.send(browser, 'password/remove', {}),
    'they have another address': async (app, { browser }) => app.confirm(await app.tokenFor(browser, NEW)),
    'the application has set one': (app, { userId }) =>
      setPassword(app.engine.config, { userId, password: 'nine quiet windows facing the harbour' }),
    'they were disabled': async (app, { userId }) => {
      const { disableUser, enableUser } = operatorOf(() => app.engine.config)
      await disableUser(userId)
      await enableUser(userId)
    },
  }
  for (const [what, change] of Object.entries(CHANGES))
    it(`PWD-08 is not stored any more, and its link is over, if ${what} meanwhile`, async () => {
      const app = openSecondFactorApp({ session: { strategy: 'database', refreshUser: 0 } })
      const ada = await app.withFactor()
      const browser = app.browser()
      await app.choosePassword(browser)
      const token = app.tokenIn(app.mails.at(-1)?.path)
      await change(app, ada)
      await app.enterCode(browser, app.nextCode(ada.secret))
      expect(await whoIs(browser)).to.equal(null)
      const again = await app.send(app.browser(), 'password/choose', { token, newPassword: NEW_PASSWORD })
      expect(again.status).to.equal(400)
      for (const email of [ADA, NEW]) {
        const entered = await app.enterPassword(app.browser(), email, PAGE, NEW_PASSWORD)
        expect(entered.location, email).to.include('error=CredentialsSignin')
      }
    })
})

describe('whoever signs in with a second factor that its owner replaces at that moment', () => {
  for (const [strategy, name] of [
    ['database', 'createSession'],
    ['jwt', 'createTokenSession'],
  ] as const)
    it(`MFA-07 is not in, with ${strategy} sessions`, async () => {
      const adapter = memoryAdapter()
      const session = strategy === 'jwt' ? { strategy, revocation: { store: adapter, checkEvery: 0 } } : { strategy }
      const app = openSecondFactorApp({ session }, { adapter })
      const { browser: owner, secret } = await app.withFactor()
      const thief = app.browser()
      await app.enterPassword(thief)
      const code = app.nextCode(secret)
      const store = adapter[name] as (row: never) => unknown
      let replaced: number | null = null
      Object.assign(adapter, {
        async [name](row: never) {
          Object.assign(adapter, { [name]: store })
          replaced = (await app.addFactor(owner)).answer.status
          return store(row)
        },
      })
      const { location } = await app.enterCode(thief, code)
      expect(replaced).to.equal(200)
      expect(location).to.include('error=')
      expect([await whoIs(thief), await whoIs(owner)]).to.deep.equal([null, ADA])
    })
})

describe('records of a second factor', () => {
  /** Somebody who can write into the store, but has no secret, puts the value of one record in the place of another one. */
  async function copyValue(app: ReturnType<typeof openSecondFactorApp>, kind: string, from: string, to: string) {
    const [source] = (await app.adapter.listRecordsByOwner?.(kind, from)) ?? []
    const [target] = (await app.adapter.listRecordsByOwner?.(kind, to)) ?? []
    if (!source || !target) throw new Error(`no ${kind}`)
    const version = target.version + 1
    expect(await app.adapter.updateRecord?.({ ...target, owner: from, value: source.value, version })).to.equal(true)
  }

  it('count for nobody in the place of another one: a trusted browser, a sign-in that waits', async () => {
    const app = openSecondFactorApp()
    const ada = await app.withFactor()
    const eve = await app.withFactor(EVE)
    const trusting = async (email: string, secret: string) => {
      const browser = app.browser()
      await app.enterPassword(browser, email)
      await app.enterCode(browser, app.nextCode(secret), { trust: 'on' })
      await browser.signOut()
      return browser
    }
    await trusting(ADA, ada.secret)
    const browser = await trusting(EVE, eve.secret)
    await copyValue(app, 'trusted-browser', ada.userId, eve.userId)
    expect((await app.enterPassword(browser, ADA)).location).to.equal(ASKED)
    const own = app.browser()
    await app.enterPassword(own, EVE)
    await copyValue(app, 'held-sign-in', ada.userId, eve.userId)
    expect((await app.enterCode(own, app.nextCode(ada.secret))).location).to.include('/auth/signin')
    expect(await whoIs(own)).to.equal(null)
  })

  it('LOGOUT-01 of a sign-in that waits end with a sign-out, so that a copy of the cookie is no use', async () => {
    const app = openSecondFactorApp()
    const { userId } = await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    expect(await app.adapter.listRecordsByOwner?.('held-sign-in', userId)).to.have.lengthOf(1)
    await browser.signOut()
    expect(await app.adapter.listRecordsByOwner?.('held-sign-in', userId)).to.deep.equal([])
  })

  it('are not stored for a user who is deleted at that moment, and nobody is told that they were', async () => {
    const adapter = memoryAdapter()
    const app = openSecondFactorApp({}, { adapter })
    const ada = await app.withPassword()
    const userId = (await app.idOf(ADA)) ?? ''
    const { secret, sealed } = await app.offerTo(ada)
    const passwords = (await app.engine.config.services.get(PASSWORDS)?.())?.passwords
    const version = (await passwords?.versionOf(userId)) ?? 0
    const { createRecord, updateRecord } = adapter
    const deleting =
      <Given extends unknown[]>(store: (...given: Given) => unknown) =>
      async (...given: Given) => {
        const isStored = await store(...given)
        await adapter.deleteUser?.(userId)
        return isStored as boolean
      }
    adapter.createRecord = deleting(createRecord as never)
    adapter.updateRecord = deleting(updateRecord as never)
    expect(await passwords?.replace(userId, `${PASSWORD} again`, version)).to.equal(false)
    const answer = await app.send(ada, 'second-factor/add', { secret: sealed, code: app.nextCode(secret) })
    expect(answer.json()).to.deep.equal({ message: 'Sign in first.' })
    expect(app.log.errors, 'no fault').to.deep.equal(app.log.infos)
    for (const kind of ['password', 'second-factor'])
      expect(await adapter.listRecordsByOwner?.(kind, userId), kind).to.deep.equal([])
  })
})

describe('MFA-04 a new password of somebody with a second factor', () => {
  type App = ReturnType<typeof openSecondFactorApp>
  /** Each chooses a password, with what a thief has who has not the second factor. */
  const WAYS: Record<string, (app: App, browser: TestBrowser) => Promise<unknown>> = {
    'by a mailed link': (app, browser) => app.choosePassword(browser),
    async 'after a temporary password'(app, browser) {
      const form = await app.enterPassword(browser)
      const token = /name="token" value="([^"]+)"/.exec(form.body)?.[1] ?? ''
      return app.send(browser, 'password/choose', { token, newPassword: NEW_PASSWORD }, PAGE)
    },
  }
  for (const [way, choose] of Object.entries(WAYS)) {
    it(`changes nothing before that is shown, and then ends all other sessions, ${way}`, async () => {
      const app = openSecondFactorApp()
      const { userId, secret } = await app.withFactor()
      const isTemporary = way !== 'by a mailed link'
      if (isTemporary) await setPassword(app.engine.config, { userId, password: PASSWORD, mustChange: true })
      const owner = await app.signedIn()
      await app.enterCode(owner, app.nextCode(secret), { trust: 'on' })
      const told = () => app.mails.filter(({ kind }) => kind === 'password-changed').length
      const isStored = async (password: string) => {
        const passwords = await app.engine.config.services.get(PASSWORDS)?.()
        return (await passwords?.passwords.check(userId, password))?.isRight
      }
      const thief = app.browser()
      await choose(app, thief)
      expect((await app.enterCode(thief, '000000')).status).to.equal(422)
      expect([await whoIs(thief), await isStored(PASSWORD), await isStored(NEW_PASSWORD)]).to.deep.equal([
        null,
        true,
        false,
      ])
      expect([await whoIs(owner), told()], 'the owner').to.deep.equal([ADA, 0])
      const again = app.browser()
      await choose(app, again)
      expect((await app.enterCode(again, app.nextCode(secret))).status).to.equal(302)
      expect([await whoIs(again), await isStored(PASSWORD), await isStored(NEW_PASSWORD)]).to.deep.equal([
        ADA,
        false,
        true,
      ])
      expect([await whoIs(owner), await whoIs(thief), told()]).to.deep.equal([null, null, 1])
      expect((await app.enterCode(thief, app.nextCode(secret))).location, 'what waited').to.include('/auth/signin')
    })
  }

  it('is stored for nobody in a trusted browser either before that is shown', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    await app.enterCode(browser, app.nextCode(secret), { trust: 'on' })
    await browser.signOut()
    await WAYS['by a mailed link']?.(app, browser)
    expect(await whoIs(browser)).to.equal(null)
    expect((await app.enterPassword(app.browser())).location).to.equal(ASKED)
  })
})
