import { expect } from 'chai'
import { createTokenMaker } from '../../lib/sessions/stored-token.js'

describe('a token of a stored session', () => {
  it('SESS-01: is told from a text that somebody made up, with every secret of a rotation', () => {
    const [before, now, others] = [['old'], ['new', 'old'], ['another']].map(createTokenMaker)
    const tokens = [before?.make() ?? '', now?.make() ?? '']
    for (const token of tokens) {
      expect(token).to.match(/^[0-9a-f]{64}$/)
      expect(now?.mayHaveMade(token)).to.equal(true)
      expect(now?.mayHaveMade(`${token}~latchkey.r1`), 'with a choice').to.equal(true)
      expect(others?.mayHaveMade(token)).to.equal(false)
      expect(now?.mayHaveMade(`0${token.slice(0, -1)}`)).to.equal(false)
    }
    for (const made of ['', 'x', '0'.repeat(64), tokens[0]?.slice(0, 63) ?? ''])
      expect(now?.mayHaveMade(made)).to.equal(false)
  })
})
