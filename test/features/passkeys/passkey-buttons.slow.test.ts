import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { type AuthConfig, getSession, listPasskeys, type Passkey, removePasskey } from '../../../lib/index.js'
import PasskeyProvider from '../../../lib/providers/passkey.js'
import { VirtualAuthenticator } from '../../browser/authenticator.js'
import { createLog, type Running, SECRET, startApp } from '../../support/app.js'
import { launchChromium, requireChromium } from '../../support/chromium.js'

const SCRIPT = '/auth/assets/passkey-buttons.js'

/** Pages of an application, as its templates would make them. */
const PAGES: Readonly<Record<string, string>> = {
  '/': `<form><label>E-mail <input name="email" type="email"></label>
    <label><input type="checkbox" name="remember"> Stay</label>
    <button type="button" data-passkey="add" data-redirect-to="/account" hidden>Sign up</button></form>
    <button type="button" data-passkey="sign-in" data-redirect-to="/account" data-passkey-status="said" hidden>Sign in with a passkey</button>
    <p id="said" role="status"></p>
    <p data-needs-passkeys hidden>Passkeys work here.</p><p data-without-passkeys hidden>No passkeys here.</p>`,
  '/account': `<button type="button" data-passkey="add" data-redirect-to="/account?added" hidden>Add a passkey</button>`,
  '/listens': `<button type="button" data-passkey="sign-in" hidden>Sign in with a passkey</button><p id="heard"></p>
    <script src="/listens.js" defer></script>`,
}

