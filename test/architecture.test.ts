import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { TRANSACTION_KINDS } from '../lib/compose.js'
import { FEATURE_ERRORS } from './support/error-classes.js'
import { usedPurposes } from './support/purposes.js'

/** The folders of lib/ in the one direction that imports may point: to the left. */
const LAYERS = [
  'kernel',
  'providers',
  'adapters',
  'oauth',
  'sessions',
  'client',
  'users',
  'pages',
  'sign-in',
  'features',
  'config',
  'compose',
  'visitor',
  'engine',
  'frameworks',
  'jwt',
  'index',
  'testing',
  'cli',
]

/** The public face, which names what features give to applications: entries, options, and the interface of a visitor. */
const PUBLIC = [
  'config/options.ts',
  'config/option-shapes.ts',
  'index.ts',
  'frameworks/web/index.ts',
  'visitor/operations.ts',
  'visitor/visitor.ts',
]

/** Folders that name nothing of a feature. */
const WITHOUT_FEATURES = ['kernel', 'sessions', 'users', 'pages', 'sign-in']

/** Where they name errors of features all the same. */
const NAMING_ERRORS = [
  // The type of `AuthError.type` is one list, a part of the contract with applications.
  'kernel/errors.ts',
  // Pages have texts for the values of a public parameter.
  'pages/error.ts',
  'pages/messages.ts',
]

