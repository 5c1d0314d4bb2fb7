import { expect } from 'chai'
import { decideLink, type LinkDecision, type LinkFacts } from '../../lib/accounts/decide-link.js'

type Values = { readonly [Fact in keyof LinkFacts]: readonly LinkFacts[Fact][] }

const VALUES: Values = {
  account: ['unknown', 'mine', 'of another'],
  signedIn: [true, false],
  email: ['free', 'unconfirmed', 'confirmed'],
  emailTrusted: [true, false],
}

/** Account, signed in?, address, address trusted? → decision. `*` is any. */
const TABLE: readonly (readonly [
  LinkFacts['account'],
  LinkFacts['signedIn'] | '*',
  LinkFacts['email'] | '*',
  boolean | '*',
  LinkDecision,
])[] = [
  ['mine', '*', '*', '*', 'sign-in'],
  ['of another', false, '*', '*', 'sign-in'],
  ['of another', true, '*', '*', 'refuse'],
  ['unknown', true, '*', '*', 'link-to-session'],
  ['unknown', false, 'free', '*', 'create'],
  ['unknown', false, 'unconfirmed', '*', 'refuse'],
  ['unknown', false, 'confirmed', false, 'refuse'],
  ['unknown', false, 'confirmed', true, 'link-by-email'],
]

const everyCombination = (): LinkFacts[] =>
  VALUES.account.flatMap((account) =>
    VALUES.signedIn.flatMap((signedIn) =>
      VALUES.email.flatMap((email) =>
        VALUES.emailTrusted.map((emailTrusted) => ({ account, signedIn, email, emailTrusted })),
      ),
    ),
  )

describe('decideLink', () => {
  for (const { account, signedIn, email, emailTrusted } of everyCombination()) {
    const facts = [account, signedIn, email, emailTrusted] as const
    const rows = TABLE.filter((row) => facts.every((fact, index) => row[index] === '*' || row[index] === fact))
    const decision = rows[0]?.[4]

    it(`${decision}: account ${account}, signed in: ${signedIn}, address ${email}, ${emailTrusted ? '' : 'not '}trusted`, () => {
      expect(rows).to.have.length(1)
      expect(decideLink({ account, signedIn, email, emailTrusted })).to.equal(decision)
    })
  }
})
