import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Express } from 'express'
import type { Browser, Page } from 'playwright-core'
import type { ViteDevServer } from 'vite'
import type { AuthConfig } from '../../../lib/index.js'
import { type FakeOpenIdProvider, fakeOpenIdProvider } from '../../../lib/testing/index.js'
import { atLocalhost, listen, ADA as PASSWORD, passwords, type Running, SECRET } from '../../support/app.js'
import { makeCertificates } from '../../support/certificates.js'
import { launchOwnChromium, launchWithThirdPartyCookies, requireChromium } from '../../support/chromium.js'
import { freePort } from '../../support/free-port.js'
import { ROOT, snippets } from '../documents.js'
import { fromSource, loadRecipe, signedIn, textOf, useVariables, writeBlock } from './recipe.js'

const ADA = { id: '1815', name: 'Ada', email: 'ada@example.com' }
const RECIPE = 'single-page-app'
/** Names lead to this machine, as they would with a name server. */
const NAMES = ['--host-resolver-rules=MAP *.example 127.0.0.1']
const SERVER = /http:\/\/localhost:3000/g

interface Recipe {
  readonly app: Express
  readonly config: AuthConfig
}

describe('examples/recipes/single-page-app', function () {
  this.timeout(120_000)
  /** Two folders below the root, as the other files of recipes are. */
  const folderOf = (name: string) => join(ROOT, `.tmp/single-page-app-${process.pid}-${name}`)
  const folders: string[] = []
  let provider: FakeOpenIdProvider
  let browser: Browser
  useVariables({ AUTH_SECRET: SECRET, AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' })

  before(async function () {
    requireChromium.call(this)
    provider = await fakeOpenIdProvider()
    browser = await launchOwnChromium(NAMES)
  })
  after(async () => {
    await browser?.close()
    await provider?.close()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  /** The server of the recipe. GitHub is not here, so another provider signs Ada in. */
  const load = async (page: string, more: Partial<AuthConfig> = {}): Promise<Recipe> => {
    const given = globalThis as { ofTest?: Partial<AuthConfig> }
    given.ofTest = { providers: [provider.entry({ name: 'Acme' })], ...more, origins: [page] }
    try {
      // The page is at a port that is only known now.
      const change = (code: string) => code.replace(/(adapter: memoryAdapter\(\),)/, '$1 ...globalThis.ofTest,')
      return await loadRecipe<Recipe>(`${RECIPE}/server.ts`, change)
    } finally {
      delete given.ofTest
    }
  }

  /** The page of the recipe, served by Vite. */
  const servePage = async (server: string, options: object): Promise<ViteDevServer> => {
    const { createServer } = await import('vite')
    const root = folderOf(String(folders.length))
    folders.push(root)
    mkdirSync(root, { recursive: true })
    writeFileSync(join(root, 'index.html'), textOf(`${RECIPE}/index.html`))
    writeFileSync(join(root, 'main.tsx'), fromSource(textOf(`${RECIPE}/main.tsx`)).replace(SERVER, server))
    const vite = await createServer({
      configFile: false,
      root,
      cacheDir: join(root, 'cache'),
      logLevel: 'error',
      server: { strictPort: true, hmr: false, ws: false, fs: { allow: [ROOT] }, ...options },
    })
    return vite.listen()
  }

  const signInAtProvider = async (page: Page) => {
    provider.nextUser = { sub: ADA.id, name: ADA.name, email: ADA.email }
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/auth\/signin\?callbackUrl=/)
    await page.getByRole('button', { name: /Acme/ }).click()
  }

  /** What a visitor does: signs in at the provider, adds a note, signs out. */
  const useApp = async (page: Page, origin: string) => {
    await page.goto(`${origin}/`)
    await signInAtProvider(page)
    await page.waitForURL(`${origin}/`)
    await page.getByText('Notes of Ada').waitFor()
    await page.getByRole('button', { name: 'Add a note' }).click()
    await page.getByText('Written at').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(page.url()).to.equal(`${origin}/`)
  }

  describe('on two origins of one site', () => {
    let app: Running
    let vite: ViteDevServer
    let recipe: Recipe
    let origin: string

    before(async () => {
      const port = await freePort()
      origin = `http://localhost:${port}`
      recipe = await load(origin)
      app = atLocalhost(await listen(recipe.app))
      vite = await servePage(app.origin, { host: 'localhost', port })
    })
    after(async () => {
      await vite?.close()
      await app?.close()
    })

    it('signs in at a provider and comes back, adds a note, and signs out', async () => {
      const context = await browser.newContext()
      try {
        await useApp(await context.newPage(), origin)
      } finally {
        await context.close()
      }
    })

    it('leads who has signed out in another tab to the sign-in page', async () => {
      const context = await browser.newContext()
      try {
        const page = await context.newPage()
        await page.goto(`${origin}/`)
        await signInAtProvider(page)
        const add = page.getByRole('button', { name: 'Add a note' })
        await add.waitFor()
        await context.clearCookies()
        await add.click()
        await page.waitForURL(/\/auth\/signin\?callbackUrl=/)
      } finally {
        await context.close()
      }
    })

    it('answers scripts with JSON, and keeps the notes of each person apart', async () => {
      const refused = await app.visitor().get('/api/notes', { origin })
      expect([refused.status, refused.json()]).to.deep.equal([401, { message: 'Sign in first.' }])
      expect(refused.headers.get('access-control-allow-origin')).to.equal(origin)
      const grace = await signedIn(app, recipe.config, { id: '1906', name: 'Grace', email: 'grace@example.com' })
      expect((await grace.get('/api/notes')).json()).to.deep.equal([])
    })

    it('refuses a change that another site sends', async () => {
      const ada = await signedIn(app, recipe.config, ADA)
      expect((await ada.postJson('/api/notes', { text: 'x' }, { origin })).status, 'without the token').to.equal(403)
      const headers = { 'x-csrf-token': await ada.csrfToken(), origin, 'sec-fetch-site': 'same-site' }
      const evil = { ...headers, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      expect((await ada.postJson('/api/notes', { text: 'x' }, evil)).status).to.equal(403)
      expect((await ada.postJson('/api/notes', { text: 'x' }, headers)).status).to.equal(201)
    })

    it('a page at another port reads nothing, and signs nobody out', async () => {
      const context = await browser.newContext()
      try {
        const page = await context.newPage()
        await page.goto(`${origin}/`)
        await signInAtProvider(page)
        await page.getByText('Notes of Ada').waitFor()
        // The server itself shows a page of its own at its origin, which is not that of the front end.
        const other = await listen((_req, res) => void res.setHeader('content-type', 'text/html').end('<p>evil'))
        try {
          await page.goto(other.origin.replace('127.0.0.1', 'localhost'))
          for (const path of ['/auth/session', '/auth/csrf', '/api/notes']) {
            const read = await page.evaluate(
              (url) =>
                fetch(url, { credentials: 'include' }).then(
                  () => 'read',
                  () => 'refused',
                ),
              app.origin + path,
            )
            expect(read, path).to.equal('refused')
          }
          const framed = await page.evaluate(async (url) => {
            const frame = document.body.appendChild(document.createElement('iframe'))
            frame.src = url
            await new Promise((resolve) => frame.addEventListener('load', resolve))
            return frame.contentDocument === null
          }, `${app.origin}/auth/signin`)
          expect(framed, 'the frame shows an error of the browser').to.equal(true)
        } finally {
          await other.close()
        }
        await page.goto(`${origin}/`)
        await page.getByText('Notes of Ada').waitFor()
      } finally {
        await context.close()
      }
    })
  })

  describe('on two sites', () => {
    const { server: certificate } = makeCertificates()
    /** Serves the page at app.example, and the server at api.other.example, both with https. */
    const open = async (options: Partial<AuthConfig>, allowsThirdPartyCookies: boolean) => {
      const port = await freePort()
      const origin = `https://app.example:${port}`
      const recipe = await load(origin, options)
      const server = createHttpsServer(certificate, recipe.app)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const serverOrigin = `https://api.other.example:${(server.address() as AddressInfo).port}`
      const vite = await servePage(serverOrigin, {
        host: '127.0.0.1',
        port,
        https: certificate,
        allowedHosts: ['app.example'],
      })
      const profile = folderOf('profile')
      folders.push(profile)
      const context = allowsThirdPartyCookies
        ? await launchWithThirdPartyCookies(profile, NAMES)
        : await browser.newContext({ ignoreHTTPSErrors: true })
      return {
        origin,
        server: serverOrigin,
        page: await context.newPage(),
        async close() {
          await context.close()
          await vite.close()
          server.closeAllConnections()
          await new Promise((resolve) => server.close(resolve))
        },
      }
    }

    const recipeCookies = async (): Promise<Partial<AuthConfig>> =>
      (await import(writeBlock('cross-site', snippets().find(({ code }) => code.includes('crossSite'))?.code ?? '')))
        .options

    it('does the same where the browser sends third-party cookies, with the cookies of the recipe', async () => {
      const { origin, page, close } = await open(await recipeCookies(), true)
      try {
        await useApp(page, origin)
      } finally {
        await close()
      }
    })

    it('shows nobody as signed in where the browser blocks them', async () => {
      const { origin, page, close } = await open(await recipeCookies(), false)
      try {
        await page.goto(`${origin}/`)
        await signInAtProvider(page)
        await page.waitForURL(`${origin}/`)
        await page.getByRole('button', { name: 'Sign in' }).waitFor()
      } finally {
        await close()
      }
    })

    it('works in both with partitioned cookies, if the page sends the password itself', async () => {
      const partitioned = { options: { sameSite: 'none', secure: true, partitioned: true } } as const
      const cookies = { sessionToken: partitioned, csrfToken: partitioned }
      const { origin, server, page, close } = await open(
        { providers: [passwords], session: { strategy: 'jwt' }, cookies },
        false,
      )
      try {
        await page.goto(`${origin}/`)
        const client = `/@fs${join(ROOT, 'lib/client/index.ts')}`
        const name = await page.evaluate(
          async ({ client, server, fields }) => {
            const { createClient } = await import(client)
            const { signIn, getSession } = createClient({ baseUrl: server })
            await signIn('credentials', { ...fields, redirect: false })
            return (await getSession())?.user?.name
          },
          { client, server, fields: PASSWORD },
        )
        expect(name).to.equal('Ada')
      } finally {
        await close()
      }
    })

    it('says what is wrong if the cookies are as they are by default', async () => {
      const warnings: string[] = []
      const logger = { warn: (code: string) => void warnings.push(code), error: () => {} }
      const { origin, page, close } = await open({ logger }, true)
      try {
        await page.goto(`${origin}/`)
        await signInAtProvider(page)
        await page.waitForURL(`${origin}/`)
        await page.getByRole('button', { name: 'Sign in' }).waitFor()
        expect(warnings).to.include('cross-site-cookies')
      } finally {
        await close()
      }
    })
  })

  it('is served by Vite with the mount behind it, on one origin', async () => {
    const recipe = await load('http://localhost:5173')
    const app = await listen(recipe.app)
    const { createServer } = await import('vite')
    const configFile = writeBlock('vite.config', textOf(`${RECIPE}/vite.config.ts`).replaceAll(SERVER, app.origin))
    const server = await createServer({ configFile, root: ROOT, logLevel: 'silent', server: { port: 0 } })
    try {
      await server.listen()
      const origin = server.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? ''
      const page = await (await fetch(`${origin}/auth/signin`)).text()
      expect(page).to.include(`action="${origin}/auth/signin/fake"`)
      expect((await fetch(`${origin}/api/notes`)).status).to.equal(401)
    } finally {
      await server.close()
      await app.close()
    }
  })
})
