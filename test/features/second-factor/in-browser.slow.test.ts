import { readFile } from 'node:fs/promises'
import axe from 'axe-core'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import Nodemailer from '../../../lib/providers/mail/nodemailer.js'
import Passkey from '../../../lib/providers/passkey.js'
import Password from '../../../lib/providers/password.js'
import { VirtualAuthenticator } from '../../browser/authenticator.js'
import { type Running, startApp, testConfig } from '../../support/app.js'
import { launchChromium, requireChromium } from '../../support/chromium.js'
import { type MailServer, startMailServer } from '../../support/smtp.js'
import { codeOf } from './second-factor-app.js'

const ADDRESS = 'ada@example.com'
const STEP_MS = 30_000

describe('a second factor in a browser', function () {
  this.timeout(120_000)
  let browser: Browser
  let server: MailServer
  let app: Running
  /** Passkeys need a name for the host. */
  let origin: string
  const contexts: BrowserContext[] = []

  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
    server = await startMailServer()
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })
  beforeEach(async () => {
    const providers = [Password(), Passkey(), Nodemailer({ server: server.url, from: 'no-reply@example.com' })]
    app = await startApp(testConfig({ providers, adapter: memoryAdapter(), secondFactor: true }))
    origin = app.origin.replace('127.0.0.1', 'localhost')
  })
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    await app.close()
  })

  /** Somebody follows a mailed link in a browser of their own, as far as that leads. */
  async function withLink(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext(options)
    contexts.push(context)
    return followLink(await context.newPage())
  }

  async function followLink(page: Page): Promise<Page> {
    await page.goto(`${origin}/auth/signin?callbackUrl=/auth/account`)
    await page.locator('input[type="email"]').first().fill(ADDRESS)
    await page
      .locator('form[action$="/signin/nodemailer"] button, button[formaction$="/signin/nodemailer"]')
      .first()
      .click()
    await page.getByText(ADDRESS).first().waitFor()
    await page.goto(/http:\S+\/callback\/\S+/.exec(server.delivered.at(-1)?.mail.text ?? '')?.[0] ?? '')
    return page
  }

  /** Adds an authenticator app from the account page. Gives its secret and the recovery codes. */
  async function addApp(page: Page, { hasPasskey = false } = {}) {
    await page.goto(`${origin}/auth/account`)
    await page.locator('a[href*="/second-factor/add"]').click()
    // It is shown before something else takes its place.
    if (hasPasskey) await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    const url = (await page.locator('a[href^="otpauth:"]').getAttribute('href')) ?? ''
    const secret = new URL(url).searchParams.get('secret') ?? ''
    await page.locator('input[name="code"]').fill(codeOf(secret, Date.now()))
    await page.keyboard.press('Enter')
    await page.locator('.codes').waitFor()
    return { secret, codes: await page.locator('.codes code').allTextContents() }
  }

  /** The browser of somebody who has a passkey and an app, and has signed out. */
  async function signedOutWithPasskey(): Promise<Page> {
    const page = await withLink()
    await VirtualAuthenticator.plugInto(page)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('A passkey was added.').waitFor()
    await addApp(page, { hasPasskey: true })
    await page.goto(`${origin}/auth/signout`)
    await page.getByRole('button').first().click()
    return page
  }

  it('shows recovery codes also to whoever clicks twice to add the app', async () => {
    const page = await withLink()
    await page.goto(`${origin}/auth/second-factor/add?callbackUrl=/auth/account`)
    const url = (await page.locator('a[href^="otpauth:"]').getAttribute('href')) ?? ''
    await page.locator('input[name="code"]').fill(codeOf(new URL(url).searchParams.get('secret') ?? '', Date.now()))
    await page.keyboard.press('Enter')
    await page.locator('.codes').waitFor()
    // The button of the page before may have been where this one is.
    const { x, y, width, height } = (await page.locator('.primary').boundingBox()) ?? expect.fail('no way on')
    await page.mouse.click(x + width / 2, y + height / 2)
    await page.waitForTimeout(500)
    expect(await page.locator('.codes code').count()).to.equal(10)
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.getByText('Recovery codes left: 10').waitFor()
  })

  it('is added, asked for, trusted and removed without a script, with the keyboard alone', async () => {
    const page = await withLink({ javaScriptEnabled: false })
    const { secret, codes } = await addApp(page)
    expect(codes).to.have.lengthOf(10)
    const saving = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Save as a file' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).to.equal('recovery-codes.txt')
    expect((await readFile(await saved.path(), 'utf8')).split('\r\n')).to.deep.equal([new URL(origin).host, ...codes])
    expect(await page.locator('.lead').innerText()).to.include(new URL(origin).host)
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.getByText('Recovery codes left: 10').waitFor()
    const phone = await withLink({ javaScriptEnabled: false })
    // The field has the focus.
    await phone.keyboard.type('000000')
    await phone.keyboard.press('Enter')
    await phone.getByRole('alert').waitFor()
    await phone.keyboard.type(codeOf(secret, Date.now() + STEP_MS))
    await phone.keyboard.press('Tab')
    await phone.keyboard.press('Space')
    await phone.keyboard.press('Enter')
    await phone.getByRole('heading', { name: 'Your account' }).waitFor()
    await phone.getByText('No code needed since').waitFor()
    const computer = await withLink({ javaScriptEnabled: false })
    await computer.getByRole('link', { name: 'Use a recovery code' }).click()
    await computer.getByLabel('Recovery code').waitFor()
    await computer.keyboard.type(codes[0]?.toLowerCase() ?? '')
    await computer.keyboard.press('Enter')
    await computer.getByText('Recovery codes left: 9').waitFor()
    await computer.getByRole('button', { name: 'Ask for a code again' }).click()
    expect(await computer.getByRole('status').first().textContent()).to.equal('A code is needed in that browser again.')
    await computer.locator('a[href*="/second-factor/remove"]').click()
    await computer.getByRole('button').first().click()
    await computer.getByText('Two-step verification was turned off').first().waitFor()
    const after = await withLink()
    await after.getByRole('heading', { name: 'Your account' }).waitFor()
  })

  it('is not asked for after a passkey with a check of the person', async () => {
    const page = await signedOutWithPasskey()
    // The browser offers the passkey, and the person takes it at once.
    await page.goto(`${origin}/auth/signin?callbackUrl=/auth/account`)
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  })

  it('is shown with a passkey on the page that asks', async () => {
    const page = await signedOutWithPasskey()
    // Otherwise the sign-in page takes the passkey at once.
    await page.route('**/webauthn-options/**', (route) => route.abort())
    await followLink(page)
    await page.locator('input[name="code"]').waitFor()
    await page.unroute('**/webauthn-options/**')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  })

  it('has no fault that axe-core finds, in both schemes and from right to left, and fits into a phone', async () => {
    for (const [colorScheme, width, locale] of [
      ['light', 390, 'en'],
      ['dark', 1280, 'ar'],
    ] as const) {
      const options = { colorScheme, viewport: { width, height: 800 }, locale, bypassCSP: true } as const
      const page = await withLink(options)
      const check = async (path: string | null, at = page) => {
        if (path) await at.goto(`${origin}/auth/${path}`)
        await at.evaluate(axe.source)
        const found = await at.evaluate(
          'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.map(({ html }) => html).join(" ")))',
        )
        expect(found, path ?? 'codes').to.deep.equal([])
        expect(await at.evaluate('document.documentElement.scrollWidth'), path ?? 'codes').to.be.at.most(width)
        expect(await at.evaluate('document.dir')).to.equal(locale === 'ar' ? 'rtl' : '')
      }
      await check('second-factor/add')
      await addApp(page)
      await check(null)
      for (const path of ['account', 'second-factor/codes', 'second-factor/remove']) await check(path)
      const asked = await withLink(options)
      for (const path of ['second-factor', 'second-factor?recovery']) await check(path, asked)
      // The next one is a person of before.
      await page.goto(`${origin}/auth/second-factor/remove`)
      await page.locator('form button').first().click()
    }
  })
})
