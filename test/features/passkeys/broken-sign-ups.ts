import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import type { Identity } from '../../../lib/users/identity.js'
import type { OpenStore } from '../../support/stores.js'

interface Person {
  readonly email: string
}
type IdentityOf = (person: Person) => Identity

interface BrokenSignUps {
  readonly store: () => OpenStore
  /** Breaks a sign-up off at every call of the store in turn, and hands each to a process that was started afterwards. */
  readonly atEveryCall: (
    adapter: Adapter,
    identityOf: IdentityOf,
    retry: (person: Person, at: string) => Promise<void>,
  ) => Promise<void>
  readonly processOver: (
    adapter: Adapter,
    setting: { readonly kinds: readonly string[] },
  ) => { readonly resolve: (identity: Identity) => Promise<unknown> }
  readonly passkeyIdentity: IdentityOf
}

/** Adds a test of sign-ups with passkeys. */
export default function add({ store, atEveryCall, processOver, passkeyIdentity }: BrokenSignUps): void {
  it('leaves nothing of a sign-up with a passkey: the address is free for the next one', async () => {
    const counted = async () => {
      const { users, accounts } = await store().count()
      return { users, accounts }
    }
    let before = await counted()
    await atEveryCall(store().adapter, passkeyIdentity, async (person, at) => {
      const known = await store().adapter.getUserByEmail(person.email)
      // It was stored before the process heard of it. Then all of it was, and the passkey signs in.
      if (known) expect(await store().adapter.listAuthenticatorsByUserId(known.id), at).to.have.length(1)
      else await processOver(store().adapter, { kinds: ['webauthn'] }).resolve(passkeyIdentity(person))
      const now = await counted()
      expect(now, at).to.deep.equal({ users: before.users + 1, accounts: before.accounts + 1 })
      before = now
    })
  })
}
