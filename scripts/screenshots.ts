// Makes the pictures of docs/images/ from the pages as they are now: `npx tsx scripts/screenshots.ts`. It needs Chromium, as
// the tests in a browser do.
//
// With `--all`, it makes a picture of every page and of the demo, to look at: light and dark, 390 and 1280 px wide, in English,
// German and Arabic, with sheets of many pictures. They go into .tmp/screenshots/, which is not committed. Words after `--all`
// select the pages whose names begin with one of them: `--all signin demo`.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express from 'express'
import type { Browser, Page } from 'playwright-core'
import { startDemo } from '../examples/demo/demo.js'
import { memoryAdapter } from '../lib/adapters/memory.js'
import { expressAuth } from '../lib/index.js'
import GitHub from '../lib/providers/catalogue/github.js'
import Google from '../lib/providers/catalogue/google.js'
import Keycloak from '../lib/providers/catalogue/keycloak.js'
import Credentials from '../lib/providers/credentials.js'
import Email from '../lib/providers/email.js'
import Passkey from '../lib/providers/passkey.js'
import { launchChromium } from '../test/support/chromium.js'
import { startPagePreview } from '../test/support/page-preview.js'

const folderOf = (path: string) => fileURLToPath(new URL(`../${path}/`, import.meta.url))

/** The pictures of the documents: file and path of the page. */
const PICTURES: Readonly<Record<string, string>> = { 'sign-in.png': '/auth/signin' }

