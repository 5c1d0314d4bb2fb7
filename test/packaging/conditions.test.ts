import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../docs/documents.js'

type Entry = Readonly<Record<string, string>>

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, Entry | string>>
}

/** The entries that have something to run. */
const ENTRIES = Object.entries(exports).filter((entry): entry is [string, Entry] => typeof entry[1] !== 'string')
/** Entries that browsers may have. */
const FOR_BROWSERS = ['./client', './react', './solid-start/client', './qwik/client']
/** What an entry gives to those that cannot run it; some have an answer of their own. */
const REFUSALS: Readonly<Record<string, Entry>> = {
  './next': forBrowsers('./dist/integrations/next/browser.js', './dist/integrations/next/edge.js'),
  './qwik': forBrowsers('./dist/client/import-latchkey-qwik-client-instead.js'),
}
const REFUSAL = forBrowsers('./dist/client/import-latchkey-client-instead.js')

/** Qwik bundles for browsers with the condition `min`, and without `browser`. */
function forBrowsers(file: string, edge = './dist/client/latchkey-needs-the-nodejs-runtime.js'): Entry {
  return { 'edge-light': edge, min: file, browser: file }
}

describe('the conditions in `exports`', () => {
  it('give the code of the server to no browser and no edge runtime, from whatever entry', () => {
    const servers = ENTRIES.filter(([name]) => !FOR_BROWSERS.includes(name))
    expect(servers.map(([name]) => name)).to.include.members(['.', './web', './next', './sveltekit', './solid-start'])
    for (const [name, entry] of servers) {
      const { types, default: main = 'nothing', ...others } = entry
      expect(others, name).to.deep.equal({ workerd: main, ...(REFUSALS[name] ?? REFUSAL) })
      expect(types, name).to.equal(main.replace(/\.js$/, '.d.ts'))
    }
  })

  it('are in the order in which tools take the first that fits: wrangler has workerd and browser', () => {
    for (const [name, entry] of ENTRIES) {
      const order = ['types', 'workerd', 'edge-light', 'min', 'browser', 'default']
      expect(Object.keys(entry), name).to.deep.equal(order.filter((condition) => condition in entry))
    }
  })

  it('keep nothing from browsers that is made for them', () => {
    for (const name of FOR_BROWSERS) expect(Object.keys(exports[name] ?? {}), name).to.deep.equal(['types', 'default'])
  })
})
