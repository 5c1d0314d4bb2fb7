import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { build } from 'esbuild'
import type { Express } from 'express'
import type { Browser } from 'playwright-core'
import type { AuthConfig } from '../../../lib/index.js'
import { signInAs } from '../../../lib/testing/index.js'
import { listen, type Running, SECRET } from '../../support/app.js'
import { launchChromium, requireChromium } from '../../support/chromium.js'
import { blockOf, loadRecipe, signedIn, useVariables, writeBlock } from './recipe.js'

const ADA = { id: '1815', name: 'Ada', email: 'ada@example.com' }

describe('docs/recipes/single-page-app.md', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-spa-'))
  const files = join(folder, 'public')
  let recipe: { app: Express; config: AuthConfig }
  let app: Running
  let browser: Browser
  useVariables({ AUTH_SECRET: SECRET, AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' })

  before(async function () {
    requireChromium.call(this)
    mkdirSync(files)
    const page = '<!doctype html><html lang="en"><title>Notes</title><main></main>'
    writeFileSync(join(files, 'index.html'), `${page}<script type="module" src="/browser.js"></script>`)
    const entry = writeBlock('browser', blockOf('single-page-app', 'latchkey/client'))
    await build({ entryPoints: [entry], outfile: join(files, 'browser.js'), bundle: true, format: 'esm' })
    recipe = await loadRecipe('single-page-app', {
      change: (code) => code.replaceAll("'public'", JSON.stringify(files)),
    })
    app = await listen(recipe.app)
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    await app?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('shows who is signed in, adds a note, and signs out', async () => {
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      await page.goto(`${app.origin}/notes/7`)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(/\/auth\/signin/)
      expect(await page.getByRole('button', { name: /GitHub/ }).count(), 'the sign-in page').to.equal(1)
      // GitHub is not here, so the person comes back with a session.
      const { cookies } = await signInAs(recipe.config, ADA, { origin: app.origin })
      await context.addCookies([...cookies])
      await page.goto(`${app.origin}/notes/7`)
      await page.getByText('Notes of Ada').waitFor()
      await page.getByRole('button', { name: 'Add a note' }).click()
      await page.getByText('Written at').waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(`${app.origin}/`)
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
    } finally {
      await context.close()
    }
  })

  it('leads who has signed out in another tab to the sign-in page', async () => {
    const context = await browser.newContext()
    try {
      const { cookies } = await signInAs(recipe.config, ADA, { origin: app.origin })
      await context.addCookies([...cookies])
      const page = await context.newPage()
      await page.goto(app.origin)
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
    const refused = await app.visitor().get('/api/notes')
    expect([refused.status, refused.json()]).to.deep.equal([401, { message: 'Sign in first.' }])
    const grace = await signedIn(app, recipe.config, { id: '1906', name: 'Grace', email: 'grace@example.com' })
    expect((await grace.get('/api/notes')).json()).to.deep.equal([])
  })

  it('refuses a change that another site sends', async () => {
    const ada = await signedIn(app, recipe.config, ADA)
    expect((await ada.postJson('/api/notes', { text: 'x' })).status, 'without the token').to.equal(403)
    const token = await ada.csrfToken()
    const evil = { 'x-csrf-token': token, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await ada.postJson('/api/notes', { text: 'x' }, evil)).status).to.equal(403)
    expect((await ada.postJson('/api/notes', { text: 'x' }, { 'x-csrf-token': token })).status).to.equal(201)
  })

  it('is served by Vite with the mount behind it', async () => {
    const { createServer } = await import('vite')
    const [, target = ''] = /'(http:\/\/localhost:3000)'/.exec(blockOf('single-page-app', 'vite')) ?? []
    const code = blockOf('single-page-app', 'vite').replaceAll(target, app.origin)
    const configFile = writeBlock('vite.config', code)
    const server = await createServer({ configFile, root: files, logLevel: 'silent', server: { port: 0 } })
    try {
      await server.listen()
      const origin = server.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? ''
      const page = await (await fetch(`${origin}/auth/signin`)).text()
      expect(page).to.include(`action="${origin}/auth/signin/github"`)
      expect((await fetch(`${origin}/api/notes`)).status).to.equal(401)
    } finally {
      await server.close()
    }
  })
})
