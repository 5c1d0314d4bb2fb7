import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { type PagePreview, startPagePreview } from '../support/page-preview.js'
import { pageSamples } from '../support/page-samples.js'

const NAMES = Object.keys(pageSamples('http://app.example'))

/** How axe looks at the pages, by language. The colours are the same in all languages, so together they have each width with each scheme. */
const LOOKS = {
  en: [
    ['light', 390],
    ['dark', 1280],
  ],
  de: [['dark', 390]],
  ar: [['light', 1280]],
} as const

/** Of windows, from the smallest phone on. */
const WIDTHS = [320, 390, 600, 768, 1280]

describe('the pages in Chromium', function () {
  this.timeout(120_000)
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

  describe('have no fault that axe-core finds, light and dark, and are never wider than the window, in three languages', () => {
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
        for (const [language, looks] of Object.entries(LOOKS)) {
          await page.setExtraHTTPHeaders({ 'accept-language': language })
          await page.goto(`${preview.origin}/${name}`)
          await page.evaluate(axe.source)
          for (const [colorScheme, width] of looks) {
            await page.emulateMedia({ colorScheme })
            await page.setViewportSize({ width, height: 900 })
            const found = await page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
              violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`)
            expect(found, `${language}, ${colorScheme}, ${width} px`).to.deep.equal([])
          }
          expect(await page.locator('html').getAttribute('lang')).to.equal(language)
          for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: 700 })
            const shown = await page.evaluate('document.documentElement.scrollWidth')
            expect(shown, `not wider than the window of ${width} px, ${language}`).to.be.at.most(width)
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

  it('write addresses from left to right in Arabic, too, at the side where the text begins', async () => {
    const context = await browser.newContext({ locale: 'ar' })
    const { page } = await open(context)
    await page.goto(`${preview.origin}/signin-all`)
    const field = await page.evaluate(
      `(({ direction, textAlign }) => [document.dir, direction, textAlign])(getComputedStyle(document.querySelector('[type=email]')))`,
    )
    expect(field).to.deep.equal(['rtl', 'ltr', 'end'])
    await context.close()
  })

  it('say on a phone in one line how acting as a user stops', async () => {
    for (const locale of ['en', 'de', 'ar']) {
      const context = await browser.newContext({ locale, viewport: { width: 390, height: 700 } })
      const { page } = await open(context)
      await page.goto(`${preview.origin}/act-as-account`)
      const lines = await page.evaluate(`(() => {
        const range = document.createRange()
        range.selectNodeContents(document.querySelector('.banner a'))
        return range.getClientRects().length
      })()`)
      expect(lines, locale).to.equal(1)
      await context.close()
    }
  })

  it('lead out in the direction of reading', async () => {
    for (const [locale, direction] of [
      ['en', 1],
      ['ar', -1],
    ] as const) {
      const context = await browser.newContext({ locale })
      const { page } = await open(context)
      await page.goto(`${preview.origin}/signout`)
      const turned = await page.evaluate(`new DOMMatrix(getComputedStyle(document.querySelector('.exit')).transform).a`)
      expect(turned, locale).to.equal(direction)
      await context.close()
    }
  })

  it('mark the button that was used last, and its name stays what it was', async () => {
    const context = await browser.newContext()
    const { page } = await open(context)
    for (const [name, button] of [
      ['signin-last-used', 'Sign in with Google'],
      ['signin-last-used-password', 'Sign in'],
      ['signin-last-used-many', 'Sign in with Discord'],
    ] as const) {
      await page.goto(`${preview.origin}/${name}`)
      const marked = page.getByRole('button', { name: button, exact: true, description: 'Used last' })
      const note = await page.getByText('Used last').boundingBox()
      const own = await marked.boundingBox()
      expect(note && own && note.x > own.x && note.x + note.width < own.x + own.width, name).to.equal(true)
      const above = await page.evaluate(`document.elementFromPoint(${(note?.x ?? 0) + 4}, ${(note?.y ?? 0) + 4}).id`)
      expect(above, `${name}: nothing covers it`).to.equal('last-used')
      for (const link of await page.locator('.forgot').all()) {
        const beside = await link.boundingBox()
        expect(note && beside && note.x + note.width < beside.x, `${name}: beside no link`).to.equal(true)
      }
    }
    await context.close()
  })

  it('ask for the address before a link is mailed, and for nothing else that the form requires', async () => {
    const context = await browser.newContext()
    const { page } = await open(context)
    await page.goto(`${preview.origin}/signin-all`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    const posts: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && posts.push(request.url())))
    await page.getByRole('button', { name: 'E-mail me a link' }).click()
    expect(await page.evaluate(`document.activeElement.name + document.activeElement.validity.valueMissing`)).to.equal(
      'emailtrue',
    )
    expect(posts).to.deep.equal([])
    await page.locator('input[type=email]').fill('ada@example.com')
    await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST'),
      page.getByRole('button', { name: 'E-mail me a link' }).click(),
    ])
    expect(posts).to.have.length(1)
    await context.close()
  })

  it('have buttons with their text in one line, one below the other where two have no room', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 1000 } })
    const { page } = await open(context)
    for (const language of Object.keys(LOOKS)) {
      await page.setExtraHTTPHeaders({ 'accept-language': language })
      await page.goto(`${preview.origin}/signin-all`)
      await page.locator('[data-use]').waitFor()
      const heights = await page.evaluate(`[...document.querySelectorAll('.quiet')].map((each) => each.offsetHeight)`)
      // A second line makes 57 pixels and more.
      for (const height of heights as number[]) expect(height, language).to.be.within(40, 50)
    }
    await context.close()
  })

  it('break no link of the sign-in page in its middle', async () => {
    const context = await browser.newContext()
    const { page } = await open(context)
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 1000 })
      await page.goto(`${preview.origin}/signin-links`)
      await page.locator('[data-register]').waitFor()
      const lines = await page.evaluate(
        '[...document.querySelectorAll(".hint a")].map((a) => a.getClientRects().length)',
      )
      expect(lines, `${width} px`).to.deep.equal([1])
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
