import { expect } from 'chai'
import { guard } from '../../../lib/frameworks/web/guard.js'
import { NAVIGATION } from '../../support/guard.js'
import { visibleText } from '../../support/html.js'
import type { TestBrowser } from '../../support/test-app.js'
import { ADA, PAGE } from '../address/address-app.js'
import { INSIDE, openSecondFactorApp, PASSWORD } from './second-factor-app.js'

describe('a guard that demands two factors', () => {
  const open = () => {
    const app = openSecondFactorApp()
    const at = async (browser: TestBrowser, more: object = {}) => {
      const headers = { ...NAVIGATION, host: 'app.example', cookie: browser.cookieHeader() ?? '' }
      const request = new Request(INSIDE, { headers })
      const { response } = await guard(
        { engine: app.engine, request, facts: {}, foldsCase: false },
        { factors: 2, ...more },
      )
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
    const location = (await app.at(browser, { maxAuthAge: 300 })) ?? ''
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
