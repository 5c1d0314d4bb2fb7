import { expect } from 'chai'
import { ERROR_RULES, type ErrorType } from '../../lib/errors.js'
import { readText } from './documents.js'

const DOCUMENT = readText('docs/errors.md')
const [errors = '', warnings = ''] = DOCUMENT.split(/^## Warnings$/m)

const headings = (text: string) => [...text.matchAll(/^### `(.+)`$/gm)].map(([, name = '']) => name)

const warningCodes = () => {
  const union = /type WarningCode =\n(.*?)\n\n/s.exec(readText('lib/logger.ts'))?.[1] ?? ''
  return [...union.matchAll(/'([a-z-]+)'/g)].map(([, code = '']) => code)
}

describe('docs/errors.md', () => {
  it('has one entry for each error type, and for nothing else, in the order of the alphabet', () => {
    const types = Object.keys(ERROR_RULES).sort((one, other) => one.localeCompare(other))
    expect(headings(errors)).to.deep.equal(types)
  })

  it('has one entry for each warning, and for nothing else', () => {
    expect(warningCodes().length).to.be.greaterThan(5)
    expect(headings(warnings)).to.have.members(warningCodes())
  })

  it('tells for each error at which level it is logged, where that is not error', () => {
    for (const [type, rule] of Object.entries(ERROR_RULES)) {
      const entry = new RegExp(`^### \`${type}\`$(.*?)(?=^### |$(?![\\s\\S]))`, 'ms').exec(errors)?.[1] ?? ''
      const level = /^\*Level:\* (.*)$/m.exec(entry)?.[1]
      if (!('by' in rule)) expect(level, type).to.equal(undefined)
      else expect(level, type).to.match(rule.by === 'visitor' ? /^`info`$/ : /^`info`.*; `error` (where|for) /)
    }
  })

  it('tells for each error which page shows it, and under which name', () => {
    for (const [type, { page, shownAs }] of Object.entries(ERROR_RULES) as [
      ErrorType,
      { page: string; shownAs: string },
    ][]) {
      const entry = new RegExp(`^### \`${type}\`$(.*?)(?=^### |$(?![\\s\\S]))`, 'ms').exec(errors)?.[1] ?? ''
      const shown = /\*Shown:\* (.*)/.exec(entry)?.[1]
      const kind = page === 'signIn' ? 'sign-in page' : 'error page'
      expect(shown, type).to.match(new RegExp(`^(nowhere|${kind}, \`${shownAs}\`)`))
    }
  })
})