async function makePicturesOfDocuments(browser: Browser): Promise<void> {
  const client = { clientId: 'example', clientSecret: 'example' }
  // One provider of each kind.
  const app = express().use(
    '/auth',
    expressAuth({
      secret: 'only-for-pictures-'.repeat(3),
      theme: { name: 'Example' },
      adapter: memoryAdapter(),
      session: { strategy: 'jwt' },
      providers: [
        GitHub(client),
        Google(client),
        Keycloak({ ...client, issuer: 'https://id.example/realms/example' }),
        Passkey(),
        Email({ from: 'no-reply@example.com', sendVerificationRequest: () => {} }),
        Credentials({
          credentials: { email: { type: 'email' }, password: { type: 'password' } },
          authorize: () => null,
        }),
      ],
    }),
  )
  const folder = folderOf('docs/images')
  mkdirSync(folder, { recursive: true })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  try {
    const page = await browser.newPage({ viewport: { width: 1000, height: 800 }, locale: 'en', colorScheme: 'light' })
    for (const [file, path] of Object.entries(PICTURES)) {
      // A name: browsers have no passkeys for an address.
      await page.goto(`http://localhost:${(server.address() as AddressInfo).port}${path}`)
      await page.screenshot({ path: `${folder}${file}`, animations: 'disabled' })
      console.log(`docs/images/${file}`)
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** How a page may be looked at. */
interface Look {
  readonly locale: string
  readonly colorScheme: 'light' | 'dark'
  readonly viewport: { readonly width: number; readonly height: number }
}

const LOOKS: readonly Look[] = ['en', 'de', 'ar'].flatMap((locale) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ].map((viewport) => ({ locale, colorScheme, viewport })),
  ),
)

const nameOf = ({ locale, colorScheme, viewport }: Look) => `${locale}-${colorScheme}-${viewport.width}`

/** How many pictures stand on one sheet. */
const PER_SHEET = 24

async function makeAllPictures(browser: Browser, wanted: readonly string[]): Promise<void> {
  const folder = folderOf('.tmp/screenshots')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const isWanted = (name: string) => wanted.length === 0 || wanted.some((start) => name.startsWith(start))
  for (const look of LOOKS) {
    const files: string[] = []
    const page = await browser.newPage({ ...look, reducedMotion: 'reduce' })
    const take = async (name: string) => {
      if (!isWanted(name)) return
      const file = `${folder}${name}-${nameOf(look)}.png`
      await page.screenshot({ path: file, fullPage: true, animations: 'disabled' })
      files.push(file)
    }
    await photographPages(page, take, isWanted)
    if (wanted.length === 0 || wanted.some((start) => start.startsWith('demo'))) await photographDemo(page, take)
    await page.close()
    await makeSheets(browser, files, `${folder}sheet-${nameOf(look)}`)
    console.log(`.tmp/screenshots/: ${files.length} pictures, ${nameOf(look)}`)
  }
}

type Take = (name: string) => Promise<void>

async function photographPages(page: Page, take: Take, isWanted: (name: string) => boolean): Promise<void> {
  const preview = await startPagePreview()
  try {
    for (const name of preview.names.filter(isWanted)) {
      await page.goto(`${preview.origin}/${name}`)
      // The script shows them.
      const needsPasskeys = page.locator('[data-needs-passkeys]')
      if ((await needsPasskeys.count()) > 0) await needsPasskeys.first().waitFor()
      await take(name)
    }
  } finally {
    await preview.close()
  }
}

/** A visit to the demo. */
async function photographDemo(page: Page, take: Take): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-pictures-'))
  const silent = { error() {}, warn() {}, info() {} }
  const demo = await startDemo({ port: 0, database: join(directory, 'demo.sqlite'), logger: silent })
  try {
    await page.goto(demo.url)
    await take('demo-home')
    await page.goto(`${demo.url}/auth/signin?callbackUrl=/account`)
    await take('demo-sign-in')
    const form = page.locator('form:has([name=password])')
    await form.locator('[name=email]').fill('ada@example.com')
    await form.locator('[formaction]').click()
    await page.waitForURL('**/mailbox?**')
    await take('demo-mailbox')
    await page.locator('.mails a').first().click()
    await page.frameLocator('iframe').getByRole('heading').first().waitFor()
    await take('demo-mail')
    await page.goto(`${demo.url}/auth/signin?callbackUrl=/account`)
    await form.locator('[name=email]').fill('ada@example.com')
    await form.locator('[name=password]').fill('wrong')
    await form.locator('.primary').click()
    await page.waitForURL('**error=**')
    await take('demo-sign-in-failed')
    await form.locator('[name=password]').fill('analytical engine')
    await form.locator('.primary').click()
    await page.waitForURL('**/account')
    // In every language.
    const make = page.locator('form[action$="/token"] button')
    await make.waitFor()
    await take('demo-account')
    await make.click()
    await page.waitForURL('**/token')
    await take('demo-token')
    await page.goto(demo.url)
    await take('demo-home-signed-in')
    await page.goto(`${demo.url}/auth/link/harbour?callbackUrl=/account`)
    await take('demo-link')
    await page.locator('form .primary').click()
    await take('demo-provider')
  } finally {
    await demo.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Sheets of small pictures, and a page with all of them. */
async function makeSheets(browser: Browser, files: readonly string[], name: string): Promise<void> {
  const figures = files.map((file) => {
    const caption = file.slice(file.lastIndexOf('/') + 1, -4)
    const data = readFileSync(file).toString('base64')
    return `<figure><img src="data:image/png;base64,${data}"><figcaption>${caption}</figcaption></figure>`
  })
  const sheet = (some: readonly string[]) => `<!doctype html><title>${name}</title><style>
    body { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px; background: #999; font: 12px sans-serif }
    figure { margin: 0 } img { display: block; max-height: 460px; max-width: 587px }</style>${some.join('')}`
  writeFileSync(`${name}.html`, sheet(figures))
  const page = await browser.newPage({ viewport: { width: 1800, height: 600 } })
  for (let at = 0; at < figures.length; at += PER_SHEET) {
    await page.setContent(sheet(figures.slice(at, at + PER_SHEET)))
    await page.screenshot({ path: `${name}-${at / PER_SHEET + 1}.png`, fullPage: true })
  }
  await page.close()
}

const [mode, ...wanted] = process.argv.slice(2)
const browser = await launchChromium()
try {
  if (mode === '--all') await makeAllPictures(browser, wanted)
  else await makePicturesOfDocuments(browser)
} finally {
  await browser.close()
}
