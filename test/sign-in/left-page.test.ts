import { expect } from 'chai'
import { ADA, PAGE } from '../features/address/address-app.js'
import { openSecondFactorApp, PASSWORD } from '../features/second-factor/second-factor-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { elements } from '../support/html.js'
import { newPerson, oauth, setProviderUser } from '../support/sign-ins.js'
import type { TestBrowser, TestResponse } from '../support/test-app.js'

const HOME = 'http://app.example'
const WANTED = `${HOME}/auth/password/change?callbackUrl=${encodeURIComponent(HOME)}`

/** Opens a page of the mount signed out, and gives the sign-in page to which that leads. */
async function turnedAway(browser: TestBrowser): Promise<TestResponse> {
  const { location } = await browser.get('/auth/password/change', PAGE)
  return browser.get((location ?? '').slice(HOME.length), PAGE)
}

const targetIn = ({ body }: TestResponse) =>
  elements(body, 'input')
    .find((input) => input.get('name') === 'callbackUrl')
    ?.get('value') ?? ''

describe('whoever opened a page of the mount signed out,', () => {
  it('and left it, comes back to it neither at a later sign-in nor from other pages', async () => {
    const app = openSecondFactorApp()
    await app.withPassword()
    const visitor = app.browser()
    await turnedAway(visitor)
    const other = await visitor.get('/auth/address', PAGE)
    expect(decodeURIComponent(other.location ?? ''), 'another page').not.to.include('password/change')
    await turnedAway(visitor)
    const later = await visitor.get('/auth/signin', PAGE)
    expect(targetIn(later)).to.equal(HOME)
    const entered = await app.send(visitor, 'callback/password', { email: ADA, password: PASSWORD }, PAGE)
    expect(entered.location, 'a form that names no target').to.equal(HOME)
  })

  it('and signed in there, is led on from it to no page of before', async () => {
    const app = openSecondFactorApp()
    await app.withPassword()
    const visitor = app.browser()
    const callbackUrl = targetIn(await turnedAway(visitor))
    expect(callbackUrl).to.equal(WANTED)
    const { location } = await app.send(
      visitor,
      'callback/password',
      { email: ADA, password: PASSWORD, callbackUrl },
      PAGE,
    )
    expect(location).to.equal(WANTED)
    for (const path of ['address', 'signout', 'signin', 'second-factor/add']) {
      const { body } = await visitor.get(`/auth/${path}`, PAGE)
      const links = elements(body, 'a').map((link) => link.get('href') ?? '')
      expect(decodeURIComponent(links.join()), path).not.to.include('password/change')
    }
  })

  it('comes back to it after a mailed link', async () => {
    const app = openSecondFactorApp()
    const visitor = app.browser()
    const callbackUrl = targetIn(await turnedAway(visitor))
    await app.send(visitor, 'signin/email', { email: ADA, callbackUrl }, PAGE)
    const { location } = await visitor.get(app.last('sign-in-link')?.path ?? '', PAGE)
    expect(location).to.equal(WANTED)
  })

  it('comes back to it after a second factor', async () => {
    const app = openSecondFactorApp()
    const { secret } = await app.withFactor()
    const visitor = app.browser()
    const callbackUrl = targetIn(await turnedAway(visitor))
    await app.send(visitor, 'callback/password', { email: ADA, password: PASSWORD, callbackUrl }, PAGE)
    expect((await app.enterCode(visitor, '000000')).status).to.equal(422)
    expect((await app.enterCode(visitor, app.nextCode(secret))).location).to.equal(WANTED)
  })

  it('comes back to it from a provider, also where a form names no target', async () => {
    const idp = await FakeProvider.start()
    try {
      const app = openSecondFactorApp({ providers: [oauth(idp)] })
      setProviderUser(idp, app.clock, newPerson())
      for (const names of [true, false]) {
        const visitor = app.browser()
        const callbackUrl = targetIn(await turnedAway(visitor))
        const sent = await app.send(visitor, 'signin/oidc', names ? { callbackUrl } : {}, PAGE)
        const back = await visitor.get(`/auth/callback/oidc?${idp.authorize(sent.location ?? '')}`, PAGE)
        expect(back.location, String(names)).to.equal(WANTED)
      }
    } finally {
      await idp.stop()
    }
  })
})
