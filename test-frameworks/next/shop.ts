import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from '../../test/support/chromium.js'
import { sendRaw } from '../../test/support/raw-http.js'
import { Visitor } from '../../test/support/visitor.js'
import type { ServedExample } from '../support/built-example.js'
import { MOUNT_IN_SHOP, type NextApplication, SESSION } from './application.js'

const DIST = '.next-shop'

/** Whether the builds of an earlier run are used again. */
const isKept = process.env.FRAMEWORKS_FOLDER !== undefined

/** The application below `basePath: '/shop'`, with locales and trailing slashes. */
export function describeShop(
  app: () => NextApplication,
  build: (env: Record<string, string>) => Promise<string>,
): void {
  describe('below basePath, with the locales of i18n and with trailingSlash, built by webpack', () => {
    let browser: Browser
    let served: ServedExample
    const env = { IN_SHOP: 'yes', DIST }
    const start = (more: object = {}, port?: number) =>
      app().serve({ ...env, MORE_CONFIG: JSON.stringify({ basePath: MOUNT_IN_SHOP, ...more }) }, port)

    before(async function () {
      this.timeout(600_000)
      browser = await launchChromium()
      if (!isKept || !existsSync(join(app().example.folder, DIST, 'BUILD_ID'))) {
        const began = Date.now()
        expect(await build(env)).to.include('Finalizing page optimization')
        console.info(`    built in ${((Date.now() - began) / 1000).toFixed(0)} s`)
      }
      served = await start({}, app().shopPort)
    })
    after(async () => {
      await served?.stop()
      await browser?.close()
      if (!isKept) rmSync(join(app().example.folder, DIST), { recursive: true, force: true })
    })

    async function visit(work: (page: Page) => Promise<void>): Promise<void> {
      const context = await browser.newContext()
      try {
        await work(await context.newPage())
      } finally {
        await context.close()
      }
    }
    const enter = async (page: Page) => {
      await page.fill('[name=username]', 'ada')
      await page.fill('[name=password]', 'lovelace')
      await page.locator('form:has([name=password]) button').click()
    }
    const heading = (page: Page, text: string) => page.locator('h1', { hasText: text }).waitFor()

    for (const [path, text] of Object.entries({
      '/shop/papers/': 'Papers of Ada',
      '/shop/letters/': 'Letters of Ada',
      '/shop/de/letters/': 'Letters of Ada',
      '/shop/pt-BR/letters/': 'Letters of Ada',
    })) {
      it(`leads from ${path} through the sign-in page, and back`, () =>
        visit(async (page) => {
          await page.goto(served.origin + path)
          expect(new URL(page.url()).pathname).to.match(/^\/shop\/api\/auth\/signin\/?$/)
          await enter(page)
          await heading(page, text)
          expect(new URL(page.url()).pathname).to.equal(path)
        }))
    }

    it('signs in at a provider, whose callback is below basePath', () =>
      visit(async (page) => {
        await page.goto(`${served.origin}/shop/`)
        await page.getByRole('button', { name: 'Sign in with Harbour ID', exact: true }).click()
        await page.fill('[name=login]', 'grace')
        await page.fill('[name=password]', 'any')
        await page.click('button[type=submit]')
        await page.click('button[type=submit]')
        await page.waitForURL((url) => url.href.startsWith(`${served.origin}/`))
        await page.goto(`${served.origin}/shop/papers/`)
        await heading(page, 'Papers of Person grace')
        await page.goto(`${served.origin}/shop/`)
        await page.getByRole('button', { name: 'Sign out', exact: true }).click()
        await page.waitForURL((url) => url.pathname.includes('/about'))
        await page.goto(`${served.origin}/shop/papers/`)
        expect(new URL(page.url()).pathname).to.include('/signin')
      }))

    it('is guarded in every spelling of path and locale', async () => {
      const buildId = readFileSync(join(app().example.folder, DIST, 'BUILD_ID'), 'latin1').trim()
      const data = `/shop/_next/data/${buildId}`
      const paths = [
        ...['', '/en', '/de', '/DE', '/De', '/pt-br', '/PT-BR', '/%64e', '/de/de', '/fr', '/de%2F'].flatMap(
          (locale) => [
            `/shop${locale}/letters`,
            `/shop${locale}/letters/`,
            `/shop${locale}/LETTERS/`,
            `/shop${locale}/letters/kept/`,
            `/shop${locale}/letters%2Fkept/`,
            `/shop${locale}/papers/`,
            `/shop${locale}/papers/rules/`,
            `${data}${locale}/letters.json`,
            `${data}${locale}/letters/kept.json`,
          ],
        ),
        '/letters/',
        '/de/letters/',
        '/shop//letters/',
        '//shop/letters/',
        '/SHOP/letters/',
        '/shop/shop/letters/',
        '/de/shop/letters/',
        '/%73hop/letters/',
      ]
      const headers = [{}, { 'x-nextjs-data': '1' }, { cookie: 'NEXT_LOCALE=de', 'accept-language': 'pt-BR' }]
      for (const path of paths)
        for (const given of headers as Record<string, string>[]) {
          const { status, body } = await sendRaw(served.origin, path, { headers: given })
          expect(status, `${path} ${JSON.stringify(given)}`).to.be.oneOf([307, 308, 400, 401, 404])
          expect(body, path).not.to.match(/Letters of|Papers of|Rules for/)
        }
    })

    it('renews the session of a page in each locale, and keeps a page made in advance out of shared caches', async () => {
      const visitor = new Visitor(served.origin)
      await visit(async (page) => {
        await page.goto(`${served.origin}/shop/papers/`)
        await enter(page)
        await heading(page, 'Papers of Ada')
        for (const { name, value } of await page.context().cookies()) visitor.jar.set(name, value)
      })
      for (const path of ['/shop/letters/kept/', '/shop/de/letters/kept/', '/shop/de/news/']) {
        const { status, cookies, headers } = await visitor.get(path)
        expect([status, cookies.has(SESSION)], path).to.deep.equal([200, true])
        expect(headers.get('cache-control'), path).not.to.match(/s-maxage|public/)
      }
      expect((await visitor.get('/shop/de/letters/')).text).to.match(/Letters of (<!-- -->)?Ada/)
    })

    it('shows the page of pages.signIn behind the guard, with and without the trailing slash', async () => {
      for (const signIn of ['/shop/papers/enter', '/shop/papers/enter/']) {
        const other = await start({ pages: { signIn } })
        try {
          await visit(async (page) => {
            await page.goto(`${other.origin}/shop/de/letters/`)
            await heading(page, 'Members enter here')
            expect(new URL(page.url()).searchParams.get('callbackUrl')).to.equal(`${other.origin}/shop/de/letters/`)
          })
        } finally {
          await other.stop()
        }
      }
    })
  })
}
