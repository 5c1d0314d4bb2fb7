import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../docs/documents.js'

type Entry = Readonly<Record<string, string | Readonly<Record<string, string>>>>

const { exports, types, main, typesVersions } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, Entry | string>>
  readonly types: string
  readonly main: string
  readonly typesVersions: { readonly '*': Readonly<Record<string, readonly string[]>> }
}

/** The entries that have something to run. */
const ENTRIES = Object.entries(exports).filter((entry): entry is [string, Entry] => typeof entry[1] !== 'string')
/** Entries that browsers may have. */
const FOR_BROWSERS = ['./client', './react', './solid-start/client', './qwik/client']
/** Entries for frameworks that are ES modules themselves: nothing could use them as CommonJS. */
const ES_MODULES = ['./sveltekit', './solid-start', './solid-start/client', './qwik', './qwik/client']
/** What an entry gives to those that cannot run it; some have an answer of their own. */
const REFUSALS: Readonly<Record<string, readonly [browser: string, edge: string]>> = {
  './next': ['./dist/frameworks/next/browser.js', './dist/frameworks/next/edge.js'],
  './qwik': [
    './dist/client/import-latchkey-qwik-client-instead.js',
    './dist/client/latchkey-needs-the-nodejs-runtime.js',
  ],
}
const REFUSAL = [
  './dist/client/import-latchkey-client-instead.js',
  './dist/client/latchkey-needs-the-nodejs-runtime.js',
] as const

const inCommonJs = (file: string) => file.replace('./dist/', './dist/commonjs/')
const declarationsOf = (file: string) => file.replace(/\.js$/, '.d.ts')
const mainOf = (entry: Entry) => String(entry['default'])

/** What the conditions of an entry are, all in all. */
function expected(name: string, js: string): Entry {
  const isEsModule = ES_MODULES.includes(name)
  const [browser, edge] = REFUSALS[name] ?? REFUSAL
  const refusals = {
    workerd: js,
    'edge-light': edge,
    // Qwik bundles for browsers with the condition `min`, and without `browser`.
    min: browser,
    browser: isEsModule ? browser : { require: inCommonJs(browser), default: browser },
  }
  return {
    types: isEsModule ? declarationsOf(js) : { require: inCommonJs(declarationsOf(js)), default: declarationsOf(js) },
    ...(!FOR_BROWSERS.includes(name) && refusals),
    ...(!isEsModule && { 'module-sync': js, require: inCommonJs(js) }),
    default: js,
  }
}

describe('the conditions in `exports`', () => {
  it('give the code of the server to no browser and no edge runtime, and one ES module to `import` and `require` of Node', () => {
    expect(ENTRIES.map(([name]) => name)).to.include.members(['.', './web', './next', './sveltekit', './providers/*'])
    for (const [name, entry] of ENTRIES) expect(entry, name).to.deep.equal(expected(name, mainOf(entry)))
  })

  it('are in the order in which tools take the first that fits: wrangler has workerd and browser', () => {
    for (const [name, entry] of ENTRIES) {
      expect(Object.keys(entry), name).to.deep.equal(Object.keys(expected(name, mainOf(entry))))
    }
  })

  it('are repeated for tools that do not read them: every entry of CommonJS, and no other', () => {
    const declared = ENTRIES.filter(([name]) => !ES_MODULES.includes(name)).map(
      ([name, entry]) => [name.slice(2), inCommonJs(declarationsOf(mainOf(entry)))] as const,
    )
    const [first, ...others] = declared
    expect([first?.[1], declarationsOf(main)]).to.deep.equal([types, types])
    const found = Object.entries(typesVersions['*'])
    for (const [name, file] of others) {
      const [, files] =
        found.find(
          ([pattern]) => pattern === name || (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1))),
        ) ?? []
      expect(
        files?.some((each) => each === file || each === file.replace(/[^/]+(?=\.d\.ts$)/, '*')),
        name,
      ).to.equal(true)
    }
    for (const [pattern] of found) expect(Object.keys(exports)).to.include(`./${pattern}`)
  })
})
