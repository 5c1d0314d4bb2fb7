import { expect } from 'chai'
import { createIdentityResolver } from '../../lib/accounts/resolve-user.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { completeLogger } from '../../lib/logger.js'

const ADDRESS = 'victim@example.com'

/** A store in which somebody has signed up with a passkey and an address that nobody confirmed. */
function claimedByPasskey({ emailVerified = null as Date | null, hasPasskeys = true, sessionsNeedUser = true } = {}) {
  const store = memoryAdapter()
  const id = 'mallory'
  store.createUser({ id, name: null, email: ADDRESS, image: null, emailVerified })
  store.createAuthenticator({
    credentialID: 'a2V5',
    credentialPublicKey: 'cHVibGlj',
    counter: 0,
    credentialBackedUp: false,
    credentialDeviceType: 'singleDevice',
    providerAccountId: 'a2V5',
    userId: id,
  })
  store.createSession({ sessionToken: 'open', userId: id, expires: new Date(Date.now() + 60_000) })
  store.linkAccount({ provider: 'passkey', type: 'webauthn', providerAccountId: 'a2V5', userId: id })
  store.linkAccount({ provider: 'acme', type: 'oidc', providerAccountId: 'acme-1', userId: id })
  const resolver = createIdentityResolver({
    adapter: store,
    sessionsNeedUser,
    hasPasskeys,
    recentAuthAge: 900,
    tell: { createUser: async () => {}, updateUser: async () => {}, linkAccount: async () => {} },
    logger: completeLogger({}, false),
    now: Date.now,
  })
  const confirm = (holder: string | null) =>
    resolver.resolve(
      {
        user: { id: 'new', email: ADDRESS },
        account: { provider: 'email', type: 'email', providerAccountId: ADDRESS },
      },
      async () => (holder === null ? null : { id: holder, authenticatedAt: null }),
    )
  return { store, confirm }
}

const keysOf = async (store: ReturnType<typeof memoryAdapter>) =>
  (await store.listAuthenticatorsByUserId('mallory')).length

describe('ACCT-05 a mailed link to an address that a passkey was signed up with', () => {
  it('ends the passkey of whoever signed up first, and leaves accounts at providers', async () => {
    const { store, confirm } = claimedByPasskey()
    expect((await confirm(null)).user.id).to.equal('mallory')
    expect(await keysOf(store)).to.equal(0)
    expect(await store.getAuthenticator('a2V5')).to.equal(null)
    expect((await store.listAccountsByUserId('mallory')).map(({ provider }) => provider)).to.deep.equal(['acme'])
  })

  it('ends the sessions of whoever signed up first', async () => {
    for (const hasPasskeys of [true, false]) {
      const { store, confirm } = claimedByPasskey({ hasPasskeys })
      await confirm(null)
      expect(await store.getSessionAndUser('open')).to.equal(null)
    }
  })

  it('keeps both for somebody who is signed in as that user while confirming', async () => {
    const { store, confirm } = claimedByPasskey()
    await confirm('mallory')
    expect(await keysOf(store)).to.equal(1)
    expect(await store.getSessionAndUser('open')).not.to.equal(null)
  })

  it('ends it when somebody else is signed in there', async () => {
    const { store, confirm } = claimedByPasskey()
    await confirm('another')
    expect(await keysOf(store)).to.equal(0)
  })

  it('keeps it once the address was confirmed, and asks no store for passkeys where there are none', async () => {
    const confirmed = claimedByPasskey({ emailVerified: new Date() })
    await confirmed.confirm(null)
    expect(await keysOf(confirmed.store)).to.equal(1)
    expect(await confirmed.store.getSessionAndUser('open')).not.to.equal(null)
    const without = claimedByPasskey({ hasPasskeys: false })
    await without.confirm(null)
    expect(await keysOf(without.store)).to.equal(1)
  })
})
