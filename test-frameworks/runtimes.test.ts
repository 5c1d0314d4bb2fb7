import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { launchChromium, requireChromium } from '../test/support/chromium.js'

const HERE = fileURLToPath(new URL('runtimes/', import.meta.url))

/** How each runtime starts a program in TypeScript whose imports name files of JavaScript. */
const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  bun: ['run'],
  deno: ['run', '--allow-all', '--unstable-sloppy-imports'],
}

describe('the demo, with its SQLite file, under', function () {
  this.timeout(120_000)
  let folder: string
  let browser: Browser

  before(async function () {
    this.timeout(300_000)
    requireChromium.call(this)
    folder = mkdtempSync(join(tmpdir(), 'latchkey-runtimes-'))
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(HERE, file), join(folder, file))
    await promisify(execFile)('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder })
    browser = await launchChromium()
  })

  after(async () => {
    await browser?.close()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  for (const [runtime, options] of Object.entries(RUNTIMES)) {
    describe(runtime, () => {
      let served: ChildProcess
      let url: string

      before(async () => {
        const program = join(folder, 'node_modules/.bin', runtime)
        const args = [...options, join(HERE, 'serve.ts'), join(folder, `${runtime}.sqlite`)]
        served = spawn(program, args, { cwd: HERE, stdio: ['ignore', 'pipe', 'inherit'] })
        url = await new Promise<string>((resolve, reject) => {
          served.stdout?.on('data', (line: Buffer) => {
            const origin = /^(http:\S+)\/$/m.exec(String(line))?.[1]
            if (origin !== undefined) resolve(origin)
          })
          served.once('exit', (code) => reject(new Error(`${runtime} ended with ${code}.`)))
          served.once('error', reject)
        })
      })

      after(async () => {
        if (served?.exitCode !== null || served.signalCode !== null) return
        served.kill()
        await once(served, 'exit')
      })

      const visit = async (work: (page: Page) => Promise<void>) => {
        const context = await browser.newContext({ javaScriptEnabled: false })
        try {
          const page = await context.newPage()
          page.setDefaultTimeout(20_000)
          await page.goto(`${url}/account`)
          await work(page)
        } finally {
          await context.close()
        }
      }
      const shown = (page: Page) => page.locator('main').textContent()

      it('signs in with the OpenID provider, and out', () =>
        visit(async (page) => {
          await page.getByRole('button', { name: 'Harbour ID' }).click()
          await page.getByLabel('Name').fill('Grace Hopper')
          await page.getByLabel('E-mail address').fill('grace@example.com')
          await page.getByRole('button', { name: 'Continue' }).click()
          expect(page.url()).to.equal(`${url}/account`)
          expect(await shown(page)).to.include('Grace Hopper')
          await page.getByRole('navigation').getByRole('link', { name: 'Sign out' }).click()
          await page.getByRole('button', { name: 'Sign out' }).click()
          expect(await shown(page)).to.include('You are not signed in.')
          await page.goto(`${url}/account`)
          expect(new URL(page.url()).pathname).to.equal('/auth/signin')
        }))

      it('signs in with a password', () =>
        visit(async (page) => {
          await page.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com')
          await page.getByRole('textbox', { name: 'Password' }).fill('analytical engine')
          await page.getByRole('textbox', { name: 'Password' }).press('Enter')
          expect(page.url()).to.equal(`${url}/account`)
          expect(await shown(page)).to.include('Ada Lovelace')
        }))
    })
  }
})
