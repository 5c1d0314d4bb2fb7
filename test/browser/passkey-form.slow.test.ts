import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { loadScript } from '../../lib/pages/loaded-assets.js'
import type { PageProvider } from '../../lib/pages/provider-forms.js'
import { createPageRenderer } from '../../lib/pages/renderer.js'
import { signInPage } from '../../lib/pages/signin.js'
import type { SignInView } from '../../lib/pages/view.js'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { EMAIL, FEW, PASSKEY } from '../support/page-samples.js'
import { strayPasskey, VirtualAuthenticator, withoutPasskeys, withoutSuggestions } from './authenticator.js'

/** What the server answers here: each is changed by a test. */
interface TestApp {
  options: { status: number; body: (action: string) => unknown }
  callback: string
  readonly asked: string[]
  readonly posted: URLSearchParams[]
}

const PAGES: Readonly<Record<string, readonly PageProvider[]>> = {
  '/auth/signin': [PASSKEY],
  '/first': [PASSKEY, ...FEW],
  '/last': [...FEW, PASSKEY],
  '/between': [...FEW, PASSKEY, EMAIL],
  '/none': FEW,
}

const encode = (text: string) => Buffer.from(text).toString('base64url')

const OPTIONS = (action: string) => ({
  action,
  options:
    action === 'authenticate'
      ? { challenge: encode('a challenge of sixteen'), rpId: 'localhost', timeout: 2000, userVerification: 'required' }
      : {
          challenge: encode('a challenge of sixteen'),
          rp: { id: 'localhost', name: 'Tickets' },
          user: { id: encode('ada'), name: 'ada@example.com', displayName: 'Ada' },
          pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
          timeout: 2000,
          authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        },
})