const BUILT_IN_ERROR = /instanceof (?:(?:Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error|DOMException)\b/

const LIB = fileURLToPath(new URL('../lib', import.meta.url))

interface Import {
  /** Path of the importing file from lib/. */
  readonly file: string
  /** Path of the imported file from lib/. */
  readonly target: string
  readonly from: string
  readonly to: string
  /** Whether nothing is left of the import when the code runs. */
  readonly isType: boolean
}

const layerOf = (path: string) => relative(LIB, path).split(/[/.]/, 1)[0] ?? ''

const sourceFiles = () =>
  readdirSync(LIB, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(LIB, name))

/** `import … from './a.js'`, `export … from './a.js'`, `import './a.js'`, `import('./a.js')`, and those of types. */
const IMPORT = /(?:^(?:import|export)\s+(type\s+)?(?:[\w*{][^'"=;()]*?\sfrom\s+)?|import\()'(\.[^']+)'/gm

function importsOf(file: string): Import[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, type, specifier = '']) => {
    const target = resolve(dirname(file), specifier).replace(/\.js$/, '.ts')
    return {
      file: relative(LIB, file),
      target: relative(LIB, target),
      from: layerOf(file),
      to: layerOf(target),
      isType: type !== undefined,
    }
  })
}

/** Groups of files each of which reaches all others of its group by imports. A file that imports itself is a group, too. */
function circlesIn(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>()
  for (const { file, target } of imports) targets.set(file, [...(targets.get(file) ?? []), target])
  const reachedFrom = (start: string): Set<string> => {
    const reached = new Set<string>()
    const waiting = [start]
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop())
      for (const target of targets.get(file) ?? [])
        if (!reached.has(target)) {
          reached.add(target)
          waiting.push(target)
        }
    return reached
  }
  const reached = new Map([...targets.keys()].map((file) => [file, reachedFrom(file)]))
  const circles = [...reached]
    .filter(([file, others]) => others.has(file))
    .map(([file, others]) => [...others].filter((other) => reached.get(other)?.has(file)).sort())
  return [...new Map(circles.map((files) => [files.join(), files])).values()]
}

/** The folder of a feature that a file is in: `features/email`. */
const featureOf = (path: string) => /^features\/[^/]+/.exec(path)?.[0]

const namesOf = (imports: readonly Import[]) =>
  [...new Set(imports.map(({ file, target }) => `${file} → ${target}`))].sort()

describe('the folders of lib/', () => {
  const imports = sourceFiles().flatMap(importsOf)

  it('are all in the list of layers', () => {
    const unknown = sourceFiles()
      .map(layerOf)
      .filter((layer) => !LAYERS.includes(layer))
    expect(unknown).to.deep.equal([])
  })

  it('are in docs/architecture.md, in the same order', () => {
    const text = readFileSync(join(LIB, '../docs/architecture.md'), 'utf8')
    const [, table = ''] = text.split('| folder | holds |')
    const names = [...(table.split('\n\n', 1)[0] ?? '').matchAll(/^\| `([a-z-]+)(?:\/|\.ts)` \|/gm)].map(
      ([, name]) => name,
    )
    expect(names).to.deep.equal(LAYERS)
  })

  it('have every file that docs/architecture.md and their own comments name', () => {
    const files = sourceFiles().map((file) => relative(join(LIB, '..'), file))
    const isThere = (name: string) =>
      existsSync(join(LIB, '..', name)) || files.some((file) => `/${file}`.endsWith(`/${name}`))
    const texts = [join(LIB, '../docs/architecture.md'), ...sourceFiles()]
    const named = texts.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/`([a-z][\w/-]*\.ts)`/g)].map(([, name = '']) => ({ file, name })),
    )
    expect(named.length).to.be.greaterThan(100)
    expect(named.filter(({ name }) => !isThere(name))).to.deep.equal([])
  })

  it('import only from folders to their left', () => {
    expect(imports.length).to.be.greaterThan(100)
    const upward = imports.filter(({ from, to }) => LAYERS.indexOf(to) > LAYERS.indexOf(from))
    expect(namesOf(upward)).to.deep.equal([])
  })

  it('import nothing from the folder of a feature but what compose.ts attaches, and types of public entries', () => {
    const inside = imports.filter(({ file, target }) => {
      const feature = featureOf(target)
      return feature !== undefined && featureOf(file) !== feature && file !== 'compose.ts' && !PUBLIC.includes(file)
    })
    expect(namesOf(inside)).to.deep.equal([])
  })

  it('name no cookie, purpose or error of a feature where features are not known', () => {
    const cookies = TRANSACTION_KINDS.flatMap((kind) => Object.entries(kind.cookies))
    const purposes = usedPurposes().flatMap(({ place, purpose }) => (place.startsWith('features/') ? purpose : []))
    const errors = FEATURE_ERRORS.map(({ type }) => type)
    expect(Math.min(cookies.length, purposes.length, errors.length)).to.be.greaterThan(2)
    const texts = [...cookies.flatMap(([key, { name, purpose }]) => [key, name, purpose]), ...purposes]
      // A plain word such as `state` is also the name of other things.
      .filter((text) => !/^[a-z]+$/.test(text))
    const names = [...cookies.map(([key]) => `specs.${key}`), ...errors]
    const pattern = new RegExp(`'(?:${texts.join('|')})'|\\b(?:${names.join('|')})\\b`, 'g')
    const found = sourceFiles()
      .filter((file) => WITHOUT_FEATURES.includes(layerOf(file)) && !NAMING_ERRORS.includes(relative(LIB, file)))
      .flatMap((file) => {
        const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '')
        return [...code.matchAll(pattern)].map(([name]) => `${relative(LIB, file)}: ${name}`)
      })
    expect(found).to.deep.equal([])
  })

  it('have no files that import one another in a circle', () => {
    expect(circlesIn(imports.filter(({ isType }) => !isType))).to.deep.equal([])
    expect(circlesIn(imports)).to.deep.equal([])
  })

  it('have no parts of tests in the folder of a feature that no test collects', () => {
    const folder = join(LIB, '../test')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
    const parts = files.filter((file) => file.startsWith('features/') && !file.endsWith('.test.ts'))
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'))
    expect(parts.length).to.be.greaterThan(0)
    const isNamed = (name: string) => texts.some((text) => text.includes(`'${name}'`) || text.includes(`/${name}.js'`))
    // Those of types are for the compiler alone.
    const isOfTypes = (file: string) => existsSync(join(folder, 'types', basename(file)))
    expect(parts.filter((file) => !isNamed(basename(file, '.ts')) && !isOfTypes(file))).to.deep.equal([])
  })

  it('have no import whose file is unknown', () => {
    expect(imports.filter(({ target }) => !existsSync(join(LIB, target)))).to.deep.equal([])
  })

  it('read process.env in one file', () => {
    const readers = sourceFiles().filter((file) => readFileSync(file, 'utf8').includes('process.env'))
    const code = readers.filter((file) => /^(?!\s*(\*|\/\/)).*process\.env/m.test(readFileSync(file, 'utf8')))
    expect(code.map((file) => relative(LIB, file))).to.deep.equal(['config/env.ts'])
  })

  it('use no AsyncLocalStorage: its first run makes every promise of the process slower, in Node 20 and 22', () => {
    const users = sourceFiles().filter((file) => readFileSync(file, 'utf8').includes('async_hooks'))
    // An AsyncResource turns nothing on.
    expect(users.map((file) => relative(LIB, file))).to.deep.equal(['kernel/repeats.ts'])
    const imported = users.flatMap((file) => readFileSync(file, 'utf8').match(/^import .*async_hooks'$/gm) ?? [])
    expect(imported).to.deep.equal(["import { AsyncResource } from 'node:async_hooks'"])
  })

  it('take an error for one by isError(), which knows those of Node in a test runner with a realm of its own', () => {
    const asking = sourceFiles().filter((file) => BUILT_IN_ERROR.test(readFileSync(file, 'utf8')))
    // The function itself, and a text that must not be logged, which is asked for in both ways.
    expect(asking.map((file) => relative(LIB, file))).to.have.members(['kernel/describe-value.ts', 'oauth/faults.ts'])
  })

  it('have no top-level await, so that require() can load them', () => {
    const awaiting = sourceFiles().filter((file) => /^(?:const [^=]+= )?await /m.test(readFileSync(file, 'utf8')))
    expect(awaiting).to.deep.equal([])
  })
})
