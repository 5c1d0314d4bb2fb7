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

const ADDRESS = 'ada@example.com'

describe('the account page in a browser', function () {
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
    app = await startApp(testConfig({ providers, adapter: memoryAdapter() }))
    origin = app.origin.replace('127.0.0.1', 'localhost')
  })
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    await app.close()
  })

  /** A browser in which somebody has signed in by a mailed link, and sees their account. */
  async function signedIn(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext(options)
    contexts.push(context)
    const page = await context.newPage()
    await page.goto(`${origin}/auth/signin?callbackUrl=/auth/account`)
    await page.getByLabel('E-mail').first().fill(ADDRESS)
    await page.getByRole('button', { name: 'link' }).click()
    await page.getByText(ADDRESS).waitFor()
    await page.goto(/http:\S+/.exec(server.delivered.at(-1)?.mail.text ?? '')?.[0] ?? '')
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    return page
  }

  it('works without a script: another name, another browser signed out, and its way back', async () => {
    const page = await signedIn({ javaScriptEnabled: false })
    const change = page.locator('summary').first()
    await change.click()
    const topOf = async (text: string) => (await page.getByText(text, { exact: true }).first().boundingBox())?.y ?? 0
    expect(await topOf('Cancel'), 'the way back comes last').to.be.above(await topOf('Save'))
    await page.getByText('Cancel', { exact: true }).first().click()
    expect(await page.locator('details[open]').count()).to.equal(0)
    expect(await change.innerText())
      .to.include('Change')
      .and.not.include('Cancel')
    await change.click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace')
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await page.getByRole('status').first().textContent()).to.equal('Your name was changed.')
    await page.getByText('Ada Lovelace').first().waitFor()
    const phone = await signedIn()
    await page.reload()
    await page.getByRole('button', { name: /^Sign out:/ }).click()
    expect(await page.getByRole('status').first().textContent()).to.equal('The other session has ended.')
    await phone.reload()
    expect(new URL(phone.url()).pathname).to.equal('/auth/signin')
    await page.getByRole('link', { name: 'Choose a password' }).click()
    expect(page.url()).to.include('/auth/password?callbackUrl=')
  })

  it('adds, renames and removes a passkey, with the keyboard alone', async () => {
    const page = await signedIn()
    const authenticator = await VirtualAuthenticator.plugInto(page)
    await page.getByRole('button', { name: 'Add a passkey' }).focus()
    await page.keyboard.press('Enter')
    const rename = page.locator('summary', { hasText: 'Rename' })
    await rename.waitFor()
    await page.getByText('A passkey was added.').waitFor()
    await rename.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ControlOrMeta+a')
    const remove = page.locator('summary', { hasText: 'Remove' })
    expect(await remove.isVisible(), 'it does not stand below another form').to.equal(false)
    await page.keyboard.type('Ship computer')
    await page.keyboard.press('Enter')
    await page.getByText('The passkey was renamed.').waitFor()
    await page.getByText('Ship computer').first().waitFor()
    await remove.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Remove Ship computer?').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('The passkey was removed.').waitFor()
    await page.getByText('No passkeys yet.').waitFor()
    for (let tries = 0; tries < 40 && (await authenticator.passkeys()).length > 0; tries += 1)
      await page.waitForTimeout(50)
    expect(await authenticator.passkeys()).to.deep.equal([])
    // The browser is told once, and never in an address.
    expect(page.url()).to.equal(`${origin}/auth/account?done=passkey`)
    await page.reload()
    expect(await page.locator('[data-removed-passkey]').count()).to.equal(0)
  })

  it('leads back from the sign-in page without what it said before', async () => {
    const page = await signedIn()
    await VirtualAuthenticator.plugInto(page)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('A passkey was added.').waitFor()
    await page.route('**/auth/webauthn-options/**', (route) =>
      route.fulfill({ status: 403, json: { error: 'RecentSignInRequired' } }),
    )
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.waitForURL('**/auth/signin?**')
    expect(new URL(page.url()).searchParams.get('callbackUrl')).to.equal(`${origin}/auth/account`)
  })

  it('has no fault that axe-core finds, with everything open, in both schemes, and fits into a phone', async () => {
    for (const [colorScheme, width] of [
      ['light', 390],
      ['dark', 1280],
    ] as const) {
      const page = await signedIn({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true })
      await page.evaluate(
        'for (const each of document.querySelectorAll("details")) { each.name = ""; each.open = true }',
      )
      await page.evaluate(axe.source)
      const found = await page.evaluate(
        'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.map(({ html }) => html).join(" ")))',
      )
      expect(found).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(width)
    }
  })
})
