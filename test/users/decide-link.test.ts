import { expect } from 'chai'
import { decideLink, type LinkDecision, type LinkFacts } from '../../lib/users/oauth-identity.js'

type Values = { readonly [Fact in keyof LinkFacts]: readonly LinkFacts[Fact][] }

const VALUES: Values = {
  account: ['unknown', 'mine', 'of another'],
  signedIn: ['no', 'not recently', 'recently'],
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
  ['mine', '*', '*', '*', 'already-linked'],
  ['of another', 'no', '*', '*', 'sign-in'],
  ['of another', 'not recently', '*', '*', 'refuse'],
  ['of another', 'recently', '*', '*', 'refuse'],
  ['unknown', 'not recently', '*', '*', 'ask-again'],
  ['unknown', 'recently', '*', '*', 'link-to-session'],
  ['unknown', 'no', 'free', '*', 'create'],
  ['unknown', 'no', 'unconfirmed', '*', 'refuse'],
  ['unknown', 'no', 'confirmed', false, 'refuse'],
  ['unknown', 'no', 'confirmed', true, 'link-by-email'],
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
