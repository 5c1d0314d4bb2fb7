import { encode } from '@auth/core/jwt'
import { expect } from 'chai'
import type { Provider } from '../../lib/index.js'
import { SECRET } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { Clock, openTestApp, SESSION, sessionCookies, type TestBrowser } from '../support/test-app.js'
import { forge } from '../support/tokens.js'

describe('TOK-01: the cookies of a transaction', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  const acme = (id: string) =>
    ({
      id,
      name: id,
      type: 'oidc',
      issuer: idp.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      checks: ['pkce', 'state', 'nonce'],
    }) as Provider
  const testApp = () => openTestApp({ providers: [acme('acme'), acme('other')] }, { clock: new Clock(Date.now()) })

  /** Begins a sign-in; gives the answer that the provider would send. */
  async function begin(browser: TestBrowser, provider = 'acme') {
    const { location } = await browser.post(`/auth/signin/${provider}`, { csrfToken: await browser.csrfToken() })
    return idp.authorize(location ?? '')
  }
  const checks = ({ jar }: TestBrowser) =>
    [...jar.keys()].filter((name) => /\.(state|code_verifier|nonce)\./.test(name))
  const isRefused = async (browser: TestBrowser, params: URLSearchParams, provider = 'acme') => {
    const answer = await browser.get(`/auth/callback/${provider}?${params}`)
    expect(browser.sessionNames()).to.deep.equal([])
    expect(answer.location).to.equal('http://app.example/auth/signin?error=OAuthCallbackError')
  }

  it('complete the transaction that set them', async () => {
    const browser = testApp().browser()
    const params = await begin(browser)
    expect(checks(browser)).to.have.length(3)
    expect((await browser.get(`/auth/callback/acme?${params}`)).location).to.equal('http://app.example')
    expect((await browser.session())?.user?.name).to.equal('Ada')
    expect(checks(browser)).to.deep.equal([])
  })

  it('are no session', async () => {
    const browser = testApp().browser()
    await begin(browser)
    for (const name of checks(browser)) {
      const thief = browser.copy()
      thief.plant(SESSION, browser.jar.get(name)?.value ?? '')
      expect(await thief.session(), name).to.equal(null)
    }
  })

  it('do not stand in for one another', async () => {
    const browser = testApp().browser()
    const params = await begin(browser)
    const [one = '', ...others] = checks(browser)
    for (const other of others) {
      const mixed = browser.copy()
      mixed.plant(one, browser.jar.get(other)?.value ?? '')
      await isRefused(mixed, params)
    }
  })

  it('cannot be replaced by a session token or by a cookie of Auth.js', async () => {
    const browser = testApp().browser()
    const params = await begin(browser)
    const value = params.get('state') ?? ''
    const impostors = [
      await forge({ value, provider: 'acme' }),
      await encode({ token: { value, provider: 'acme' }, secret: SECRET, salt: 'authjs.state' }),
      await encode({ token: { value, provider: 'acme' }, secret: SECRET, salt: 'authjs.pkce.code_verifier' }),
    ]
    for (const name of checks(browser))
      for (const impostor of impostors) {
        const mixed = browser.copy()
        mixed.plant(name, impostor)
        await isRefused(mixed, params)
      }
  })

  it('do not complete a transaction at another provider', async () => {
    const browser = testApp().browser()
    await isRefused(browser, await begin(browser, 'acme'), 'other')
  })

  it('are needed: another browser cannot complete the transaction', async () => {
    const { browser } = testApp()
    await isRefused(browser(), await begin(browser()))
  })

  it('TOK-07: start one session when fifty copies of the answer come at once', async () => {
    const browser = testApp().browser()
    const params = await begin(browser)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => browser.copy().get(`/auth/callback/acme?${params}`)),
    )
    expect(answers.filter((answer) => sessionCookies(answer).length > 0)).to.have.length(1)
  })
})