describe('passkey buttons of pages of the application, in Chromium', function () {
  this.timeout(120_000)
  const DAY = 24 * 60 * 60
  const realNow = Date.now
  let now = realNow
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let running: Running
  let origin: string
  let complaints: string[]

  const config: AuthConfig = {
    providers: [PasskeyProvider()],
    adapter: memoryAdapter(),
    secret: SECRET,
    session: { strategy: 'jwt', remember: { maxAge: 30 * DAY } },
    theme: { texts: { en: { 'passkey.error.failed': 'Ask Jo for help.' } } },
    logger: createLog().logger,
  }

  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
    Date.now = () => now()
    running = await startApp(config, (app) => {
      app.get(Object.keys(PAGES), (req, res) => {
        const language = req.query['lang'] ? `?lang=${req.query['lang']}` : ''
        res
          .set('Content-Security-Policy', "default-src 'self'")
          .send(
            `<!doctype html><html lang="en"><title>Own</title><h1>Own</h1><script src="${SCRIPT}${language}" defer></script>${PAGES[req.path]}`,
          )
      })
      app.get('/listens.js', (_req, res) => {
        res.type('js').send(`document.addEventListener('passkey-failed', (event) => { event.preventDefault()
            document.querySelector('#heard').textContent = event.detail.action + ' ' + event.detail.code })`)
      })
      app.get('/who', async (req, res) => void res.json((await getSession(req, config))?.user?.email ?? null))
      app.get('/keys', async (req, res) => void res.json(await listPasskeys(req, config)))
      app.post('/remove', async (req, res) => {
        const [key] = await listPasskeys(req, config)
        const { signal } = await removePasskey(req, config, {
          credentialID: key?.credentialID ?? '',
          signsInOtherwise: true,
        })
        res.send(
          `<!doctype html><title>Gone</title><script src="${SCRIPT}" defer></script>
            <script type="application/json" data-removed-passkey="${signal.credentialId}" data-rp-id="${signal.rpId}"></script>`,
        )
      })
    })
    origin = running.origin.replace('127.0.0.1', 'localhost')
  })
  after(async () => {
    Date.now = realNow
    await browser?.close()
    await running?.close()
  })
  beforeEach(async () => {
    now = realNow
    complaints = []
    await open()
  })
  afterEach(async () => {
    await context.close()
    expect(complaints).to.deep.equal([])
  })

  async function open(more: Parameters<Browser['newContext']>[0] = {}) {
    await context?.close()
    context = await browser.newContext(more)
    page = await context.newPage()
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
  }

  const button = (name: string) => page.getByRole('button', { name })
  const said = (text: RegExp) => page.getByRole('status').filter({ hasText: text })
  const ask = async <T>(path: string) => (await (await context.request.get(origin + path)).json()) as T
  const sessionCookie = async () => (await context.cookies()).find(({ name }) => name.includes('session-token'))

  /** Makes a person with a passkey, who is signed in. */
  async function signUp(email: string, stay = false): Promise<VirtualAuthenticator> {
    const authenticator = await VirtualAuthenticator.plugInto(page)
    await page.goto(origin)
    await page.getByLabel('E-mail').fill(email)
    if (stay) await page.getByLabel('Stay').check()
    await button('Sign up').click()
    await page.waitForURL('**/account')
    return authenticator
  }

  async function signOut() {
    const cookies = await context.cookies()
    await context.clearCookies()
    await context.addCookies(cookies.filter(({ name }) => !name.includes('session-token')))
  }

  it('sign somebody up with the address beside the button, and in again', async () => {
    await signUp('ada@example.com')
    expect(await ask('/who')).to.equal('ada@example.com')
    await signOut()
    await page.goto(origin)
    await button('Sign in with a passkey').click()
    await page.waitForURL('**/account')
    expect(await ask('/who')).to.equal('ada@example.com')
  })

  it('send whether somebody wants to stay signed in', async () => {
    await signUp('stays@example.com', true)
    expect((await sessionCookie())?.expires).to.be.above(0)
    await open()
    await signUp('goes@example.com')
    expect((await sessionCookie())?.expires).to.equal(-1)
  })

  it('add one more passkey to whoever is signed in', async () => {
    const first = await signUp('grace@example.com')
    await first.unplug()
    await VirtualAuthenticator.plugInto(page)
    await page.goto(`${origin}/account`)
    await button('Add a passkey').click()
    await page.waitForURL('**/account?added')
    expect(await ask<Passkey[]>('/keys')).to.have.lengthOf(2)
    expect(await ask('/who')).to.equal('grace@example.com')
  })

  it('let the browser forget a passkey that was removed', async () => {
    const authenticator = await signUp('mary@example.com')
    expect(await authenticator.passkeys()).to.have.lengthOf(1)
    await page.evaluate(
      `document.body.innerHTML = '<form method="post" action="/remove"><button>Remove</button></form>'`,
    )
    await button('Remove').click()
    await page.waitForURL('**/remove')
    for (let tries = 0; tries < 40 && (await authenticator.passkeys()).length > 0; tries += 1)
      await page.waitForTimeout(50)
    expect(await authenticator.passkeys()).to.deep.equal([])
  })

  it('lead to the sign-in page whoever has signed in too long ago to add one, and from there back', async () => {
    const authenticator = await signUp('edith@example.com')
    // Else the sign-in page, which offers passkeys in its fields, signs in with this one at once and is gone.
    await authenticator.unplug()
    now = () => realNow() + 20 * 60 * 1000
    await page.goto(`${origin}/account`)
    await button('Add a passkey').click()
    await page.waitForURL('**/auth/signin?**')
    expect(await page.getByRole('alert').first().textContent()).to.include('We need to be sure that it is you')
    expect(new URL(page.url()).searchParams.get('callbackUrl')).to.equal(`${origin}/account`)
  })

  it('say what went wrong, beside the button or where the page wants it, and can be pressed again', async () => {
    const authenticator = await VirtualAuthenticator.plugInto(page)
    await authenticator.setVerified(false)
    await page.goto(origin)
    await button('Sign in with a passkey').click()
    await said(/cancelled, or there is no passkey/).waitFor()
    expect(await page.locator('#said').textContent()).to.match(/cancelled, or there is no passkey/)
    await page.getByLabel('E-mail').fill('new@example.com')
    await button('Sign up').click()
    await said(/no passkey was made/).waitFor()
    await authenticator.setVerified(true)
    await button('Sign up').click()
    await page.waitForURL('**/account')
  })

  it('speak the language of the browser, or that which the page asks for, with the texts of the application', async () => {
    for (const [locale, query, text] of [
      ['de', '', /abgebrochen/],
      ['de', '?lang=fr', /annul/],
      ['en', '?lang=xx', /cancelled/],
    ] as const) {
      await open({ locale })
      const authenticator = await VirtualAuthenticator.plugInto(page)
      await authenticator.setVerified(false)
      await page.goto(origin + query)
      await button('Sign in with a passkey').click()
      await said(text).waitFor()
    }
    const script = await (await fetch(`${running.origin}${SCRIPT}?lang=en`)).text()
    expect(script).to.include('Ask Jo for help.')
  })

  it('leave it to the page what is said, if it cancels the event', async () => {
    const authenticator = await VirtualAuthenticator.plugInto(page)
    await authenticator.setVerified(false)
    await page.goto(`${origin}/listens`)
    await button('Sign in with a passkey').click()
    await page.locator('#heard').filter({ hasText: 'sign-in cancelled' }).waitFor()
    expect(await page.getByRole('status').textContent()).to.equal('')
  })

  it('work in a part of the page that is added later', async () => {
    await signUp('late@example.com')
    await signOut()
    await page.goto(origin)
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend',
      '<button type="button" data-passkey="sign-in" data-redirect-to="/account"><b>Late</b></button>')`)
    await page.getByText('Late').click()
    await page.waitForURL('**/account')
  })

  it('are there only in a browser with passkeys, which the page can tell', async () => {
    await page.goto(origin)
    expect(await page.getByText('Passkeys work here.').isVisible()).to.equal(true)
    expect(await page.getByText('No passkeys here.').isVisible()).to.equal(false)
    await page.addInitScript('delete window.PublicKeyCredential')
    await page.goto(origin)
    expect(await button('Sign in with a passkey').count()).to.equal(0)
    expect(await page.getByText('No passkeys here.').isVisible()).to.equal(true)
    await open({ javaScriptEnabled: false })
    await page.goto(origin)
    expect(await button('Sign in with a passkey').count()).to.equal(0)
  })

  it('do nothing for a word that means nothing', async () => {
    await page.goto(origin)
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<button data-passkey="constructor">Odd</button>')`,
    )
    await page.getByText('Odd').click()
    expect(page.url()).to.equal(`${origin}/`)
  })
})
