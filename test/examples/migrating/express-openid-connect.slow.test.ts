import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium, requireChromium } from '../../support/chromium.js'
import { freePort } from '../../support/free-port.js'
import { type RealOidcProvider, startOidcProvider } from '../../support/oidc-provider.js'
import type { RunningExample } from '../../support/run-example.js'
import { complaintsOfCompiler, startApp } from './apps.js'

const NOTES = { name: 'Person ada', notes: ['The engine might compose music.'] }

describe('examples/migrating/express-openid-connect', function () {
  this.timeout(120_000)
  let origin: string
  let provider: RealOidcProvider
  let app: RunningExample
  let variables: Record<string, string>
  let browser: Browser
  let context: BrowserContext
  let page: Page
  /** How often the person was asked for a password. */
  let passwords = 0

  /** Goes to an address, and does what the provider asks for, as a person does. */
  async function open(path: string) {
    await page.goto(origin + path)
    for (let step = 0; step < 5 && page.url().startsWith(provider.issuer); step += 1) {
      const login = page.locator('input[name=login]')
      if ((await login.count()) > 0) {
        passwords += 1
        await login.fill('ada')
        await page.locator('input[name=password]').fill('any')
      }
      await page.locator('button[type=submit]').first().click()
      await page.waitForLoadState()
    }
  }
  const notes = async () => JSON.parse((await page.textContent('body')) ?? '')

  before(async function () {
    requireChromium.call(this)
    const port = await freePort()
    origin = `http://localhost:${port}`
    provider = await startOidcProvider({
      clients: [
        {
          client_id: 'client',
          client_secret: 'a secret of the client that is long enough',
          // The second address is the one of Latchkey: register it before the move.
          redirect_uris: [`${origin}/callback`, `${origin}/auth/callback/acme`],
          post_logout_redirect_uris: [origin, `${origin}/auth/signout/acme`],
        },
      ],
    })
    variables = {
      BASE_URL: origin,
      PORT: String(port),
      ISSUER_BASE_URL: provider.issuer,
      CLIENT_ID: 'client',
      CLIENT_SECRET: 'a secret of the client that is long enough',
      SECRET: 'a secret of the old application, which is long',
      AUTH_SECRET: 'a secret that is long enough for anything',
    }
    app = await startApp('express-openid-connect', 'before', variables)
    browser = await launchChromium()
    context = await browser.newContext()
    page = await context.newPage()
    await open('/notes')
    expect([await notes(), passwords]).to.deep.equal([NOTES, 1])
    await app.stop()
    app = await startApp('express-openid-connect', 'after', variables)
  })
  after(async () => {
    await browser?.close()
    await app?.stop()
    await provider?.stop()
  })

  it('compiles on both sides', () => {
    expect(complaintsOfCompiler('express-openid-connect')).to.equal('')
  })

  it('signs visitors in again without a question, as long as the provider knows them, and finds their data', async () => {
    const names = (await context.cookies(origin)).map(({ name }) => name)
    expect(names).to.include('appSession').and.not.to.include('authjs.session-token')
    await open('/notes')
    expect([await notes(), passwords]).to.deep.equal([NOTES, 1])
  })

  it('signs out at the provider, too', async () => {
    await page.goto(origin)
    await page.getByRole('button', { name: 'Sign out' }).click()
    // The provider asks whether to end its own session.
    await page.getByRole('button', { name: /yes/i }).click()
    await page.waitForURL(`${origin}/`)
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    await open('/notes')
    expect([await notes(), passwords]).to.deep.equal([NOTES, 2])
  })
})
