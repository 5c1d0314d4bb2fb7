import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { requireChromium } from '../support/chromium.js'
import { ENVIRONMENT } from '../support/packed.js'
import { exportedPaths, ROOT } from './documents.js'

const run = promisify(execFile)

const FOLDER = join(ROOT, '.tmp/testing-guide')

/** The browser of this machine. */
const BROWSER = `
import { after } from 'node:test'
import { launchOwnChromium } from '../../test/support/chromium.js'
export const browser = await launchOwnChromium()
after(() => browser.close())
`
const SOURCE = join(ROOT, 'examples/recipes/testing')
const isInBrowser = (name: string) => name.includes('browser')

/** A file of the recipe, on the source of the package. */
function textOf(name: string): string {
  if (name === 'browser.ts') return BROWSER
  const paths = exportedPaths()
  const text = readFileSync(join(SOURCE, name), 'utf8')
  return text.replaceAll(/from '(latchkey[^']*)'/g, (_, entry: string) => `from '${paths[entry]?.[0]}'`)
}

describe('examples/recipes/testing: the tests pass', function () {
  this.timeout(120_000)
  const tests = readdirSync(SOURCE).filter((name) => name.endsWith('.test.ts'))

  before(() => {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    for (const name of readdirSync(SOURCE)) writeFileSync(join(FOLDER, name), textOf(name))
  })

  async function passing(chosen: readonly string[]): Promise<number> {
    const files = chosen.map((name) => join(FOLDER, name))
    const { NODE_TEST_CONTEXT: _, NODE_ENV: __, ...env } = ENVIRONMENT
    const { stdout } = await run(process.execPath, ['--import=tsx', '--test', '--test-reporter=tap', ...files], {
      cwd: ROOT,
      env,
    }).catch((failure) => failure)
    expect(stdout).to.match(/^# fail 0$/m)
    return Number(/^# pass (\d+)$/m.exec(stdout)?.[1])
  }

  it('without a browser', async () => {
    const chosen = tests.filter((name) => !isInBrowser(name))
    expect(chosen.length).to.be.greaterThan(5)
    // The file of the provider has two.
    expect(await passing(chosen)).to.equal(chosen.length + 1)
  })

  it('in Chromium', async function () {
    requireChromium.call(this)
    const chosen = tests.filter(isInBrowser)
    expect(chosen.length).to.be.greaterThan(1)
    expect(await passing(chosen)).to.equal(chosen.length)
  })
})
