import assert from 'node:assert/strict'
import type { AdapterAccount } from '../../adapters/adapter.js'
import { type AdapterCalls, assertKept, assertNull, atOnce, createChecks, fulfilled, storedAccount } from './check.js'
import { keyedRowChecks } from './keyed-rows.js'
import { base64Text, type Samples } from './samples.js'

const add = createChecks()
const { checks, authjs, strict } = add
export const accountChecks = checks

const LINK = ['createUser', 'linkAccount', 'getUserByAccount'] as const
const GET = ['createUser', 'linkAccount', 'getAccount'] as const

const KEYED = {
  noun: 'account',
  key: { provider: 'a provider’s name', providerAccountId: 'an id' },
  keys: 'ids of accounts',
  creation: ['createUser', 'linkAccount'],
  level: 'authjs',
  sample: (samples: Samples, userId: string, members?: Partial<AdapterAccount>) => samples.account(userId, members),
  store: (adapter: AdapterCalls, account: AdapterAccount) => adapter.linkAccount(account),
} as const

keyedRowChecks<AdapterAccount>(add, {
  ...KEYED,
  taken: 'refused',
  method: 'getUserByAccount',
  find: (adapter, account) => adapter.getUserByAccount(account),
  shown: ({ userId }) => ({ id: userId }),
})

keyedRowChecks<AdapterAccount>(add, {
  ...KEYED,
  method: 'getAccount',
  find: (adapter, { provider, providerAccountId }) => adapter.getAccount(providerAccountId, provider),
  changes: { unlinkAccount: (adapter, account) => adapter.unlinkAccount(account) },
  list: {
    method: 'listAccountsByUserId',
    by: ['userId'],
    rowsOf: (adapter, { userId }) => adapter.listAccountsByUserId(userId),
    end: ['unlinkAccount', 'unlinked', (adapter, account) => adapter.unlinkAccount(account)],
  },
})

authjs('getUserByAccount gives the user whom linkAccount linked', LINK, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  const account = samples.account(user.id)
  await adapter.linkAccount(account)
  assertKept(await adapter.getUserByAccount(account), user)
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

strict('an account that was unlinked can be linked again', [...LINK, 'unlinkAccount'], async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  const other = await adapter.createUser(samples.user())
  await adapter.unlinkAccount(account)
  await adapter.linkAccount({ ...account, userId: other.id })
  assertKept(await adapter.getUserByAccount(account), other)
})

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
