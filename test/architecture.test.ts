import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

/** The folders of lib/ in the one direction that imports may point: to the left. */
const LAYERS = [
  'awaitable',
  'errors',
  'logging',
  'logger',
  'shapes',
  'crypto',
  'http',
  'providers',
  'adapters',
  'sessions',
  'client',
  'accounts',
  'pages',
  'flows',
  'config',
  'context',
  'actions',
  'engine',
  'express',
  'index',
  'testing',
  'cli',
]

const LIB = fileURLToPath(new URL('../lib', import.meta.url))

interface Import {
  readonly file: string
  readonly from: string
  readonly to: string
}

const layerOf = (path: string) => relative(LIB, path).split(/[/.]/, 1)[0] ?? ''

const sourceFiles = () =>
  readdirSync(LIB, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(LIB, name))

function importsOf(file: string): Import[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(/(?:from\s+|import\(|^import\s+)'(\.[^']+)'/gm)
  return [...specifiers].map(([, specifier = '']) => ({
    file: relative(LIB, file),
    from: layerOf(file),
    to: layerOf(resolve(dirname(file), specifier)),
  }))
}

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
    const names = [...(table.split('\n\n', 1)[0] ?? '').matchAll(/^\| `([a-z]+)(?:\/|\.ts)` \|/gm)].map(
      ([, name]) => name,
    )
    expect(names).to.deep.equal(LAYERS)
  })

  it('import only from folders to their left', () => {
    expect(imports.length).to.be.greaterThan(100)
    const upward = imports.filter(({ from, to }) => LAYERS.indexOf(to) > LAYERS.indexOf(from))
    expect(upward).to.deep.equal([])
  })

  it('read process.env in one file', () => {
    const readers = sourceFiles().filter((file) => readFileSync(file, 'utf8').includes('process.env'))
    const code = readers.filter((file) => /^(?!\s*(\*|\/\/)).*process\.env/m.test(readFileSync(file, 'utf8')))
    expect(code.map((file) => relative(LIB, file))).to.deep.equal(['config/env.ts'])
  })

  it('have no top-level await, so that require() can load them', () => {
    const awaiting = sourceFiles().filter((file) => /^(?:const [^=]+= )?await /m.test(readFileSync(file, 'utf8')))
    expect(awaiting).to.deep.equal([])
  })
})
