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
  const rows = () => page.locator('.passkeys li')
  const noteOf = (role: 'status' | 'alert' = 'status') => page.locator(`.note[role=${role}]`).textContent()

  async function signUp(email: string) {
    await page.goto(`${demo.url}/private`)
    await passkeyForm()
      .getByLabel(/e-mail/i)
      .fill(email)
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    await page.waitForURL(`${demo.url}/private`)
  }

  async function signOut() {
    await page.getByRole('navigation').getByRole('link', { name: 'Sign out' }).click()
    await press('Sign out')
    await page.waitForURL(`${demo.url}/`)
  }

  async function rename(from: string, to: string) {
    await page.getByLabel(`New name for ${from}`, { exact: true }).fill(to)
    await press(`Rename ${from}`)
  }

  /** Removes a passkey, after the question whether to. */
  async function remove(name: string) {
    await press(`Remove ${name}`)
    await press('Remove it', page.getByRole('alertdialog'))
  }

  it('signs up with one, signs in with it, adds a second, renames and removes', async () => {
    await signUp('rosalind@example.com')
    expect(await page.locator('main').textContent()).to.include('rosalind@example.com')
    expect(await rows().allTextContents()).to.have.length(1)
    expect(await rows().textContent())
      .to.include('stored on one device')
      .and.to.include('not used yet')

    await signOut()
    await page.goto(`${demo.url}/private`)
    await press('Sign in with a passkey')
    await page.waitForURL(`${demo.url}/private`)
    expect(await rows().textContent()).to.include('last used')

    await rename('Passkey', 'Laptop')
    expect(await noteOf()).to.include('was renamed')

    await authenticator.unplug()
    const phone = await VirtualAuthenticator.plugInto(page)
    await press('Add a passkey')
    await page.waitForURL(`${demo.url}/private?done=added`)
    expect(await noteOf()).to.include('was added')
    expect(await rows().locator('strong').allTextContents()).to.deep.equal(['Laptop', 'Passkey'])

    await rename('Passkey', '<b>"Phone"</b>')
    expect(await rows().locator('strong').allTextContents()).to.deep.equal(['Laptop', '<b>"Phone"</b>'])

    await remove('Laptop')
    expect(await noteOf()).to.include('“Laptop” was removed')
    expect(await rows().locator('strong').allTextContents()).to.deep.equal(['<b>"Phone"</b>'])

    await signOut()
    await page.goto(`${demo.url}/private`)
    await press('Sign in with a passkey')
    await page.waitForURL(`${demo.url}/private`)
    expect(await phone.passkeys()).to.have.length(1)
  })

  it('tells the browser of a passkey that is removed, so that it offers it no more', async () => {
    await signUp('dorothy@example.com')
    expect(await authenticator.passkeys()).to.have.length(1)

    await remove('Passkey')

    expect(await noteOf()).to.include('“Passkey” was removed')
    for (let tries = 0; (await authenticator.passkeys()).length > 0 && tries < 50; tries++)
      await page.waitForTimeout(50)
    expect(await authenticator.passkeys()).to.deep.equal([])
  })

  it('says why no passkey is added', async () => {
    await signUp('marie@example.com')

    await press('Add a passkey')
    await page.getByText('This device has a passkey for you already.').waitFor()

    await authenticator.unplug()
    authenticator = await VirtualAuthenticator.plugInto(page)
    await authenticator.setVerified(false)
    await press('Add a passkey')
    await page.getByText('That was cancelled, and no passkey was made.').waitFor()
    await page.reload()
    expect(await rows().count()).to.equal(1)
  })

  it('takes no form without the token of this browser, and none for the passkey of somebody else', async () => {
    await signUp('lise@example.com')
    const send = (path: string, fields: Record<string, string>) =>
      context.request.post(`${demo.url}/private${path}`, { form: fields })
    const csrfToken = await page.locator('[name=csrfToken]').first().inputValue()
    const credentialID = await page.locator('[name=credentialID]').first().inputValue()

    expect((await send('/passkeys/remove', { credentialID })).status()).to.equal(403)
    expect((await send('', { name: 'Mallory' })).status()).to.equal(403)
    expect((await send('/passkeys/rename', { csrfToken, credentialID, name: ' ' })).status()).to.equal(400)

    await context.clearCookies()
    await authenticator.unplug()
    authenticator = await VirtualAuthenticator.plugInto(page)
    await signUp('chien-shiung@example.com')
    const own = await page.locator('[name=csrfToken]').first().inputValue()
    expect((await send('/passkeys/remove', { csrfToken: own, credentialID })).status()).to.equal(404)
    expect((await send('/passkeys/rename', { csrfToken: own, credentialID, name: 'Mine' })).status()).to.equal(404)
  })

  it('gives somebody who signs in another way a passkey, and lets it go again', async () => {
    await page.goto(`${demo.url}/private`)
    await page.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com')
    await page.getByRole('textbox', { name: 'Password' }).fill('analytical engine')
    await page.getByRole('textbox', { name: 'Password' }).press('Enter')
    await page.waitForURL(`${demo.url}/private`)
    expect(await page.locator('main').textContent()).to.include('You have no passkey yet')

    await press('Add a passkey')
    await page.waitForURL(`${demo.url}/private?done=added`)
    await remove('Passkey')
    expect(await page.locator('main').textContent()).to.include('You have no passkey yet')
  })

  it('offers nothing that needs passkeys where the browser has none', async () => {
    await signUp('barbara@example.com')
    const other = await context.newPage()
    await withoutPasskeys(other)
    await other.goto(`${demo.url}/private`)
    await other.getByRole('heading', { name: 'Your passkeys' }).waitFor()
    expect(await other.getByRole('button', { name: 'Add a passkey' }).count()).to.equal(0)
    expect(await other.getByRole('button', { name: 'Remove Passkey' }).count()).to.equal(1)
  })

  it('renames and removes without JavaScript, and offers no button to add', async () => {
    await signUp('emilie@example.com')
    const cookies = await context.cookies()
    await context.close()
    context = await browser.newContext({ javaScriptEnabled: false })
    await context.addCookies(cookies)
    page = await context.newPage()
    await page.goto(`${demo.url}/private`)
    expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).to.equal(0)

    await rename('Passkey', 'Old phone')
    expect(await noteOf()).to.include('was renamed')
    await remove('Old phone')
    expect(await noteOf()).to.include('“Old phone” was removed')
    expect(await rows().count()).to.equal(0)
  })

  it('fits into a phone and a laptop, and has no fault that axe-core finds, light and dark, on any page', async () => {
    await context.close()
    await open(FOR_AXE)
    const look = (name: string) => expectSound(page, name)

    await page.goto(`${demo.url}/private`)
    await passkeyForm().waitFor()
    await look('passkey-sign-in')
    await signUp('somebody@example.com')
    await look('passkey-one')
    await authenticator.unplug()
    authenticator = await VirtualAuthenticator.plugInto(page)
    await rename('Passkey', 'The key of a person with a rather long name for every-single-thing')
    await press('Add a passkey')
    await page.waitForURL(`${demo.url}/private?done=added`)
    await press('Add a passkey')
    await page.getByText('This device has a passkey for you already.').waitFor()
    await look('passkey-two')
    await remove('Passkey')
    await look('passkey-removed')
  })
})
