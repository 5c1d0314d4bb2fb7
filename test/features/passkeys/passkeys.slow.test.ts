import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import express, { type Response } from 'express'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { migrateToLatest, type SqlAdapter, sqlAdapter } from '../../../lib/adapters/sql.js'
import { type AuthConfig, listPasskeys, type Passkey, type RemovedPasskey, removePasskey } from '../../../lib/index.js'
import PasskeyProvider from '../../../lib/providers/passkey.js'
import { VirtualAuthenticator, withoutSuggestions } from '../../browser/authenticator.js'
import { serveClientModules } from '../../client/module-server.js'
import { createLog, type Log, type Running, SECRET, startApp } from '../../support/app.js'
import { launchChromium, requireChromium } from '../../support/chromium.js'

/** What a page of the application's own gets from `latchkey/client`. */
type Call = Record<string, unknown> | null

describe('passkeys, from the sign-in page to SQLite and back, in Chromium', function () {
  this.timeout(120_000)
  let browser: Browser
  const asked = new Set<string>()
  const complaints: string[] = []

  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    expect([...asked].sort(), 'hosts that any page asked').to.satisfy((hosts: string[]) =>
      hosts.every((host) => /^(?:localhost|127\.0\.0\.1):\d+$/.test(host)),
    )
    expect(complaints).to.deep.equal([])
  })

  for (const strategy of ['database', 'jwt'] as const) {
    describe(`with ${strategy === 'jwt' ? 'sessions in tokens' : 'stored sessions'}`, () => {
      let folder: string
      let adapter: SqlAdapter
      let running: Running
      let origin: string
      let log: Log
      let context: BrowserContext
      let people = 0
      const realNow = Date.now
      let now = () => realNow()

      before(async () => {
        folder = mkdtempSync(join(tmpdir(), 'latchkey-'))
        adapter = sqlAdapter({ sqlite: join(folder, 'auth.db') })
        await migrateToLatest({ sqlite: join(folder, 'auth.db') })
        log = createLog()
        const config: AuthConfig = {
          providers: [PasskeyProvider()],
          adapter,
          secret: SECRET,
          session: { strategy },
          logger: log.logger,
        }
        // Latchkey takes its clock when the configuration is resolved.
        Date.now = () => now()
        running = await startApp(config, (app) => {
          serveClientModules(app)
          const answer = (res: Response, work: Promise<unknown>) =>
            work.then(
              (body) => res.json(body),
              ({ status = 500, message }) => res.status(status).json({ message }),
            )
          app.get('/keys', (req, res) => answer(res, listPasskeys(req, config)))
          app.post('/keys/remove', express.json(), (req, res) => answer(res, removePasskey(req, config, req.body)))
        })
        // WebAuthn has no relying party that is an IP address.
        origin = running.origin.replace('127.0.0.1', 'localhost')
      })
      after(async () => {
        Date.now = realNow
        await running?.close()
        await adapter?.close()
        if (folder) rmSync(folder, { recursive: true, force: true })
      })
      beforeEach(async () => {
        context = await browser.newContext()
      })
      afterEach(() => context.close())

      async function openPage(in_ = context): Promise<Page> {
        const page = await in_.newPage()
        page.on('request', (request) => asked.add(new URL(request.url()).host))
        page.on('console', (message) => {
          if (/content security policy/i.test(message.text())) complaints.push(message.text())
        })
        page.on('pageerror', (error) => complaints.push(error.message))
        return page
      }

      const signInPage = () => `${origin}/auth/signin?callbackUrl=${encodeURIComponent('/own')}`
      const newAddress = () => `person-${++people}@example.com`

      /** What `latchkey/client` gives in the application's own page. */
      async function inOwnPage(page: Page, call: string): Promise<Call> {
        if (!page.url().startsWith(`${origin}/own`)) await page.goto(`${origin}/own`)
        await page.waitForFunction('window.client')
        return page.evaluate(`Promise.resolve(${call}).catch(({ code }) => ({ code }))`)
      }
      const emailOf = async (page: Page) =>
        ((await inOwnPage(page, 'client.getSession()'))?.['user'] as Call)?.['email'] ?? null
      const keysOf = (page: Page) =>
        page.evaluate(`fetch('/keys').then((answer) => answer.json())`) as Promise<Passkey[]>

      /** Signs somebody up at the built-in page. */
      async function signUp(page: Page, email = newAddress()): Promise<string> {
        await page.goto(signInPage())
        await page.fill('[type=email]', email)
        await page.getByRole('button', { name: 'Create a passkey' }).click()
        await page.waitForURL('**/own')
        return email
      }

      async function signOut(page: Page) {
        await page.goto(`${origin}/auth/signout`)
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
        expect(await emailOf(page)).to.equal(null)
      }

      it('signs up, out, and in again by the button', async () => {
        const page = await openPage()
        await withoutSuggestions(page)
        const authenticator = await VirtualAuthenticator.plugInto(page)
        const email = await signUp(page)
        expect(await emailOf(page)).to.equal(email)
        await signOut(page)

        await page.goto(signInPage())
        await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
        await page.waitForURL('**/own')
        expect(await emailOf(page)).to.equal(email)
        const [passkey] = await authenticator.passkeys()
        expect(passkey, 'a passkey that names its owner by nothing personal').to.include({ isResidentCredential: true })
        expect(Buffer.from(passkey?.userHandle ?? '', 'base64').toString()).not.to.include('example')
        expect(log.errors).to.deep.equal([])
      })

      it('signs in by a passkey that is picked among the suggestions for the field', async () => {
        const page = await openPage()
        const authenticator = await VirtualAuthenticator.plugInto(page)
        await authenticator.setPresence(false)
        await page.goto(signInPage())
        await authenticator.setPresence(true)
        const email = await signUp(page)
        await signOut(page)
        await page.goto(signInPage())
        await page.waitForURL('**/own')
        expect(await emailOf(page)).to.equal(email)
      })

      it('adds a second passkey to whoever is signed in, and removes the first', async () => {
        const page = await openPage()
        await withoutSuggestions(page)
        const phone = await VirtualAuthenticator.plugInto(page)
        const email = await signUp(page)
        expect(await inOwnPage(page, 'client.registerPasskey({ redirect: false })'), 'the same device').to.deep.equal({
          code: 'already-registered',
        })

        await phone.unplug()
        const laptop = await VirtualAuthenticator.plugInto(page)
        expect(await inOwnPage(page, 'client.registerPasskey({ redirect: false })')).to.include({ ok: true })
        const [first, second, ...more] = await keysOf(page)
        expect(more).to.deep.equal([])
        expect(await emailOf(page)).to.equal(email)

        const remove = (key: Passkey | undefined) =>
          page.evaluate(`fetch('/keys/remove', { method: 'POST', headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ credentialID: ${JSON.stringify(key?.credentialID)} }) })
            .then(async (answer) => [answer.status, await answer.json()])`) as Promise<[number, RemovedPasskey]>
        const [status, removed] = await remove(first)
        expect(status).to.equal(200)
        expect(removed.passkey.credentialID).to.equal(first?.credentialID)
        expect((await keysOf(page)).map(({ credentialID }) => credentialID)).to.deep.equal([second?.credentialID])
        expect((await remove(second))[0], 'the last one stays').to.equal(409)

        await signOut(page)
        expect(await inOwnPage(page, 'client.signInWithPasskey({ redirect: false })')).to.include({ ok: true })
        expect(await emailOf(page)).to.equal(email)
        expect(await laptop.passkeys()).to.have.length(1)
      })

      it('ACCT-02: says that somebody who signed in long ago is to sign in again, before they add a passkey', async () => {
        const page = await openPage()
        await withoutSuggestions(page)
        await VirtualAuthenticator.plugInto(page)
        // A tab that was opened before anybody was signed in still offers a new passkey.
        const older = await openPage()
        await withoutSuggestions(older)
        await VirtualAuthenticator.plugInto(older)
        await older.goto(signInPage())
        await signUp(page)
        now = () => realNow() + 901_000
        try {
          expect(await inOwnPage(page, 'client.registerPasskey({ redirect: false })')).to.deep.equal({
            code: 'sign-in-again',
          })
          await older.fill('[type=email]', newAddress())
          await older.getByRole('button', { name: 'Create a passkey' }).click()
          await older.getByText('Sign in again, and then add the passkey.').waitFor()
        } finally {
          now = () => realNow()
        }
      })

      it('tells the browser which passkey is worth nothing, so that it offers it no more', async () => {
        const page = await openPage()
        await withoutSuggestions(page)
        const authenticator = await VirtualAuthenticator.plugInto(page)
        await signUp(page)
        const [key] = await authenticator.passkeys()
        const credentialId = Buffer.from(key?.credentialId ?? '', 'base64').toString('base64url')
        const signal = JSON.stringify({ rpId: 'localhost', credentialId })
        expect(await inOwnPage(page, `client.forgetPasskey(${signal})`)).to.equal(true)
        expect(await authenticator.passkeys()).to.deep.equal([])
      })

      it('says that a removed passkey is not known, and lets nobody in', async () => {
        const page = await openPage()
        await withoutSuggestions(page)
        await VirtualAuthenticator.plugInto(page)
        await signUp(page)
        const [key] = await keysOf(page)
        await adapter.deleteAuthenticator?.(String(key?.credentialID))
        await signOut(page)
        await page.goto(signInPage())
        await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
        await page.getByText('We do not know that passkey').waitFor()
        expect(await emailOf(page)).to.equal(null)
      })

      it('cancels, and signs in at the next try', async () => {
        const page = await openPage()
        await withoutSuggestions(page)
        const authenticator = await VirtualAuthenticator.plugInto(page)
        const email = await signUp(page)
        await signOut(page)
        await page.goto(signInPage())
        await authenticator.setVerified(false)
        await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
        await page.getByText('That was cancelled').waitFor()
        await authenticator.setVerified(true)
        await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
        await page.waitForURL('**/own')
        expect(await emailOf(page)).to.equal(email)
      })

      it('offers none at an IP address, and tells a page of the application why', async () => {
        const page = await openPage()
        await VirtualAuthenticator.plugInto(page)
        await page.goto(`${running.origin}/auth/signin`)
        await page.locator('#passkey-form').waitFor({ state: 'hidden' })
        expect(await page.getByRole('heading', { name: 'Sign in' }).count()).to.equal(1)
        await page.goto(`${running.origin}/own`)
        await page.waitForFunction('window.client')
        for (const call of ['signInWithPasskey', 'registerPasskey']) {
          const { code } = (await page.evaluate(
            `client.${call}({ email: 'ada@example.com', redirect: false }).catch(({ code }) => ({ code }))`,
          )) as { code?: string }
          expect(code, call).to.equal('not-allowed')
        }
      })

      it('does not sign up with the address of somebody else', async () => {
        const page = await openPage()
        await withoutSuggestions(page)
        await VirtualAuthenticator.plugInto(page)
        const email = await signUp(page)
        await signOut(page)
        const stranger = await browser.newContext()
        const other = await openPage(stranger)
        await withoutSuggestions(other)
        await VirtualAuthenticator.plugInto(other)
        await other.goto(signInPage())
        await other.fill('[type=email]', email)
        await other.getByRole('button', { name: 'Create a passkey' }).click()
        await other
          .getByRole('alert')
          .getByText(/that (?:e-mail )?address/)
          .waitFor()
        expect(await emailOf(other)).to.equal(null)
        await stranger.close()
      })

      it('signs in with one of two ceremonies at once, in two tabs of one browser, and says what became of the other', async () => {
        const first = await openPage()
        await withoutSuggestions(first)
        await VirtualAuthenticator.plugInto(first)
        const email = await signUp(first)
        const tabs = [first, await openPage()] as const
        // Tabs have a device each here, so each gets a passkey of its own.
        await VirtualAuthenticator.plugInto(tabs[1])
        expect(await inOwnPage(tabs[1], 'client.registerPasskey({ redirect: false })')).to.include({ ok: true })
        await signOut(first)
        // Each has its challenge before either has an answer.
        const waiting = new Set<Page>()
        let release = () => {}
        const bothHave = new Promise<void>((resolve) => {
          release = resolve
        })
        for (const tab of tabs) {
          await tab.route('**/webauthn-options/**', async (route) => {
            const response = await route.fetch()
            waiting.add(tab)
            if (waiting.size === 2) release()
            await bothHave
            await route.fulfill({ response })
          })
        }
        const signIn = (tab: Page) => inOwnPage(tab, 'client.signInWithPasskey({ redirect: false })')
        const results = await Promise.all(tabs.map(signIn))
        // The first to end ends the other, unless both answers were on their way by then.
        const ends = results.map((result) => (result?.['ok'] === true ? true : result?.['code']))
        expect(ends).to.include(true)
        for (const end of ends) expect(end).to.be.oneOf([true, 'session-changed'])
        expect(await emailOf(first)).to.equal(email)
      })
    })
  }
})
