import assert from 'node:assert/strict'
import type { AccountChanges, AdapterAccount } from '../../adapters/adapter.js'
import {
  type AdapterCalls,
  allAtOnce,
  assertKept,
  assertNull,
  atOnce,
  createChecks,
  fulfilled,
  storedAccount,
} from './check.js'
import { base64Text, lookalikes } from './samples.js'

const { checks, strict } = createChecks()
export const accountChangeChecks = checks

const CHANGE = ['createUser', 'linkAccount', 'getAccount', 'updateAccount'] as const

/** Less than what the smallest usual column for long texts holds: 65,535 bytes. */
const LONG = 60_000

const stored = (adapter: AdapterCalls, { provider, providerAccountId }: AdapterAccount) =>
  adapter.getAccount(providerAccountId, provider)

/** Other values for all members that may change. */
const newValues = (): Required<AccountChanges> => ({
  access_token: base64Text(900),
  refresh_token: base64Text(64),
  id_token: base64Text(2000),
  token_type: 'dpop',
  scope: 'openid papers:read',
  expires_at: 1_895_000_000,
  session_state: base64Text(32),
  tokenLease: base64Text(48),
})

strict('updateAccount changes what it is given, and keeps the rest', CHANGE, async (adapter, samples) => {
  const [account, other] = [await storedAccount(adapter, samples), await storedAccount(adapter, samples)]
  const changes = newValues()
  assert.equal(await adapter.updateAccount(account, changes), true)
  assertKept(await stored(adapter, account), { ...account, ...changes })
  const further = { access_token: base64Text(40), expires_at: 0 }
  assert.equal(await adapter.updateAccount(account, { ...further, scope: undefined } as AccountChanges), true)
  assertKept(await stored(adapter, account), { ...account, ...changes, ...further })
  assert.equal(await adapter.updateAccount(account, {}), true)
  assertKept(await stored(adapter, account), { ...account, ...changes, ...further })
  assertKept(await stored(adapter, other), { ...other, tokenLease: undefined })
})

strict('updateAccount deletes the members that are null', CHANGE, async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  await adapter.updateAccount(account, { tokenLease: 'mine' })
  const gone = { refresh_token: null, access_token: null, expires_at: null, tokenLease: null, id_token: null }
  assert.equal(await adapter.updateAccount(account, gone), true)
  assertKept(await stored(adapter, account), { ...account, ...gone })
  const back = { refresh_token: base64Text(64), expires_at: 1_895_000_000 }
  assert.equal(await adapter.updateAccount(account, back), true)
  assertKept(await stored(adapter, account), { ...account, ...gone, ...back })
})

strict(
  'updateAccount never changes whose account it is, and which',
  [...CHANGE, 'getUserByAccount'],
  async (adapter, samples) => {
    const account = await storedAccount(adapter, samples)
    const other = await adapter.createUser(samples.user())
    const { providerAccountId } = samples.account('')
    const moved = { userId: other.id, provider: 'other', providerAccountId, type: 'webauthn' as const }
    const outcome = await Promise.allSettled([adapter.updateAccount(account, { ...moved, scope: 'openid' })])
    const scope = outcome[0].status === 'fulfilled' && outcome[0].value ? 'openid' : account.scope
    assertKept(await stored(adapter, account), { ...account, scope })
    assert.equal((await adapter.getUserByAccount(account))?.id, account.userId)
    assertNull(await adapter.getUserByAccount(moved))
  },
)

strict('updateAccount changes nothing unless every expected value is there', CHANGE, async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  const { access_token = null, refresh_token = null } = account
  const changes = newValues()
  for (const expected of [
    { refresh_token: base64Text(64) },
    { refresh_token: null },
    { access_token, refresh_token: base64Text(64) },
    { access_token: null, refresh_token },
    { refresh_token, tokenLease: base64Text(48) },
    { refresh_token: '' },
  ]) {
    assert.equal(await adapter.updateAccount(account, changes, expected), false)
    assertKept(await stored(adapter, account), { ...account, tokenLease: undefined })
  }
  assert.equal(await adapter.updateAccount(account, changes, { access_token, refresh_token, tokenLease: null }), true)
  assertKept(await stored(adapter, account), { ...account, ...changes })
})

strict('updateAccount takes null for a member without a value', CHANGE, async (adapter, samples) => {
  const tokens = { access_token: undefined, refresh_token: undefined } as Partial<AdapterAccount>
  const account = await storedAccount(adapter, samples, tokens)
  const nothing = { access_token: null, refresh_token: null, tokenLease: null }
  assert.equal(await adapter.updateAccount(account, { tokenLease: 'first' }, nothing), true)
  assert.equal(await adapter.updateAccount(account, { tokenLease: 'second' }, nothing), false)
  assert.equal(await adapter.updateAccount(account, { tokenLease: null }, { tokenLease: 'first' }), true)
  assert.equal(await adapter.updateAccount(account, { tokenLease: 'third' }, nothing), true)
  assertKept(await stored(adapter, account), { ...account, ...tokens, tokenLease: 'third' })
})

