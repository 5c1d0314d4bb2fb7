import { expect } from 'chai'
import { decideLink, type LinkDecision, type LinkFacts } from '../../lib/accounts/decide-link.js'

/** Account, signed in?, address taken?, address trusted? → decision. Every combination there is. */
const TABLE: readonly [LinkFacts['account'], boolean, boolean, boolean, LinkDecision][] = [
  ['mine', true, false, false, 'sign-in'],
  ['mine', true, false, true, 'sign-in'],
  ['mine', true, true, false, 'sign-in'],
  ['mine', true, true, true, 'sign-in'],
  ['mine', false, false, false, 'sign-in'],
  ['mine', false, false, true, 'sign-in'],
  ['mine', false, true, false, 'sign-in'],
  ['mine', false, true, true, 'sign-in'],
  ['of another', true, false, false, 'refuse'],
  ['of another', true, false, true, 'refuse'],
  ['of another', true, true, false, 'refuse'],
  ['of another', true, true, true, 'refuse'],
  ['of another', false, false, false, 'sign-in'],
  ['of another', false, false, true, 'sign-in'],
  ['of another', false, true, false, 'sign-in'],
  ['of another', false, true, true, 'sign-in'],
  ['unknown', true, false, false, 'link-to-session'],
  ['unknown', true, false, true, 'link-to-session'],
  ['unknown', true, true, false, 'link-to-session'],
  ['unknown', true, true, true, 'link-to-session'],
  ['unknown', false, false, false, 'create'],
  ['unknown', false, false, true, 'create'],
  ['unknown', false, true, false, 'refuse'],
  ['unknown', false, true, true, 'link-by-email'],
]

describe('decideLink', () => {
  it('has a row for every combination', () => {
    expect(new Set(TABLE.map((row) => row.slice(0, 4).join())).size).to.equal(3 * 2 * 2 * 2)
  })

  for (const [account, signedIn, emailTaken, emailTrusted, decision] of TABLE) {
    it(`${decision}: account ${account}, ${signedIn ? '' : 'not '}signed in, address ${emailTaken ? 'taken' : 'free'}, ${emailTrusted ? '' : 'not '}trusted`, () => {
      expect(decideLink({ account, signedIn, emailTaken, emailTrusted })).to.equal(decision)
    })
  }
})
