import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import Nodemailer from '../../../lib/providers/mail/nodemailer.js'
import Password from '../../../lib/providers/password.js'
import { serveClientModules } from '../../client/module-server.js'
import { type Running, startApp, testConfig } from '../../support/app.js'
import { launchChromium, requireChromium } from '../../support/chromium.js'
import { type MailServer, startMailServer } from '../../support/smtp.js'

const ADDRESS = 'ada@example.com'
const GOOD = 'copper lantern under seven bridges'
const OTHER = 'nine quiet windows facing the harbour'

describe('passwords in a browser', function () {
  this.timeout(120_000)
  let browser: Browser
  let context: BrowserContext
  let server: MailServer
  let app: Running
  let page: Page

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
    server.delivered.length = 0
    const providers = [Password(), Nodemailer({ server: server.url, from: 'no-reply@example.com' })]
    app = await startApp(testConfig({ providers, adapter: memoryAdapter() }), serveClientModules)
    context = await browser.newContext()
    page = await context.newPage()
  })
  afterEach(async () => {
    await context.close()
    await app.close()
  })

  const lastLink = () => /http:\S+/.exec(server.delivered.at(-1)?.mail.text ?? '')?.[0] ?? ''

  const lastMailTo = (address: string) => {
    const sent = server.delivered.filter(({ to }) => to.includes(address)).at(-1)
    return /http:\S+/.exec(sent?.mail.text ?? '')?.[0] ?? ''
  }

  it('are chosen with the keyboard alone: shown on demand, and with what is missing said', async () => {
    const refused: string[] = []
    page.on('console', (message) => refused.push(message.text()))
    await page.goto(`${app.origin}/auth/password`)
    await page.locator('input[type=email]:focus').waitFor()
    await page.keyboard.type(ADDRESS)
    await page.keyboard.press('Enter')
    await page.getByText(ADDRESS).waitFor()
    await page.goto(lastLink())
    const field = page.getByLabel('New password')
    await field.focus()
    await page.keyboard.type('ten letter')
    expect(await page.locator('#missing').textContent()).to.equal('Characters still missing: 5')
    expect(await field.getAttribute('aria-describedby')).to.equal('missing')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    expect(await field.getAttribute('type')).to.equal('text')
    await page.keyboard.press('Space')
    expect(await field.getAttribute('type')).to.equal('password')
    await page.keyboard.press('Space')
    await field.fill(GOOD)
    expect(await page.locator('#missing').isVisible()).to.equal(false)
    await field.press('Enter')
    await page.waitForURL(`${app.origin}/`)
    expect(refused.filter((text) => /content security policy/i.test(text))).to.deep.equal([])
  })

  it('have forms that two clicks send once, and that can be sent again after the back button', async () => {
    await page.goto(`${app.origin}/auth/password`)
    await page.getByLabel('E-mail').fill(ADDRESS)
    // The page stays as it is while the answer is on its way.
    await page.evaluate(() => document.forms[0]?.addEventListener('submit', (event) => event.preventDefault()))
    const button = page.getByRole('button')
    await button.click()
    expect(await button.isDisabled()).to.equal(true)
    expect(await page.locator('form').getAttribute('aria-busy')).to.equal('true')
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    expect(await button.isEnabled()).to.equal(true)
    expect(await page.locator('form').getAttribute('aria-busy')).to.equal('false')
  })

  it('put the cursor where the fault is', async () => {
    await page.goto(`${app.origin}/auth/password`)
    await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
    await page.getByLabel('E-mail').fill('ada')
    await page.getByLabel('E-mail').press('Enter')
    await page.getByText('Enter one complete e-mail address').waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).to.equal('email')
  })

  it('are chosen without a script, with nothing that needs one', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false })
    const own = await plain.newPage()
    await own.goto(`${app.origin}/auth/password`)
    await own.getByLabel('E-mail').fill(ADDRESS)
    await own.getByRole('button').click()
    await own.goto(lastLink())
    expect(await own.getByRole('checkbox').count()).to.equal(0)
    await own.getByLabel('New password').fill(GOOD)
    await own.getByRole('button').click()
    await own.waitForURL(`${app.origin}/`)
    await plain.close()
  })

  it('are asked for, chosen and changed by latchkey/client', async () => {
    /** What a call in the page gives; of an error its class and code. */
    const call = <T = Record<string, unknown>>(code: string): Promise<T> =>
      page.evaluate(`Promise.resolve(client.${code}).catch((error) => ({ thrown: error.name, code: error.code }))`)
    await page.goto(`${app.origin}/own`)
    await page.waitForFunction('window.client')
    expect(await call(`mailPasswordLink('no address')`)).to.deep.equal({ thrown: 'ClientError', code: 'refused' })
    expect(await call(`mailPasswordLink('${ADDRESS}')`)).to.equal(undefined)
    const token = new URL(lastLink()).searchParams.get('token')
    const choose = (newPassword: string) =>
      call(`choosePassword({ token: '${token}', newPassword: '${newPassword}', redirect: false })`)
    expect(await choose('short')).to.include({ ok: false, error: 'Password', code: 'too-short' })
    expect(await choose(GOOD)).to.include({ ok: true, url: `${app.origin}/` })
    expect(await choose(OTHER)).to.include({ ok: false, error: 'Password', code: 'link' })
    const change = (password: string) => call(`changePassword({ password: '${password}', newPassword: '${OTHER}' })`)
    expect(await change(OTHER)).to.include({ ok: false, error: 'Password', code: 'wrong' })
    expect(await change(GOOD)).to.include({ ok: true })
    await call(`signOut({ redirect: false })`)
    expect(await change(OTHER)).to.deep.equal({ thrown: 'ClientError', code: 'refused' })
    const signIn = (password: string) =>
      call(`signIn('password', { email: '${ADDRESS}', password: '${password}', redirect: false })`)
    expect(await signIn(GOOD)).to.include({ ok: false, error: 'CredentialsSignin' })
    expect(await signIn(OTHER)).to.include({ ok: true })

    const mailTo = (address: string) => call(`mailAddressLink('${address}', { redirectTo: '/own' })`)
    expect(await mailTo('no address')).to.include({ ok: false, error: 'Address', code: 'address' })
    expect(await mailTo(ADDRESS)).to.include({ ok: false, error: 'Address', code: 'same' })
    expect(await mailTo('ada@new.example')).to.include({ ok: true, error: null })
    expect(new URL(lastMailTo('ada@new.example')).pathname).to.equal('/auth/address/confirm')
    expect(await call('removePassword()')).to.equal(undefined)
    expect(await call('removePassword()')).to.deep.equal({ thrown: 'ClientError', code: 'refused' })
    expect(new URL(page.url()).pathname).to.equal('/own')
    await call(`signOut({ redirect: false })`)
    for (const code of ['removePassword()', `mailAddressLink('ada@new.example')`]) {
      expect(await call(code)).to.deep.equal({ thrown: 'ClientError', code: 'refused' })
    }
  })
})
