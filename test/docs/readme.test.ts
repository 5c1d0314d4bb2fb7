import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { providerPages } from '../../scripts/provider-docs.js'
import { type Document, documents, ROOT, readText } from './documents.js'

const README = readText('README.md')
const CONFIGURATION = readText('docs/guides/configuration.md')

/** Members of an interface in a source file. */
function membersOf(name: string, file: string): string[] {
  const body = new RegExp(`interface ${name} \\{(.*?)^\\}`, 'ms').exec(readText(file))?.[1] ?? ''
  return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, member = '']) => member)
}

/** The types of options that have members. */
const NESTED: Readonly<Record<string, [name: string, file: string]>> = {
  session: ['SessionOptions', 'lib/config/options.ts'],
  jwt: ['JWTOptions', 'lib/config/options.ts'],
  callbacks: ['Callbacks', 'lib/sign-in/callbacks.ts'],
  logging: ['LoggingOptions', 'lib/kernel/log-context.ts'],
}

const missingIn = (text: string, names: readonly string[]) => names.filter((name) => !text.includes(`\`${name}\``))

describe('the README', () => {
  it('shows the application of examples/express-github', () => {
    const shown = /```ts\n(.*?)```/s.exec(README)?.[1]
    const example = readText('examples/express-github/app.ts')
      .replace(/^\/\/.*\n/m, '')
      .replace('../../lib/index.js', 'latchkey')
      .replace('../../lib/providers/catalogue/github.js', 'latchkey/providers/github')
    expect(shown).to.equal(example)
  })

  it('is short enough to read before the first try', () => {
    expect(README.split('\n')).to.have.lengthOf.at.most(181)
  })
})

describe('the guide to the configuration', () => {
  it('lists every option', () => {
    const options = membersOf('AuthConfig', 'lib/config/options.ts').flatMap((name) => {
      const nested = NESTED[name]
      return nested ? membersOf(...nested).map((member) => `${name}.${member}`) : [name]
    })
    expect(options.length).to.be.greaterThan(25)
    expect(missingIn(CONFIGURATION, options)).to.deep.equal([])
    const members = [
      ...membersOf('PagesOptions', 'lib/pages/action-urls.ts'),
      ...membersOf('EventCallbacks', 'lib/sign-in/callbacks.ts'),
      ...membersOf('Theme', 'lib/pages/theme.ts'),
    ]
    expect(missingIn(CONFIGURATION, members)).to.deep.equal([])
  })

  it('lists every variable of the environment that is read', () => {
    const source = readText('lib/config/env.ts')
    const read = [...source.matchAll(/'((?:AUTH|NEXTAUTH|NODE|VERCEL|CF)[A-Z_\d]*)'/g)].map(([, name = '']) => name)
    expect(read.length).to.be.greaterThan(8)
    expect(missingIn(CONFIGURATION, read)).to.deep.equal([])
  })
})

describe('the index of the documents', () => {
  it('leads to every guide and every page of docs/', () => {
    const index = readText('docs/README.md')
    const pages = documents()
      .map(({ path }) => path)
      .filter((path) => /^docs\/((?:guides|migrating)\/)?[^/]+$/.test(path) && !path.endsWith('/README.md'))
    expect(pages.length).to.be.greaterThan(30)
    expect(pages.filter((path) => !index.includes(`](${path.slice('docs/'.length)}`))).to.deep.equal([])
  })
})

describe('the guide to the routes', () => {
  it('lists every action of the mount', () => {
    const source = readText('lib/engine/action-names.ts')
    const names = [...source.matchAll(/^ {2}'([a-z-]+)',?$/gm)].map(([, name = '']) => name)
    expect(names.length).to.be.greaterThan(8)
    const routes = readText('docs/guides/routes.md')
    expect(names.filter((name) => !routes.includes(`/auth/${name}`))).to.deep.equal([])
  })
})

describe('the documents', () => {
  let all: readonly Document[]

  before(async () => {
    all = [...documents(), ...(await providerPages())]
  })

  it('have no broken link to a file', () => {
    const paths = all.map(({ path }) => path)
    const broken = all.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target = '']) => join(dirname(path), target))
        .filter((target) => !paths.includes(target) && !existsSync(join(ROOT, target)))
        .map((target) => `${path}: ${target}`),
    )
    expect(broken).to.deep.equal([])
  })

  it('lead nobody who reads them in the repository to a page that is made by the build', () => {
    const made = documents().flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
        .map(([, target = '']) => join(dirname(path), target))
        .filter((target) => /^docs\/(providers|api)\b/.test(target))
        .map((target) => `${path}: ${target}`),
    )
    expect(made).to.deep.equal([])
  })

  it('have no link to a heading that is not there', () => {
    const byPath = new Map(all.map(({ path, text }) => [path, anchorsOf(text)]))
    const broken = all.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)]+)\)/g)]
        .filter(([, target = '', anchor = '']) => {
          const file = target === '' ? path : join(dirname(path), target)
          return !byPath.get(file)?.has(anchor)
        })
        .map(([link]) => `${path}: ${link}`),
    )
    expect(broken).to.deep.equal([])
  })
})

/** Anchors of the headings, as GitHub makes them. */
const anchorsOf = (text: string) =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
