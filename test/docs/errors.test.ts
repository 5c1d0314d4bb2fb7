import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import * as latchkey from '../../lib/index.js'
import { WARNING_SENTENCES } from '../../lib/kernel/warning-sentences.js'
import { CODES } from '../../lib/oauth/refusals.js'
import { ERROR_CLASSES } from '../support/error-classes.js'
import { ROOT, readText } from './documents.js'

const DOCUMENT = readText('docs/errors.md')

/** The text below a heading of the second level. */
const section = (title: string) =>
  new RegExp(`^## ${title}$(.*?)(?=^## |$(?![\\s\\S]))`, 'ms').exec(DOCUMENT)?.[1] ?? ''

/** The entries of a section, by their names: each is a heading of the third level with its text, or a row of a table. */
const entriesOf = (title: string) =>
  new Map(
    [...section(title).matchAll(/^(?:### |\| )`(.+?)`(.*?)(?=^### |^\| `|$(?![\s\S]))/gms)].map(
      ([, name = '', text = '']) => [name, text] as const,
    ),
  )

const errors = entriesOf('Errors')
const atStart = entriesOf('Errors at the start')
const neverThrown = entriesOf('Types that Latchkey never throws')
const warnings = entriesOf('Warnings')

const warningCodes = () => Object.keys(WARNING_SENTENCES)

/** The source of the package, without what declares and exports the classes of errors. */
const source = () =>
  readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== 'index.ts')
    .map((name) => readText(`lib/${name}`).replace(/errorOf\(\s*'\w+'/g, ''))
    .join('\n')

/**
 * Whether the source makes an error of a type: with `new` of its class, as a finding of the configuration, or by passing the class
 * or the type as the first argument of a function.
 */
const makes = (text: string, type: string) =>
  new RegExp(`new (?:${type}|${ERROR_CLASSES.get(type)?.name})\\(|type: '${type}'|\\(\\s*'?${type}'?,`).test(text)

describe('docs/errors.md', () => {
  it('has one entry for each error type, and for nothing else, in the order of the alphabet', () => {
    const types = [...ERROR_CLASSES.keys()]
    expect([...errors.keys(), ...atStart.keys(), ...neverThrown.keys()]).to.have.members(types)
    for (const entries of [errors, atStart, neverThrown]) {
      expect([...entries.keys()]).to.deep.equal([...entries.keys()].sort((one, other) => one.localeCompare(other)))
    }
  })

  it('says of the types that nothing in the package throws, and of no others, that they are never thrown', () => {
    const text = source()
    const types = [...ERROR_CLASSES.keys()].filter((type) => !makes(text, type))
    expect([...neverThrown.keys()]).to.have.members(types)
  })

  it('are of classes that the package exports, since the logger of an application gets them', () => {
    const exported = new Set<unknown>(Object.values(latchkey))
    expect([...ERROR_CLASSES.values()].filter((Kind) => !exported.has(Kind)).map(({ type }) => type)).to.deep.equal([])
  })

  it('has one entry for each warning, and for nothing else', () => {
    expect(warningCodes().length).to.be.greaterThan(5)
    expect([...warnings.keys()]).to.have.members(warningCodes())
  })

  it('tells for each error at which level it is logged, where that is not error', () => {
    for (const [type, { rule }] of ERROR_CLASSES) {
      const level = /\*Level:\* (.*)$/m.exec(errors.get(type) ?? '')?.[1] ?? neverThrown.get(type)?.split(' | ').at(-1)
      if (!('by' in rule)) expect(level ?? '', type).to.match(/^(`error` \|\s*)?$/)
      else expect(level, type).to.match(rule.by === 'visitor' ? /^`info`( \|\s*)?$/ : /^`info`.*; `error` (where|for) /)
    }
  })

  it('has each error code of providers in the list that says whose doing it is', () => {
    const table = section('Refused by a provider')
    for (const doing of ['visitor', 'incomplete', 'provider', 'registration'] as const) {
      const [, list = ''] = new RegExp(`^- \`${doing}\`: (.*?)(?=^- |^$)`, 'ms').exec(table) ?? []
      const codes = [...list.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, code = '']) => code)
      expect(codes, doing).to.have.members(Object.keys(CODES).filter((code) => CODES[code] === doing))
    }
  })

  it('tells for each error which page shows it, and under which name', () => {
    for (const [type, { rule }] of ERROR_CLASSES) {
      const { page, shownAs } = rule
      if (atStart.has(type)) continue
      const shown = /\*Shown:\* (.*)/.exec(errors.get(type) ?? '')?.[1] ?? neverThrown.get(type)?.split(' | ').at(-2)
      const kind = page === 'signIn' ? 'sign-in page' : 'error page'
      expect(shown, type).to.match(new RegExp(`^(nowhere|${kind}, \`${shownAs}\`)`))
    }
  })
})
