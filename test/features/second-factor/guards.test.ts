import { expect } from 'chai'
import { guard } from '../../../lib/frameworks/web/guard.js'
import { NAVIGATION } from '../../support/guard.js'
import { visibleText } from '../../support/html.js'
import type { TestBrowser } from '../../support/test-app.js'
import { ADA, PAGE } from '../address/address-app.js'
import { ASKED, INSIDE, openSecondFactorApp, PASSWORD } from './second-factor-app.js'

describe('a guard that demands two factors', () => {
  const open = () => {
    const app = openSecondFactorApp({ url: 'http://app.example' })
    const at = async (browser: TestBrowser, rules: object = { factors: 2 }) => {
      const headers = { ...NAVIGATION, host: 'app.example', cookie: browser.cookieHeader() ?? '' }
      const request = new Request(INSIDE, { headers })
      const { response } = await guard({ engine: app.engine, request, facts: {}, foldsCase: false }, rules)
      return response === null ? null : response.headers.get('location')
    }
    return { ...app, at }
  }

  it('lets pass whoever has added one in this session, or has shown it to sign in', async () => {
    const app = open()
    const { browser, secret } = await app.withFactor()
    expect(await app.at(browser)).to.equal(null)
    const other = app.browser()
    await app.enterPassword(other)
    expect(await app.at(other), 'between the factors').to.include('/auth/signin?')
    await app.enterCode(other, app.nextCode(secret))
    expect(await app.at(other)).to.equal(null)
  })

  it('asks in a trusted browser, and leads back; an earlier copy of the cookie gains nothing', async () => {
    const app = open()
    const { secret } = await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    await app.enterCode(browser, app.nextCode(secret), { trust: 'on' })
    await browser.signOut()
    expect((await app.enterPassword(browser)).location, 'it is trusted').to.equal(INSIDE)
    const copy = browser.copy()
    app.clock.advance(600)
    const location = (await app.at(browser, { factors: 2, maxAuthAge: 300 })) ?? ''
    expect(location).to.equal(`http://app.example/auth/second-factor?callbackUrl=${encodeURIComponent(INSIDE)}`)
    expect((await browser.get(location.slice(app.origin.length), NAVIGATION)).status).to.equal(200)
    const wrong = await app.enterCode(browser, '000000', { callbackUrl: INSIDE })
    expect(wrong.status).to.equal(422)
    expect(await app.at(browser)).to.equal(location)
    const right = await app.enterCode(browser, app.nextCode(secret), { callbackUrl: INSIDE })
    expect(right.location).to.equal(INSIDE)
    expect(await app.at(browser, { maxAuthAge: 300 })).to.equal(null)
    expect(await app.at(copy), 'the earlier cookie').to.include('/auth/signin?')
    expect(await browser.current()).to.deep.include({ amr: ['otp', 'mfa'], auth_time: app.clock.seconds })
  })

  /** A trusted browser, in which the password was just entered. */
  const openTrusted = async () => {
    const app = open()
    const { secret, userId } = await app.withFactor()
    const browser = app.browser()
    await app.enterPassword(browser)
    await app.enterCode(browser, app.nextCode(secret), { trust: 'on' })
    await browser.signOut()
    expect((await app.enterPassword(browser)).location, 'it is trusted').to.equal(INSIDE)
    const enterAgain = (callbackUrl: string | null) =>
      app.send(browser, 'callback/password', { email: ADA, password: PASSWORD, callbackUrl: callbackUrl ?? '' }, PAGE)
    const follow = (url: string | null, visitor = browser) => app.follow(visitor, url)
    const recent = () => app.at(browser, { maxAuthAge: 300 })
    return { ...app, secret, userId, trusted: browser, enterAgain, follow, recent }
  }

  it('asks whoever has just entered the password in a trusted browser for the code alone, wherever a sign-in must be recent', async () => {
    const app = await openTrusted()
    expect(await app.recent()).to.equal(ASKED)
    for (const page of ['password/change', 'signin?error=RecentSignInRequired&callbackUrl=/inside'])
      expect((await app.trusted.get(`/auth/${page}`, PAGE)).location, page).to.include(
        '/auth/second-factor?callbackUrl=',
      )
    const { body } = await app.follow(await app.recent())
    expect(body).to.include('name="code"').and.not.to.include('name="trust"')
    await app.enterCode(app.trusted, app.nextCode(app.secret), { callbackUrl: INSIDE })
    expect(await app.recent()).to.equal(null)
    expect((await app.trusted.get('/auth/password/change', PAGE)).status).to.equal(200)
  })

  it('says whoever is signed in already what the code is for, and leads them back to where they were', async () => {
    const app = await openTrusted()
    const account = 'http://app.example/auth/account'
    for (const path of [`password/change?callbackUrl=${account}`, `second-factor?callbackUrl=${account}`]) {
      const { body } = await app.follow(`http://app.example/auth/${path}`)
      expect(visibleText(body), path).to.include('You are signed in. To be sure that it is you')
      expect(body, path).to.include(`href="${account}">Go back`)
    }
    const { body } = await app.follow(await app.recent())
    expect(visibleText(body)).to.include('You are signed in.').and.not.to.include('Go back')
    // A page of the application may have such a parameter too, for something else.
    const own = encodeURIComponent(`http://app.example/inside?callbackUrl=${account}`)
    const asked = await app.follow(`http://app.example/auth/second-factor?callbackUrl=${own}`)
    expect(visibleText(asked.body)).to.include('You are signed in.').and.not.to.include('Go back')
    const other = app.browser()
    await app.enterPassword(other)
    const { body: signingIn } = await app.follow(ASKED, other)
    expect(signingIn).to.not.include('You are signed in')
  })

  it('asks for both where the password was entered long ago, and does not offer again what the browser has', async () => {
    const app = await openTrusted()
    app.clock.advance(600)
    expect(await app.recent()).to.match(/\/auth\/signin\?.*error=RecentSignInRequired/)
    app.clock.advance(900)
    expect((await app.trusted.get('/auth/signin?error=RecentSignInRequired', PAGE)).status).to.equal(200)
    expect((await app.enterAgain(INSIDE)).location).to.equal(ASKED)
    const { body } = await app.follow(ASKED)
    expect(body).to.include('name="code"').and.not.to.include('name="trust"')
    expect((await app.enterCode(app.trusted, app.nextCode(app.secret))).location).to.equal(INSIDE)
    expect(await app.recent()).to.equal(null)
    await app.trusted.signOut()
    expect((await app.enterAgain(INSIDE)).location, 'it is trusted still').to.equal(INSIDE)
  })

  it('asks for more than a code whom a guard has sent that wants more than other pages', async () => {
    for (const [rules, seconds] of [
      [{ maxAuthAge: 300 }, 600],
      [{ acr: 'urn:example:gold' }, 0],
    ] as const) {
      const app = await openTrusted()
      app.clock.advance(seconds)
      const { at, body } = await app.follow(await app.at(app.trusted, rules))
      expect(at.pathname).to.equal('/auth/signin')
      expect(body).to.include('name="password"')
    }
  })

  it('MFA-07 gains a thief nothing who has the password and a trusted browser, however often they enter it', async () => {
    const app = await openTrusted()
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await app.enterCode(app.trusted, '000000', { callbackUrl: INSIDE })).status).to.equal(422)
      expect(await app.recent()).to.include('/auth/second-factor?')
      expect((await app.enterAgain(INSIDE)).location, 'in the session').to.equal(ASKED)
    }
    const evil = encodeURIComponent('https://evil.example/')
    const { location } = await app.trusted.get(`/auth/signin?error=RecentSignInRequired&callbackUrl=${evil}`, PAGE)
    expect(location).not.to.include('evil')
    await app.send(app.trusted, 'address', { email: 'thief@evil.example' }, PAGE)
    expect(app.mails.filter(({ to }) => to === 'thief@evil.example')).to.deep.equal([])
  })

  it('asks nobody in a trusted browser for a factor that is gone, and leads in no circle', async () => {
    const app = await openTrusted()
    await app.operate('resetSecondFactor', { userId: app.userId, after: 60 })
    app.clock.advance(120)
    const { at } = await app.follow(await app.recent())
    expect(at.pathname).to.equal('/auth/signin')
    expect((await app.enterAgain(at.searchParams.get('callbackUrl'))).location).to.equal(INSIDE)
    expect(await app.recent()).to.equal(null)
  })

  it('leads whoever has none to where one is added', async () => {
    const app = open()
    const ada = await app.signedIn()
    const location = (await app.at(ada)) ?? ''
    expect(location).to.include('/auth/second-factor?')
    const next = await ada.get(location.slice(app.origin.length), NAVIGATION)
    expect(next.location).to.include('/auth/second-factor/add')
    await app.addFactor(ada)
    expect(await app.at(ada)).to.equal(null)
  })

  it('does not lead in a circle whoever has none and must sign in again to add one', async () => {
    const app = open()
    const ada = await app.withPassword()
    app.clock.advance(3600)
    const follow = async (url: string | null) => ada.get((url ?? '').slice(app.origin.length), NAVIGATION)
    const add = (await follow(await app.at(ada))).location
    const signIn = (await follow(add)).location
    expect(signIn).to.include('/auth/signin?error=RecentSignInRequired')
    const waysOn = ({ body }: { body: string }) => [...body.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, url]) => url)
    expect(waysOn(await follow(signIn)), 'the sign-in page').not.to.include(INSIDE)
    const target = new URL(signIn ?? '').searchParams.get('callbackUrl') ?? ''
    const entered = await app.send(
      ada,
      'callback/password',
      { email: ADA, password: PASSWORD, callbackUrl: target },
      PAGE,
    )
    const page = await follow(entered.location)
    expect(visibleText(page.body)).to.include('authenticator app')
    expect(waysOn(page), 'the page that adds one').not.to.include(INSIDE)
    expect(page.body, 'and leads there afterwards').to.include(`value="${INSIDE}"`)
  })
})
