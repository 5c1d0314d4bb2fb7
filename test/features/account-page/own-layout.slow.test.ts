import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { csrfToken, renderAccount, requireAuth } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'
import { signInAs } from '../../../lib/testing/index.js'
import { atLocalhost, type Running, startApp, testConfig } from '../../support/app.js'
import { launchChromium, requireChromium } from '../../support/chromium.js'

/** A page of an application, with a style sheet of its own and the parts of the account page. */
const pageOf = (parts: string, done: string | null) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Mine</title><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<style>body { margin: 0 auto; max-width: 60rem; padding: 1rem; font-family: serif }</style>
<link rel="stylesheet" href="/auth/assets/pages.css"></head>
<body><header><h1>Tickets</h1> <button class="small">Menu</button></header>
<div class="latchkey">${done === null ? '' : `<p class="done" role="status">${done}</p>`}${parts}</div>
<script src="/auth/assets/passkey-buttons.js" defer></script></body></html>`

describe('the account page in the layout of an application', function () {
  this.timeout(120_000)
  let browser: Browser
  let app: Running
  const adapter = memoryAdapter()
  const config = testConfig({
    adapter,
    providers: [Passkey()],
    session: { strategy: 'database' },
    pages: { account: '/me' },
  })

  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
    const started = await startApp(config, (server) => {
      server.get('/me', requireAuth(config), async (req, res) => {
        const { parts, done } = await renderAccount(req, config, { csrfToken: await csrfToken(req, res, config) })
        res.setHeader(
          'content-security-policy',
          "default-src 'self'; style-src 'self' 'unsafe-inline'; base-uri 'none'",
        )
        res.send(pageOf(parts.map(({ html }) => html).join(''), done))
      })
    })
    app = atLocalhost(started)
  })
  after(async () => {
    await browser?.close()
    await app?.close()
  })

  it('works without a script, fits into a phone, and changes nothing else of the page', async () => {
    const { id } = await adapter.createUser({
      email: 'ada@example.com',
      emailVerified: new Date(),
      name: 'Ada',
    } as never)
    const { cookie } = await signInAs(config, { id }, { origin: app.origin })
    const cookies = cookie.split('; ').map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return { name, value: value.join('='), url: app.origin }
    })
    for (const [locale, colorScheme, width] of [
      ['en', 'light', 1280],
      ['de', 'dark', 320],
      ['ar', 'light', 320],
    ] as const) {
      const context = await browser.newContext({
        locale,
        colorScheme,
        viewport: { width, height: 800 },
        javaScriptEnabled: false,
      })
      await context.addCookies(cookies)
      const page = await context.newPage()
      await page.goto(`${app.origin}/me`)
      await page.locator('summary').first().click()
      await page.locator('input[name=name]').first().fill(`Ada ${locale}`)
      await page.locator('details[open] button').first().click()
      expect(page.url()).to.equal(`${app.origin}/me?done=name`)
      expect(await page.locator('.latchkey > .done').count()).to.equal(1)
      expect(await page.locator('h2:dir(rtl)').count(), locale).to.equal(
        locale === 'ar' ? await page.locator('h2').count() : 0,
      )
      expect(await page.locator('#part-profile + ul').textContent()).to.include(`Ada ${locale}`)
      await context.close()
    }
    const page = await browser.newPage({ viewport: { width: 320, height: 800 }, locale: 'de' })
    await page.context().addCookies(cookies)
    await page.goto(`${app.origin}/me`)
    await page.getByRole('button', { name: 'Passkey hinzufügen' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(320)
    const styles = (selector: string, property: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)
    expect(await styles('header h1', 'textAlign')).to.equal('start')
    expect(await styles('header .small', 'borderRadius')).to.equal('0px')
    expect(await styles('.latchkey .small', 'borderRadius')).to.equal('10px')
    await page.context().close()
  })
})
