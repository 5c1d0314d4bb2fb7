import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { type Demo, startDemo } from '../../examples/demo/demo.js'
import { VirtualAuthenticator, withoutPasskeys, withoutSuggestions } from '../browser/authenticator.js'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { expectSound, FOR_AXE } from '../support/sound-pages.js'

describe('passkeys in the demo, in Chromium', function () {
  this.timeout(120_000)

  let demo: Demo
  let directory: string
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let authenticator: VirtualAuthenticator
  let hosts: Set<string>
  let complaints: string[]

  before(async function () {
    requireChromium.call(this)
    directory = mkdtempSync(join(tmpdir(), 'latchkey-demo-'))
    demo = await startDemo({
      port: 0,
      database: join(directory, 'demo.sqlite'),
      logger: { error: (error) => complaints.push(String(error)), warn: (code) => complaints.push(code) },
    })
    browser = await launchChromium()
  })

  after(async () => {
    await browser?.close()
    await demo?.close()
    if (directory) rmSync(directory, { recursive: true, force: true })
  })

  beforeEach(async () => {
    hosts = new Set()
    complaints = []
    await open()
  })

  afterEach(async () => {
    await context.close()
    expect(
      [...hosts].filter((host) => !/^(?:localhost|127\.0\.0\.1):\d+$/.test(host)),
      'hosts beyond this machine',
    ).to.deep.equal([])
    expect(complaints).to.deep.equal([])
  })

  /** A browser of somebody with a device that keeps passkeys. */
  async function open(options: Parameters<Browser['newContext']>[0] = {}) {
    context = await browser.newContext(options)
    context.setDefaultTimeout(10_000)
    context.on('request', (request) => hosts.add(new URL(request.url()).host))
    // Browsers report here what a content policy blocks.
    context.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text())
    })
    page = await context.newPage()
    page.on('pageerror', (error) => complaints.push(error.message))
    await withoutSuggestions(page)
    authenticator = await VirtualAuthenticator.plugInto(page)
  }

  const passkeyForm = () => page.getByRole('form', { name: 'Sign in' })
  const press = (name: string, of: Page | Locator = page) => of.getByRole('button', { name, exact: true }).click()
  const passkeys = () => page.getByRole('region', { name: 'Passkeys', exact: true })
  const names = () => passkeys().locator('.what bdi').allTextContents()

  async function signUp(email: string) {
    await page.goto(`${demo.url}/account`)
    await passkeyForm()
      .getByLabel(/e-mail/i)
      .fill(email)
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    await page.waitForURL(`${demo.url}/account`)
  }

  async function signOut() {
    await page.getByRole('navigation').getByRole('link', { name: 'Sign out' }).click()
    await press('Sign out')
    await page.waitForURL(`${demo.url}/`)
  }

  /** Opens a form or a question about a passkey, whose button has the focus then. */
  async function ask(what: string, name: string) {
    await passkeys().getByLabel(`${what}: ${name}`, { exact: true }).first().press('Enter')
    await page.keyboard.press('Tab')
  }

  async function rename(from: string, to: string) {
    await ask('Rename', from)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(to)
    await page.keyboard.press('Enter')
    await page.getByText('The passkey was renamed.').waitFor()
  }

  async function remove(name: string) {
    await ask('Remove', name)
    await page.keyboard.press('Enter')
    await page.getByText('The passkey was removed.').waitFor()
  }

  async function plugInAnother() {
    await authenticator.unplug()
    authenticator = await VirtualAuthenticator.plugInto(page)
  }

  async function add() {
    await press('Add a passkey')
    await page.getByText('A passkey was added.').waitFor()
  }

  it('signs up with one, signs in with it, adds a second, renames and removes with the keyboard', async () => {
    await signUp('rosalind@example.com')
    expect(await page.locator('main').textContent()).to.include('rosalind@example.com')
    expect(await passkeys().locator('li').textContent()).to.include('On one device')

    await signOut()
    await press('Sign in with a passkey')
    await page.getByRole('link', { name: 'Open your account' }).click()
    expect(await passkeys().locator('li').textContent()).to.include('Last used')

    await rename('Passkey', 'Laptop')
    await plugInAnother()
    await add()
    await rename('Passkey', '<b>"Phone"</b>')
    expect(await names()).to.deep.equal(['Laptop', '<b>"Phone"</b>'])
    await remove('Laptop')
    expect(await names()).to.deep.equal(['<b>"Phone"</b>'])

    await signOut()
    await press('Sign in with a passkey')
    await page.getByRole('link', { name: 'Open your account' }).waitFor()
    expect(await authenticator.passkeys()).to.have.length(1)
  })

  it('says why no passkey is added', async () => {
    await signUp('marie@example.com')

    await press('Add a passkey')
    await page.getByText('This device has a passkey for you already.').waitFor()

    await plugInAnother()
    await authenticator.setVerified(false)
    await press('Add a passkey')
    await page.getByText('That was cancelled, and no passkey was made.').waitFor()
    await page.reload()
    expect(await names()).to.have.length(1)
  })

  it('gives somebody who signs in another way a passkey, and lets it go again', async () => {
    await page.goto(`${demo.url}/account`)
    await page.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com')
    await page.getByRole('textbox', { name: 'Password' }).fill('analytical engine')
    await page.getByRole('textbox', { name: 'Password' }).press('Enter')
    await page.waitForURL(`${demo.url}/account`)
    expect(await page.locator('main').textContent()).to.include('No passkeys yet.')

    await add()
    await remove('Passkey')
    expect(await page.locator('main').textContent()).to.include('No passkeys yet.')
  })

  it('offers nothing that needs passkeys where the browser has none', async () => {
    await signUp('barbara@example.com')
    const other = await context.newPage()
    await withoutPasskeys(other)
    await other.goto(`${demo.url}/account`)
    await other.getByLabel('Remove: Passkey').first().waitFor()
    expect(await other.getByRole('button', { name: 'Add a passkey' }).count()).to.equal(0)
  })

  it('renames and removes without JavaScript, and offers no button to add', async () => {
    await signUp('emilie@example.com')
    const cookies = await context.cookies()
    await context.close()
    context = await browser.newContext({ javaScriptEnabled: false })
    await context.addCookies(cookies)
    page = await context.newPage()
    await page.goto(`${demo.url}/account`)
    expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).to.equal(0)

    await rename('Passkey', 'Old phone')
    await remove('Old phone')
    expect(await names()).to.deep.equal([])
  })

  it('fits into a phone and a laptop, and has no fault that axe-core finds, light and dark, on any page', async () => {
    await context.close()
    await open(FOR_AXE)
    const look = (name: string) => expectSound(page, name)

    await page.goto(`${demo.url}/account`)
    await passkeyForm().waitFor()
    await look('passkey-sign-in')
    await signUp('somebody@example.com')
    await look('passkey-one')
    await plugInAnother()
    await rename('Passkey', 'The key of a person with a rather long name for every-single-thing')
    await add()
    await press('Add a passkey')
    await page.getByText('This device has a passkey for you already.').waitFor()
    await look('passkey-two')
  })
})
