import assert from 'node:assert/strict'
import { assertKept, assertNull, createChecks } from './check.js'
import { awkwardText, base64Text, lookalikes } from './samples.js'
import { storedAccount } from './stored.js'

const { checks, authjs, strict } = createChecks()
/** By which ids accounts are found. */
export const accountKeyChecks = checks

const LINK = ['createUser', 'linkAccount', 'getUserByAccount'] as const

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
