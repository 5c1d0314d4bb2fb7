import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { type PagePreview, startPagePreview } from '../support/page-preview.js'
import { pageSamples } from '../support/page-samples.js'

const NAMES = Object.keys(pageSamples('http://app.example'))

describe('the pages in Chromium', function () {
  this.timeout(60_000)
  let browser: Browser
  let preview: PagePreview
  let redirectTo = '/signout'

  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
    preview = await startPagePreview(() => redirectTo)
  })
  after(async () => {
    await browser?.close()
    await preview?.close()
  })

  /** A page that notes what a content policy or the console complains of, and which hosts were asked. */
  async function open(context: BrowserContext): Promise<{ page: Page; complaints: string[]; hosts: Set<string> }> {
    const page = await context.newPage()
    const complaints: string[] = []
    const hosts = new Set<string>()
    page.on('console', (message) => {
      // Chromium asks for an icon on its own; an application has one or not.
      if (['error', 'warning'].includes(message.type()) && !message.location().url.endsWith('/favicon.ico'))
        complaints.push(`${message.text()} ${message.location().url}`)
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) hosts.add(new URL(request.url()).host)
    })
    return { page, complaints, hosts }
  }

  describe('have no fault that axe-core finds, light and dark, 390 and 1280 px wide', () => {
    let context: BrowserContext
    let page: Page
    before(async () => {
      // The policy admits no script; axe has to be let in past it. All else about it is tested below.
      context = await browser.newContext({ bypassCSP: true, reducedMotion: 'reduce' })
      ;({ page } = await open(context))
    })
    after(() => context?.close())

    for (const name of NAMES) {
      it(name, async () => {
        await page.goto(`${preview.origin}/${name}`)
        await page.evaluate(axe.source)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          for (const width of [390, 1280]) {
            await page.setViewportSize({ width, height: 900 })
            const found = await page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
              violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`)
            expect(found, `${colorScheme}, ${width} px`).to.deep.equal([])
          }
        }
      })
    }
  })

  it('break no rule of their content policy and ask no other host', async () => {
    const context = await browser.newContext()
    const { page, complaints, hosts } = await open(context)
    for (const name of NAMES) await page.goto(`${preview.origin}/${name}`)
    expect(complaints).to.deep.equal([])
    expect([...hosts]).to.deep.equal([new URL(preview.origin).host])
    const colour = await page.evaluate('getComputedStyle(document.querySelector(".primary")).backgroundColor')
    expect(colour, 'the style is applied').to.equal('rgb(52, 84, 209)')
    await context.close()
  })

  it('run no script that data or an attacker brings in', async () => {
    const context = await browser.newContext()
    const { page, complaints } = await open(context)
    await page.goto(`${preview.origin}/signin`)
    await page.evaluate(
      `document.querySelector('main').insertAdjacentHTML('beforeend', '<img src="/x" onerror="document.title = 1337">')`,
    )
    await page.waitForTimeout(200)
    expect(await page.title()).to.equal('Sign in')
    expect(complaints.join()).to.match(/script-src|inline event handler/i)
    await context.close()
  })

  it('are never wider than the window, from 320 px on', async () => {
    const context = await browser.newContext()
    const { page } = await open(context)
    for (const name of NAMES) {
      await page.goto(`${preview.origin}/${name}`)
      for (const width of [320, 390, 600, 768, 1280]) {
        await page.setViewportSize({ width, height: 700 })
        expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} at ${width}`).to.be.at.most(width)
      }
    }
    await context.close()
  })

  it('show all ways to sign in on the first screen of a laptop', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const { page } = await open(context)
    await page.goto(`${preview.origin}/signin-all`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    expect(await page.getByRole('button').count()).to.equal(7)
    expect(await page.evaluate('document.documentElement.scrollHeight')).to.be.at.most(800)
    await context.close()
  })

  it('are used with the keyboard alone, in the order in which they are read', async () => {
    const context = await browser.newContext()
    const { page } = await open(context)
    await page.goto(`${preview.origin}/signin`)
    const stops: unknown[] = []
    for (let press = 0; press < 6; press++) {
      await page.keyboard.press('Tab')
      stops.push(
        await page.evaluate('document.activeElement.name || document.activeElement.querySelector("bdi").innerText'),
      )
    }
    expect(stops).to.deep.equal(['GitHub', 'Google', 'Keycloak', 'username', 'password', 'Sign in'])
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth')
    expect(outline, 'focus is seen').to.equal('2px')
    await context.close()
  })

  it('send their fields when Enter is pressed', async () => {
    const context = await browser.newContext()
    const { page } = await open(context)
    await page.goto(`${preview.origin}/signin-form`)
    // Chromium gives the cursor to a field with `autofocus` when it draws the page first, which may be after the load event.
    await page.waitForSelector('[name=username]:focus')
    await page.keyboard.type('ada')
    await page.keyboard.press('Tab')
    await page.keyboard.type('correct horse')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/signout')
    expect(Object.fromEntries(preview.lastForm() ?? [])).to.deep.equal({
      csrfToken: 'f'.repeat(64),
      callbackUrl: `${preview.origin}/`,
      username: 'ada',
      password: 'correct horse',
    })
    await context.close()
  })

  it('let a form be answered with a redirect to a provider elsewhere', async () => {
    const provider = createServer((_, response) => response.end('the provider'))
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    redirectTo = `http://localhost:${(provider.address() as AddressInfo).port}/authorize`
    const context = await browser.newContext()
    const { page, complaints } = await open(context)
    await page.goto(`${preview.origin}/signin`)
    await page.getByRole('button', { name: 'Sign in with GitHub' }).click()
    await page.waitForURL(redirectTo)
    expect(await page.textContent('body')).to.equal('the provider')
    expect(complaints).to.deep.equal([])
    await context.close()
    provider.close()
    provider.closeAllConnections()
    redirectTo = '/signout'
  })
})
