import assert from 'node:assert/strict'
import { assertKept, assertNull, assertRefused, atOnce, createChecks, fulfilled, storedAccount } from './check.js'
import { awkwardText, base64Text, lookalikes } from './samples.js'

const { checks, authjs, strict } = createChecks()
export const accountChecks = checks

const LINK = ['createUser', 'linkAccount', 'getUserByAccount'] as const
const GET = ['createUser', 'linkAccount', 'getAccount'] as const

authjs('getUserByAccount gives the user whom linkAccount linked', LINK, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  const account = samples.account(user.id)
  await adapter.linkAccount(account)
  assertKept(await adapter.getUserByAccount(account), user)
})

authjs('getUserByAccount gives null unless provider and id both match', LINK, async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  const { providerAccountId } = samples.account('')
  assertNull(await adapter.getUserByAccount({ ...account, providerAccountId }))
  assertNull(await adapter.getUserByAccount({ ...account, provider: 'other' }))
})

authjs('one user may have many accounts', LINK, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  const accounts = [samples.account(user.id), samples.account(user.id), samples.account(user.id, { provider: 'other' })]
  for (const account of accounts) await adapter.linkAccount(account)
  for (const account of accounts) assertKept(await adapter.getUserByAccount(account), user)
})

authjs('linkAccount takes an account without tokens', LINK, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  const { userId, type, provider, providerAccountId } = samples.account(user.id)
  await adapter.linkAccount({ userId, type, provider, providerAccountId })
  assertKept(await adapter.getUserByAccount({ provider, providerAccountId }), user)
})

authjs('unlinkAccount unlinks that account only', [...LINK, 'unlinkAccount'], async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  const [account, kept] = [samples.account(user.id), samples.account(user.id)]
  for (const linked of [account, kept]) await adapter.linkAccount(linked)
  await adapter.unlinkAccount(account)
  assertNull(await adapter.getUserByAccount(account))
  assertKept(await adapter.getUserByAccount(kept), user)
})

authjs('getAccount gives an account with its tokens', GET, async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  assertKept(await adapter.getAccount(account.providerAccountId, account.provider), account)
})

authjs('getAccount gives null unless provider and id both match', GET, async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  assertNull(await adapter.getAccount(account.providerAccountId, 'other'))
  assertNull(await adapter.getAccount(account.provider, account.providerAccountId))
})

strict('linkAccount accepts an account with some of the standard token members', GET, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  for (const type of ['oauth', 'oidc', 'email', 'webauthn'] as const) {
    const { userId, provider, providerAccountId } = samples.account(user.id)
    const account = { userId, type, provider, providerAccountId, scope: 'read:user', expires_at: 0 }
    await adapter.linkAccount(account)
    const absent = { access_token: undefined, refresh_token: undefined, id_token: undefined, token_type: undefined }
    assertKept(await adapter.getAccount(providerAccountId, provider), { ...account, ...absent })
  }
})

strict(
  'linkAccount refuses an account that is linked, for its own user and for another user',
  LINK,
  async (adapter, samples) => {
    const [user, other] = [await adapter.createUser(samples.user()), await adapter.createUser(samples.user())]
    const account = samples.account(user.id)
    await adapter.linkAccount(account)
    await assertRefused(adapter.linkAccount({ ...account, userId: other.id }), 'an account of two users')
    await assertRefused(adapter.linkAccount(account), 'an account linked twice')
    assertKept(await adapter.getUserByAccount(account), user)
  },
)

strict('100 parallel linkAccount of one account: one succeeds', LINK, async (adapter, samples) => {
  const users = [await adapter.createUser(samples.user()), await adapter.createUser(samples.user())]
  const account = samples.account('')
  const outcomes = await atOnce(100, async (index) => {
    const user = users[index % 2]
    assert.ok(user)
    await adapter.linkAccount({ ...account, userId: user.id })
    return user
  })
  const linked = fulfilled(outcomes)
  assert.equal(linked.length, 1, 'number of calls that linked the account')
  assertKept(await adapter.getUserByAccount(account), { ...linked[0] })
})

