import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { launchChromium, requireChromium } from '../../test/support/chromium.js'

/** What `npm run docs` has built. */
const SITE = fileURLToPath(new URL('../.built/site/', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
}

/** A server of files, as any host of static pages has one. */
async function serveSite(): Promise<{ server: Server; origin: string }> {
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://localhost')
    const file = join(SITE, pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    if (!existsSync(file) || statSync(file).isDirectory()) return void res.writeHead(404).end()
    res.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' })
    createReadStream(file).pipe(res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('the site of the documents', () => {
  let server: Server
  let origin: string
  let browser: Browser
  let page: Page
  const foreign: string[] = []
  const faults: string[] = []

  before(requireChromium)
  before(async () => {
    ;({ server, origin } = await serveSite())
    browser = await launchChromium()
    page = await browser.newPage()
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) foreign.push(request.url())
    })
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(response.url())
    })
    page.on('pageerror', (error) => faults.push(error.message))
  })
  after(async () => {
    await browser?.close()
    server?.close()
    server?.closeAllConnections()
  })

  it('finds the guide to passkeys', async () => {
    await page.goto(`${origin}/`)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.locator('input[type=search]').fill('passkey')
    const found = page.locator('a.result')
    await found.first().waitFor()
    const links = await found.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))
    expect(links.some((link) => /passkey/i.test(link))).to.equal(true)
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`shows guides, providers and the reference in a ${colorScheme} browser`, async () => {
      await page.emulateMedia({ colorScheme })
      for (const path of [
        '/',
        '/overview.html',
        '/guides/passkeys.html',
        '/migrating/from-auth-express.html',
        '/recipes/',
        '/recipes/roles.html',
        '/providers/github.html',
        '/api/latchkey.html',
      ]) {
        await page.goto(origin + path)
        expect(await page.locator('.vp-doc h1').count(), path).to.equal(1)
        const isDark = /\bdark\b/.test((await page.locator('html').getAttribute('class')) ?? '')
        expect(isDark, path).to.equal(colorScheme === 'dark')
      }
    })
  }

  it('asks no other host, and lacks nothing', () => {
    expect({ foreign, faults }).to.deep.equal({ foreign: [], faults: [] })
  })

  it('has no link to a page or a heading that is not there', () => {
    const pages = readdirSync(SITE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
    const texts = new Map(pages.map((name) => [`/${name}`, readFileSync(SITE + name, 'utf8')]))
    const dead = [...texts].flatMap(([from, text]) =>
      [...text.matchAll(/<a [^>]*href="([^"]+)"/g)]
        .map(([, link = '']) => new URL(link, `http://site${from}`))
        .filter(({ host, pathname }) => host === 'site' && !pathname.startsWith('/auth'))
        .filter(({ pathname, hash }) => {
          const target = texts.get(pathname.endsWith('/') ? `${pathname}index.html` : pathname)
          return target === undefined || (hash !== '' && !target.includes(`id="${decodeURIComponent(hash.slice(1))}"`))
        })
        .map((url) => `${from}: ${url.pathname}${url.hash}`),
    )
    expect(pages.length).to.be.greaterThan(300)
    expect([...new Set(dead)]).to.deep.equal([])
  })
})
