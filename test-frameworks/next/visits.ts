import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium } from '../../test/support/chromium.js'
import type { NextApplication } from './application.js'

/** What a person does in a browser, with and without JavaScript. */
export function describeVisits(app: () => NextApplication): void {
  for (const javaScriptEnabled of [true, false]) {
    describe(`in Chromium, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
      let browser: Browser
      let context: BrowserContext
      let page: Page

      before(async () => {
        browser = await launchChromium()
      })
      after(() => browser?.close())
      beforeEach(async () => {
        context = await browser.newContext({ javaScriptEnabled })
        page = await context.newPage()
        await page.goto(app().origin)
      })
      afterEach(() => context.close())

      const heading = () => page.locator('h1')
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      const shows = async (text: string) => {
        await page.locator('h1', { hasText: text }).waitFor()
        expect(await heading().innerText()).to.equal(text)
      }
      async function enter(password: string) {
        await page.fill('#password [name=username]', 'ada')
        await page.fill('#password [name=password]', password)
        await press('Sign in with a password')
      }

      it('says that a password is wrong, and signs in with the right one', async () => {
        await enter('wrong')
        await page.getByText('Name or password is wrong.').waitFor()
        await enter('lovelace')
        await shows('Papers of Ada')
        expect(page.url()).to.equal(`${app().origin}/papers`)
      })

      it('signs in and out without a redirect of Latchkey', async () => {
        await press('Sign in without a redirect')
        await shows('Papers of Ada')
        expect(page.url()).to.equal(`${app().origin}/papers?quietly`)
        await page.goto(app().origin)
        await press('Sign out without a redirect')
        await shows('About this application')
        expect(page.url()).to.equal(`${app().origin}/about?quietly`)
      })

      it('signs in at a provider', async () => {
        await press('Sign in with Harbour ID')
        await page.fill('[name=login]', 'grace')
        await page.fill('[name=password]', 'any')
        await page.click('button[type=submit]')
        await page.click('button[type=submit]')
        await shows('Papers of Person grace')
      })

      it('signs in by a mailed link', async () => {
        const address = `person${app().mails.delivered.length}@example.com`
        await page.fill('#mail [name=email]', address)
        await press('Send me a link')
        await page.waitForURL('**/api/auth/verify-request**')
        const mail = app().mails.delivered.find(({ to }) => to.includes(address))
        const link = /http:\/\/localhost:\S+/.exec(mail?.mail.text ?? '')?.[0]
        await page.goto(link ?? '')
        await shows(`Papers of ${address}`)
      })

      it('follows a link to a guarded page: through the sign-in page, and back', async () => {
        await page.getByRole('link', { name: 'Papers' }).click()
        await page.waitForURL('**/api/auth/signin**')
        await page.fill('[name=username]', 'ada')
        await page.fill('[name=password]', 'lovelace')
        await page.locator('form:has([name=password]) button').click()
        await shows('Papers of Ada')
      })

      it('shows the sign-in page where no provider is chosen, changes the session, and ends it', async () => {
        await press('Sign in')
        await page.waitForURL('**/api/auth/signin**')
        await page.fill('[name=username]', 'ada')
        await page.fill('[name=password]', 'lovelace')
        await page.locator('form:has([name=password]) button').click()
        await shows('Hello, Ada')
        await page.fill('[name=name]', 'Augusta')
        await press('Rename')
        await shows('Hello, Augusta')
        await press('Sign out')
        await shows('About this application')
        await page.goto(app().origin)
        await shows('Nobody is signed in')
      })
    })
  }
}