strict(
  'linkAccount refuses a user who does not exist, or links nobody',
  ['linkAccount', 'getUserByAccount'],
  async (adapter, samples) => {
    const account = samples.account(samples.absentUserId)
    await Promise.allSettled([adapter.linkAccount(account)])
    assertNull(await adapter.getUserByAccount(account))
  },
)

strict('unlinkAccount of an unknown account does nothing', ['unlinkAccount'], async (adapter, samples) => {
  await adapter.unlinkAccount(samples.account(''))
})

strict('an account that was unlinked can be linked again', [...LINK, 'unlinkAccount'], async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  const other = await adapter.createUser(samples.user())
  await adapter.unlinkAccount(account)
  await adapter.linkAccount({ ...account, userId: other.id })
  assertKept(await adapter.getUserByAccount(account), other)
})

strict(
  'listAccountsByUserId gives all accounts of one user, and an empty array for a user without any',
  ['createUser', 'linkAccount', 'unlinkAccount', 'listAccountsByUserId'],
  async (adapter, samples) => {
    const [user, other] = [await adapter.createUser(samples.user()), await adapter.createUser(samples.user())]
    const [first, second] = [samples.account(user.id), samples.account(user.id, { provider: 'other' })]
    for (const account of [first, second, samples.account(other.id)]) await adapter.linkAccount(account)
    const idsOf = async () =>
      (await adapter.listAccountsByUserId(user.id)).map(({ providerAccountId }) => providerAccountId).sort()
    assert.deepEqual(await idsOf(), [first.providerAccountId, second.providerAccountId].sort())
    await adapter.unlinkAccount(first)
    assert.deepEqual(await idsOf(), [second.providerAccountId])
    const nobody = await adapter.createUser(samples.user())
    assert.deepEqual(await adapter.listAccountsByUserId(nobody.id), [])
  },
)

authjs('ids that differ in case are different accounts', LINK, async (adapter, samples) => {
  const account = await storedAccount(adapter, samples, {
    providerAccountId: `Ab-${samples.account('').providerAccountId}`,
  })
  assertNull(await adapter.getUserByAccount({ ...account, providerAccountId: account.providerAccountId.toLowerCase() }))
})

strict('linkAccount keeps the longest id that a passkey can have', LINK, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  const providerAccountId = base64Text(samples.longestCredentialId)
  const account = samples.account(user.id, { type: 'webauthn', provider: 'passkey', providerAccountId })
  await adapter.linkAccount(account)
  assertKept(await adapter.getUserByAccount(account), user)
  assertNull(await adapter.getUserByAccount({ ...account, providerAccountId: `${providerAccountId.slice(0, -1)}-` }))
})

strict('compares ids exactly', [...LINK, 'getAccount'], async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  for (const [what, stored, asked] of lookalikes(samples.account('').providerAccountId)) {
    const account = samples.account(user.id, { providerAccountId: stored })
    await adapter.linkAccount(account)
    const lookalike = { provider: account.provider, providerAccountId: asked }
    assert.equal(await adapter.getUserByAccount(lookalike), null, `confuses ids that differ in ${what}`)
    assert.equal(await adapter.getAccount(asked, account.provider), null, `confuses ids that differ in ${what}`)
  }
})

strict('takes every character of an id as itself', LINK, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  const providerAccountId = awkwardText(samples.account('').providerAccountId)
  await adapter.linkAccount(samples.account(user.id, { providerAccountId }))
  assertKept(await adapter.getUserByAccount({ provider: 'acme', providerAccountId }), user)
  assertNull(await adapter.getUserByAccount({ provider: 'acme', providerAccountId: '%' }))
})

strict('never takes the end of a provider’s name for the start of an id', LINK, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  const { providerAccountId } = samples.account('')
  for (const separator of [':', '/', '-', '_', '.', ',', '|', ' ', '%3A', '","']) {
    await adapter.linkAccount(samples.account(user.id, { providerAccountId: `x${separator}${providerAccountId}` }))
    assertNull(await adapter.getUserByAccount({ provider: `acme${separator}x`, providerAccountId }))
  }
})
