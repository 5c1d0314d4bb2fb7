import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import Passkey from '../../lib/providers/passkey.js'
import { fakeOpenIdProvider, signInAs, virtualAuthenticator } from '../../lib/testing/index.js'
import { withoutSuggestions } from '../browser/authenticator.js'
import { type Running, startApp, testConfig } from '../support/app.js'
import { launchChromium, requireChromium } from '../support/chromium.js'

describe('tests of an application in Chromium, with Playwright', function () {
  this.timeout(120_000)
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let app: Running | undefined
  let origin: string

  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
  })
  after(() => browser?.close())
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    page.setDefaultTimeout(10_000)
  })
  afterEach(async () => {
    await context.close()
    await app?.close()
  })

  async function open(config: Parameters<typeof startApp>[0]) {
    app = await startApp(config, (routes) => {
      routes.get('/', (_req, res) => void res.type('html').send('<h1>The application</h1>'))
    })
    // WebAuthn has no relying party that is an IP address.
    origin = app.origin.replace('127.0.0.1', 'localhost')
  }

  const emailOf = async (): Promise<string | undefined> =>
    (await (await context.request.get(`${origin}/auth/session`)).json())?.user?.email

  it('signs in at the fake provider by its button', async () => {
    await using provider = await fakeOpenIdProvider({ user: { sub: 'ada', email: 'ada@example.com' } })
    await open(testConfig({ providers: [provider.entry({ name: 'Acme' })] }))
    await page.goto(`${origin}/auth/signin`)
    await page.getByRole('button', { name: 'Acme' }).click()
    await page.getByText('The application').waitFor()
    expect(await emailOf()).to.equal('ada@example.com')
  })

  it('shows the error when the person presses Cancel at the fake provider', async () => {
    await using provider = await fakeOpenIdProvider()
    await open(testConfig({ providers: [provider.entry({ name: 'Acme' })] }))
    provider.misbehave('access-denied')
    await page.goto(`${origin}/auth/signin`)
    await page.getByRole('button', { name: 'Acme' }).click()
    await page.getByText('That sign-in was cancelled').waitFor()
    expect(await emailOf()).to.equal(undefined)
  })

  it('takes the cookies of signInAs', async () => {
    const config = testConfig()
    await open(config)
    const ada = await signInAs(config, { email: 'ada@example.com' }, { origin })
    await context.addCookies([...ada.cookies])
    expect(await emailOf()).to.equal('ada@example.com')
  })

  describe('virtualAuthenticator', () => {
    const signUp = async (email: string) => {
      await page.goto(`${origin}/auth/signin`)
      await page.fill('[type=email]', email)
      await page.getByRole('button', { name: 'Create a passkey' }).click()
    }
    beforeEach(async () => {
      await open(testConfig({ adapter: memoryAdapter(), providers: [Passkey()] }))
      await withoutSuggestions(page)
    })

    it('signs up with a passkey, which it keeps until it forgets all', async () => {
      const authenticator = await virtualAuthenticator(page)
      await signUp('ada@example.com')
      await page.getByText('The application').waitFor()
      expect(await emailOf()).to.equal('ada@example.com')
      expect((await authenticator.passkeys()).map(({ rpId }) => rpId)).to.deep.equal(['localhost'])
      await authenticator.clear()
      expect(await authenticator.passkeys()).to.deep.equal([])
    })

    it('is somebody else while the test says so', async () => {
      const authenticator = await virtualAuthenticator(page, { userVerified: false })
      await signUp('ada@example.com')
      await page
        .getByText(/cancelled|timed out|not allowed/i)
        .first()
        .waitFor()
      expect(await authenticator.passkeys()).to.deep.equal([])
      await authenticator.setUserVerified(true)
      await signUp('ada@example.com')
      await page.getByText('The application').waitFor()
    })

    it('waits for somebody who is not there yet', async () => {
      const authenticator = await virtualAuthenticator(page)
      await authenticator.setUserPresent(false)
      await signUp('ada@example.com')
      await page.getByText('Waiting for your passkey…').waitFor()
      expect(await authenticator.passkeys()).to.deep.equal([])
      await authenticator.setUserPresent(true)
      await signUp('ada@example.com')
      await page.getByText('The application').waitFor()
    })

    it('is gone at the end of a block', async () => {
      {
        await using authenticator = await virtualAuthenticator(page)
        expect(await authenticator.passkeys()).to.deep.equal([])
      }
      await page.goto(origin)
      const hasOne = 'PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()'
      expect(await page.evaluate(hasOne)).to.equal(false)
    })
  })
})
