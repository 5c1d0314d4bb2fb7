import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { requireChromium } from '../support/chromium.js'
import { ENVIRONMENT } from '../support/packed.js'
import { exportedPaths, ROOT, type Snippet, snippets } from './documents.js'

const run = promisify(execFile)

const FOLDER = join(ROOT, '.tmp/testing-guide')

/** The application that the guide tests. `url` is its public origin, or undefined for the one at which it is asked. */
const application = (url: string | undefined) => `
import express from 'express'
import { type AuthConfig, expressAuth, getSession, requireAuth } from '../../lib/index.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import Passkey from '../../lib/providers/passkey.js'

export const config: AuthConfig = {
  secret: 'a secret that is long enough for anything',
  adapter: memoryAdapter(),
  providers: [Passkey()],
  ${url === undefined ? '' : `url: '${url}',`}
}
export const app = express()
  .use('/auth', expressAuth(config))
  .get('/invoices', requireAuth(config), (_req, res) => void res.json([]))
  .get('/', async (req, res) => {
    const user = (await getSession(req, config))?.user
    res.send('Hello, ' + (user?.name ?? user?.email))
  })
`

/** Modules that have what the blocks of the guide stand on. */
const MODULES: Readonly<Record<string, string>> = {
  'asked.ts': application('http://localhost:3000'),
  'listening.ts': `${application(undefined)}
import { once } from 'node:events'
import { after } from 'node:test'
import type { AddressInfo } from 'node:net'
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
export const origin = 'http://localhost:' + (server.address() as AddressInfo).port
after(() => {
  server.close()
  server.closeAllConnections()
})
`,
  'chromium.ts': `
import { after } from 'node:test'
import { launchChromium } from '../../test/support/chromium.js'
export const browser = await launchChromium()
after(() => browser.close())
`,
}

const homeOf = (name: string, names: readonly string[]): string => {
  if (name === 'browser') return 'chromium'
  return names.includes('origin') ? 'listening' : 'asked'
}

/** A block as a file of tests, on the source of the package. */
function fileOf({ code, names }: Snippet): string {
  const paths = exportedPaths()
  const own = code.replaceAll(/from '(latchkey[^']*)'/g, (_, name: string) => `from '${paths[name]?.[0]}'`)
  return names.map((name) => `import { ${name} } from './${homeOf(name, names)}.js'\n`).join('') + own
}

describe('docs/guides/testing.md: the tests pass', function () {
  this.timeout(60_000)
  const blocks = snippets().filter(({ path }) => path === 'docs/guides/testing.md')
  const isInBrowser = ({ names }: Snippet) => names.includes('browser')

  before(() => {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    for (const [file, code] of Object.entries(MODULES)) writeFileSync(join(FOLDER, file), code)
  })

  async function passing(chosen: readonly Snippet[]): Promise<number> {
    const files = chosen.map((block) => {
      const file = join(FOLDER, `line-${block.line}.test.ts`)
      writeFileSync(file, fileOf(block))
      return file
    })
    const { NODE_TEST_CONTEXT: _, NODE_ENV: __, ...env } = ENVIRONMENT
    const { stdout } = await run(process.execPath, ['--import=tsx', '--test', '--test-reporter=tap', ...files], {
      cwd: ROOT,
      env,
    }).catch((failure) => failure)
    expect(stdout).to.match(/^# fail 0$/m)
    return Number(/^# pass (\d+)$/m.exec(stdout)?.[1])
  }

  it('without a browser', async () => {
    const chosen = blocks.filter((block) => !isInBrowser(block))
    expect(chosen.length).to.be.greaterThan(5)
    // The block of the provider has two.
    expect(await passing(chosen)).to.equal(chosen.length + 1)
  })

  it('in Chromium', async function () {
    requireChromium.call(this)
    const chosen = blocks.filter(isInBrowser)
    expect(chosen.length).to.be.greaterThan(1)
    expect(await passing(chosen)).to.equal(chosen.length)
  })
})