describe('the passkey form of the sign-in page, in Chromium', function () {
  this.timeout(120_000)
  const renderer = createPageRenderer({ theme: {} })
  let browser: Browser
  let server: Server
  let origin: string
  let testApp: TestApp
  let context: BrowserContext
  let page: Page
  let complaints: string[]

  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', origin)
      const json = (status: number, body: unknown) =>
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
      if (url.pathname.startsWith('/auth/assets/')) {
        loadScript().then(({ source }) => response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(source))
      } else if (url.pathname.startsWith('/auth/webauthn-options/')) {
        testApp.asked.push(url.search)
        json(testApp.options.status, testApp.options.body(url.searchParams.get('action') ?? ''))
      } else if (url.pathname.startsWith('/auth/callback/')) {
        let body = ''
        request.on('data', (chunk: Buffer) => {
          body += chunk.toString()
        })
        request.on('end', () => {
          testApp.posted.push(new URLSearchParams(body))
          json(200, { url: origin + testApp.callback })
        })
      } else {
        const providers = PAGES[url.pathname]
        if (!providers) return void response.writeHead(url.pathname === '/welcome' ? 200 : 404).end()
        const isAsked = url.searchParams.has('asks')
        const remember = isAsked || url.searchParams.has('knows') ? { isTicked: !isAsked, isAsked } : null
        void Promise.resolve(renderer.render(viewOf(providers, remember))).then(({ html, headers }) =>
          response.writeHead(200, headers).end(html),
        )
      }
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://localhost:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    await browser?.close()
    server?.close()
    server?.closeAllConnections()
  })
  beforeEach(async () => {
    testApp = { options: { status: 200, body: OPTIONS }, callback: '/welcome', asked: [], posted: [] }
    await open()
  })
  afterEach(() => context.close())

  async function open(more: Parameters<Browser['newContext']>[0] = {}) {
    await context?.close()
    context = await browser.newContext(more)
    page = await context.newPage()
    complaints = []
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
  }

  const viewOf = (providers: readonly PageProvider[], remember: SignInView['remember']) =>
    signInPage({
      providers,
      urls: { signIn: (id) => `${origin}/auth/signin/${id}`, callback: (id) => `${origin}/auth/callback/${id}` },
      csrfToken: 'f'.repeat(64),
      callbackUrl: `${origin}/welcome`,
      host: 'tickets.example.com',
      insecure: true,
      remember,
    })

  const signIn = () => page.getByRole('button', { name: 'Sign in with a passkey' })
  const create = () => page.getByRole('button', { name: 'Create a passkey' })
  const alert = () => page.locator('#passkey-form [role=alert] p')

  /** The sign-in page with a passkey of Ada's in the device. */
  async function openWithPasskey(): Promise<VirtualAuthenticator> {
    await withoutSuggestions(page)
    const authenticator = await VirtualAuthenticator.plugInto(page)
    await authenticator.add(strayPasskey())
    await page.goto(`${origin}/auth/signin`)
    return authenticator
  }

  it('makes a passkey for the address in its field', async () => {
    await withoutSuggestions(page)
    const authenticator = await VirtualAuthenticator.plugInto(page)
    await page.goto(`${origin}/auth/signin`)
    await page.fill('[type=email]', 'ada@example.com')
    await create().click()
    await page.waitForURL('**/welcome')
    expect(await authenticator.passkeys()).to.have.length(1)
    expect(testApp.asked).to.deep.equal(['?email=ada%40example.com&action=register'])
    const [form = new URLSearchParams()] = testApp.posted
    expect([...form.keys()]).to.deep.equal(['action', 'data', 'callbackUrl'])
    expect([form.get('action'), form.get('callbackUrl')]).to.deep.equal(['register', `${origin}/welcome`])
    expect(JSON.parse(form.get('data') ?? '')).to.include({ type: 'public-key' })
    expect(complaints).to.deep.equal([])
  })

  it('makes none without an address, and says so at the field', async () => {
    await withoutSuggestions(page)
    await VirtualAuthenticator.plugInto(page)
    await page.goto(`${origin}/auth/signin`)
    await page.fill('[type=email]', 'no address')
    await create().click()
    expect(await page.evaluate('document.activeElement.validity.valid')).to.equal(false)
    expect(testApp.asked).to.deep.equal([])
  })

  it('signs in by its button, and by Enter in its field', async () => {
    await openWithPasskey()
    await signIn().click()
    await page.waitForURL('**/welcome')
    await page.goto(`${origin}/auth/signin`)
    await page.locator('[type=email]').press('Enter')
    await page.waitForURL('**/welcome')
    expect(testApp.asked).to.deep.equal(['?action=authenticate', '?action=authenticate'])
  })

  it('sends whether the visitor ticked the box, and asks for no challenge with it', async () => {
    await openWithPasskey()
    for (const isTicked of [false, true]) {
      await page.goto(`${origin}/auth/signin?asks`)
      const box = page.locator('#passkey-form').getByLabel('Keep me signed in')
      await box.setChecked(isTicked)
      await signIn().click()
      await page.waitForURL('**/welcome')
      expect(testApp.posted.at(-1)?.get('remember')).to.equal(isTicked ? 'on' : null)
      expect(testApp.asked.at(-1)).to.equal('?action=authenticate')
    }
  })

  it('keeps the choice of before where the page does not ask', async () => {
    await openWithPasskey()
    await page.goto(`${origin}/auth/signin?knows`)
    await signIn().click()
    await page.waitForURL('**/welcome')
    expect(testApp.posted.at(-1)?.get('remember')).to.equal('on')
  })

  it('signs in with a passkey that is picked among the suggestions', async () => {
    const authenticator = await VirtualAuthenticator.plugInto(page)
    await authenticator.add(strayPasskey())
    await page.goto(`${origin}/auth/signin`)
    await page.waitForURL('**/welcome')
    expect(testApp.posted.at(-1)?.get('action')).to.equal('authenticate')
    expect(complaints).to.deep.equal([])
  })

  it('asks for suggestions again after a refusal when the visitor does something, and not by itself', async () => {
    const authenticator = await VirtualAuthenticator.plugInto(page)
    await authenticator.add(strayPasskey())
    testApp.callback = '/auth/error?error=WebAuthnVerificationError'
    await page.goto(`${origin}/auth/signin`)
    await alert().waitFor()
    await page.waitForTimeout(1000)
    expect(testApp.posted).to.have.length(1)
    testApp.callback = '/welcome'
    await page.locator('[type=email]').press('a')
    await page.waitForURL('**/welcome')
    expect(testApp.posted).to.have.length(2)
    expect(complaints).to.deep.equal([])
  })

  it('lets a button take over from the suggestions', async () => {
    const authenticator = await VirtualAuthenticator.plugInto(page)
    await authenticator.setPresence(false)
    await page.goto(`${origin}/auth/signin`)
    await page.fill('[type=email]', 'ada@example.com')
    await authenticator.setPresence(true)
    await create().click()
    await page.waitForURL('**/welcome')
    expect(testApp.posted.map((form) => form.get('action'))).to.deep.equal(['register'])
    expect(complaints).to.deep.equal([])
  })

  describe('says what went wrong, next to the button, and lets the visitor try again', () => {
    const refusals: Readonly<Record<string, RegExp>> = {
      '/auth/error?error=WebAuthnVerificationError': /do not know that passkey, or could not verify/,
      '/auth/error?error=Configuration': /went wrong on our side/,
      '/auth/error?error=AccessDenied': /you have no access here/,
      '/auth/signin?error=AccountNotLinked': /account with that e-mail address already/,
      '/sorry?error=%3Cscript%3E': /did not work/,
    }
    for (const [target, text] of Object.entries(refusals)) {
      it(`the server sends to ${target}`, async () => {
        await openWithPasskey()
        testApp.callback = target
        await signIn().click()
        await alert().waitFor()
        expect(await alert().textContent()).to.match(text)
        testApp.callback = '/welcome'
        await signIn().click()
        await page.waitForURL('**/welcome')
      })
    }

    it('cancelled', async () => {
      const authenticator = await openWithPasskey()
      await authenticator.setVerified(false)
      await signIn().click()
      await alert().waitFor()
      expect(await alert().textContent()).to.match(/cancelled, or there is no passkey/)
      await page.fill('[type=email]', 'eve@example.com')
      await create().click()
      // Not waitForFunction: polling with a text would need `unsafe-eval`, which the content policy refuses.
      await alert().filter({ hasText: 'no passkey was made' }).waitFor()
      expect(await page.locator('#passkey-form').getAttribute('aria-busy')).to.equal('false')
    })

    it('took too long', async () => {
      const authenticator = await openWithPasskey()
      await authenticator.setPresence(false)
      testApp.options.body = (action) => ({ action, options: { ...OPTIONS(action).options, timeout: 300 } })
      await signIn().click()
      expect(await page.locator('[role=status]').textContent()).to.equal('Waiting for your passkey…')
      await alert().waitFor()
      expect(await alert().textContent()).to.match(/took too long/)
    })

    it('the device has a passkey already', async () => {
      const authenticator = await openWithPasskey()
      const [passkey] = await authenticator.passkeys()
      const id = Buffer.from(passkey?.credentialId ?? '', 'base64').toString('base64url')
      testApp.options.body = (action) => {
        const { options } = OPTIONS(action)
        return { action, options: { ...options, excludeCredentials: [{ id, type: 'public-key' }] } }
      }
      await page.fill('[type=email]', 'ada@example.com')
      await create().click()
      await alert().waitFor()
      expect(await alert().textContent()).to.match(/has a passkey for you already/)
    })

    it('not allowed for this host', async () => {
      await openWithPasskey()
      testApp.options.body = (action) => ({ action, options: { ...OPTIONS(action).options, rpId: 'other.example' } })
      await signIn().click()
      await alert().waitFor()
      expect(await alert().textContent()).to.match(/does not allow passkeys on this page/)
    })

    it('no authenticator can do it', async () => {
      await withoutSuggestions(page)
      await VirtualAuthenticator.plugInto(page)
      await page.goto(`${origin}/auth/signin`)
      testApp.options.body = (action) => ({
        action,
        options: { ...OPTIONS(action).options, pubKeyCredParams: [{ type: 'another-kind', alg: -7 }] },
      })
      await page.fill('[type=email]', 'ada@example.com')
      await create().click()
      await alert().waitFor()
      expect(await alert().textContent()).to.match(/device cannot do that/)
    })

    it('the address cannot be used, and the server does not answer at all', async () => {
      await openWithPasskey()
      testApp.options = { status: 400, body: () => ({ error: 'Invalid request' }) }
      await page.fill('[type=email]', 'ada@example.com')
      await create().click()
      await alert().waitFor()
      expect(await alert().textContent()).to.match(/cannot create an account for that address/)
      await page.route('**/webauthn-options/**', (route) => route.abort())
      await create().click()
      await alert().filter({ hasText: 'cannot be reached' }).waitFor()
    })
  })

  describe('in a browser without passkeys', () => {
    it('is not there, and neither is the line before or after it', async () => {
      await withoutPasskeys(page)
      for (const [path, lines] of [
        ['first', 0],
        ['last', 0],
        ['between', 1],
      ] as const) {
        await page.goto(`${origin}/${path}`)
        await page.waitForLoadState('load')
        // Where it shares the form with a mailed link, the form stays.
        expect(await page.locator('#passkey-form').isVisible(), path).to.equal(path === 'between')
        expect(await signIn().isVisible(), path).to.equal(false)
        expect(await create().isVisible(), path).to.equal(false)
        expect(await page.locator('.or:visible').count(), path).to.equal(lines)
      }
      expect(complaints).to.deep.equal([])
    })

    it('says so where there is no other way to sign in', async () => {
      await withoutPasskeys(page)
      await page.goto(`${origin}/auth/signin`)
      await page.getByText('This browser does not support passkeys.').waitFor()
      expect(await page.locator('#passkey-form').isVisible()).to.equal(false)
    })

    it('says so without JavaScript', async () => {
      await open({ javaScriptEnabled: false })
      await page.goto(`${origin}/auth/signin`)
      // Playwright takes whatever is in a noscript for hidden.
      expect((await page.locator('noscript p').boundingBox())?.height).to.be.greaterThan(10)
      await page.goto(`${origin}/between`)
      expect(await page.locator('.or:visible').count()).to.equal(1)
      expect(await signIn().isVisible()).to.equal(false)
      expect(await create().isVisible()).to.equal(false)
    })
  })

  it('has no fault that axe-core finds, light and dark, 390 and 1280 px wide, at rest and after a failure', async () => {
    await open({ bypassCSP: true, reducedMotion: 'reduce' })
    const authenticator = await openWithPasskey()
    await authenticator.setVerified(false)
    for (const state of ['at rest', 'failed']) {
      if (state === 'failed') {
        await signIn().click()
        await alert().waitFor()
      }
      await page.evaluate(axe.source)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: 900 })
          const found = await page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
            violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + failureSummary)))`)
          expect(found, `${state}, ${colorScheme}, ${width} px`).to.deep.equal([])
          expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(width)
        }
      }
    }
  })

  it('runs no script but its own, and other pages run none', async () => {
    await VirtualAuthenticator.plugInto(page)
    const policy = async (path: string) => (await page.goto(origin + path))?.headers()['content-security-policy'] ?? ''
    const own = await policy('/auth/signin')
    expect(own).to.match(/script-src 'nonce-[\w-]+';/)
    expect(own).to.match(/connect-src 'self';/)
    expect(own).not.to.match(/unsafe|strict-dynamic|script-src[^;]*(?:http|self)/)
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<img src="/x" onerror="document.title = 1337">')`,
    )
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: 'document.title = 1337' }))`,
    )
    await page.waitForTimeout(100)
    expect(await page.title()).to.equal('Sign in')
    expect(complaints.length).to.equal(2)
    expect(await policy('/none')).not.to.match(/script-src|connect-src/)
  })
})