strict('updateAccount gives true for a change to the values that are there', CHANGE, async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  const { refresh_token = null, access_token = null, scope = null, expires_at = null } = account
  const same = { refresh_token, access_token, scope, expires_at, tokenLease: null }
  assert.equal(await adapter.updateAccount(account, same), true)
  assert.equal(await adapter.updateAccount(account, same, { refresh_token, tokenLease: null }), true)
  assert.equal(await adapter.updateAccount(account, {}, { refresh_token }), true)
  assert.equal(await adapter.updateAccount(account, {}, { refresh_token: null }), false)
  assertKept(await stored(adapter, account), account)
})

strict('updateAccount of an unknown account gives false, and makes no row', CHANGE, async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  const { provider, providerAccountId } = samples.account('')
  for (const asked of [
    { ...account, provider: 'other' },
    { provider, providerAccountId },
  ]) {
    assert.equal(await adapter.updateAccount(asked, newValues()), false)
    assert.equal(await adapter.updateAccount(asked, newValues(), { refresh_token: null }), false)
    assertNull(await adapter.getAccount(asked.providerAccountId, asked.provider))
  }
  assertKept(await stored(adapter, account), account)
})

strict('updateAccount compares ids and expected values exactly', CHANGE, async (adapter, samples) => {
  for (const [what, id, asked] of lookalikes(samples.account('').providerAccountId)) {
    const account = await storedAccount(adapter, samples, { providerAccountId: id, refresh_token: id })
    const foreign = { ...account, providerAccountId: asked }
    assert.equal(await adapter.updateAccount(foreign, { scope: 'x' }), false, `confuses ids that differ in ${what}`)
    const wrong = await adapter.updateAccount(account, { scope: 'x' }, { refresh_token: asked })
    assert.equal(wrong, false, `confuses values that differ in ${what}`)
    assertKept(await stored(adapter, account), account)
    assert.equal(await adapter.updateAccount(account, { scope: 'x' }, { refresh_token: id }), true)
  }
})

strict(`updateAccount keeps tokens of ${LONG} characters`, CHANGE, async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  const tokens = { access_token: base64Text(LONG), refresh_token: base64Text(LONG), id_token: base64Text(LONG) }
  assert.equal(await adapter.updateAccount(account, tokens), true)
  assertKept(await stored(adapter, account), { ...account, ...tokens })
  const { access_token, refresh_token } = tokens
  const another = `${refresh_token.slice(0, -1)}-`
  assert.equal(await adapter.updateAccount(account, { scope: 'x' }, { refresh_token: another }), false)
  assert.equal(await adapter.updateAccount(account, { scope: 'x' }, { access_token, refresh_token }), true)
})

strict('50 parallel updateAccount that expect the same: one succeeds', CHANGE, async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  const { refresh_token = null } = account
  const answers = await allAtOnce(50, (index) =>
    adapter.updateAccount(account, { tokenLease: `lease ${index}` }, { refresh_token, tokenLease: null }),
  )
  assert.equal(answers.filter((answer) => answer === true).length, 1, 'number of calls that changed the account')
  assertKept(await stored(adapter, account), { ...account, tokenLease: `lease ${answers.indexOf(true)}` })
})

strict('parallel updateAccount of different members keep each other', CHANGE, async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  const changes = newValues()
  const members = Object.entries(changes).map(([name, value]) => ({ [name]: value }) as AccountChanges)
  const outcomes = await atOnce(members.length, (index) => adapter.updateAccount(account, members[index] ?? {}))
  assert.deepEqual(
    fulfilled(outcomes),
    members.map(() => true),
  )
  assertKept(await stored(adapter, account), { ...account, ...changes })
})

strict('unlinkAccount wins over 50 parallel updateAccount', [...CHANGE, 'unlinkAccount'], async (adapter, samples) => {
  const account = await storedAccount(adapter, samples)
  await allAtOnce(50, async (index) => {
    if (index === 25) await adapter.unlinkAccount(account)
    else await adapter.updateAccount(account, newValues())
  })
  assertNull(await stored(adapter, account))
  assert.equal(await adapter.updateAccount(account, newValues()), false)
})

strict(
  'deleteUser removes the account, so that updateAccount gives false',
  [...CHANGE, 'deleteUser'],
  async (adapter, samples) => {
    const account = await storedAccount(adapter, samples)
    await adapter.deleteUser(account.userId)
    assert.equal(await adapter.updateAccount(account, newValues()), false)
    assertNull(await stored(adapter, account))
  },
)
