import assert from 'node:assert/strict'
import type { AdapterUser, SignUp } from '../../adapters/adapter.js'
import { type AdapterCalls, assertKept, assertNull, assertRefused, atOnce, createChecks, fulfilled } from './check.js'
import type { Samples } from './samples.js'

const { checks, strict } = createChecks()
export const signUpChecks = checks

const USER = ['createUserWithAccount', 'getUser', 'getUserByEmail', 'getUserByAccount'] as const
const PASSKEY = ['createAuthenticator', 'getAuthenticator', 'listAuthenticatorsByUserId'] as const

const signUp = (samples: Samples, user: Partial<AdapterUser> = {}): SignUp => {
  const { userId: _, ...account } = samples.account('')
  return { user: samples.user(user), account }
}

const withPasskey = (samples: Samples): Required<SignUp> => {
  const { userId: _, ...authenticator } = samples.authenticator('')
  const { user } = signUp(samples)
  const { credentialID: providerAccountId } = authenticator
  return { user, account: { provider: 'passkey', type: 'webauthn', providerAccountId }, authenticator }
}

/** Asserts that nothing of a sign-up was stored, except rows of a user who existed before. */
async function assertNothingOf(
  adapter: AdapterCalls,
  { user, account }: SignUp,
  but: { email?: true; account?: true },
) {
  assertNull(await adapter.getUser(user.id))
  if (!but.email) assertNull(await adapter.getUserByEmail(user.email))
  if (!but.account) assertNull(await adapter.getUserByAccount(account))
}

strict('createUserWithAccount stores the user and the account', [...USER, 'getAccount'], async (adapter, samples) => {
  const given = signUp(samples)
  const { id: _, ...fields } = given.user
  const user = await adapter.createUserWithAccount(given)
  assert.ok(user.id, 'the user has no id')
  assertKept(user, fields)
  assertKept(await adapter.getUser(user.id), user)
  assertKept(await adapter.getUserByEmail(user.email), user)
  assertKept(await adapter.getUserByAccount(given.account), user)
  const { provider, providerAccountId } = given.account
  assertKept(await adapter.getAccount(providerAccountId, provider), { ...given.account, userId: user.id })
})

strict('createUserWithAccount takes a user without an address', [...USER], async (adapter, samples) => {
  for (const given of [1, 2].map(() => signUp(samples, { email: null as unknown as string }))) {
    const made = await adapter.createUserWithAccount(given)
    assertKept(await adapter.getUserByAccount(given.account), made)
  }
})

strict('createUserWithAccount stores the passkey, too', [...USER, ...PASSKEY], async (adapter, samples) => {
  const given = withPasskey(samples)
  const user = await adapter.createUserWithAccount(given)
  const stored = { ...given.authenticator, userId: user.id }
  assertKept(await adapter.getUserByAccount(given.account), user)
  assertKept(await adapter.getAuthenticator(given.authenticator.credentialID), stored)
  assert.equal((await adapter.listAuthenticatorsByUserId(user.id)).length, 1)
})

strict('createUserWithAccount writes nothing where the address is another’s', [...USER], async (adapter, samples) => {
  const other = await adapter.createUserWithAccount(signUp(samples))
  const given = signUp(samples, { email: other.email })
  await assertRefused(adapter.createUserWithAccount(given), 'a second user with one address')
  await assertNothingOf(adapter, given, { email: true })
  assertKept(await adapter.getUserByEmail(other.email), other)
  const made = await adapter.createUserWithAccount({ ...given, user: samples.user() })
  assertKept(await adapter.getUserByAccount(given.account), made)
})

strict('createUserWithAccount writes nothing where the account is another’s', [...USER], async (adapter, samples) => {
  const first = signUp(samples)
  const other = await adapter.createUserWithAccount(first)
  const given = { ...signUp(samples), account: first.account }
  await assertRefused(adapter.createUserWithAccount(given), 'an account of two users')
  await assertNothingOf(adapter, given, { account: true })
  assertKept(await adapter.getUserByAccount(first.account), other)
  // The address is free: a sign-up with another account can have it.
  const own = await adapter.createUserWithAccount({
    ...signUp(samples),
    user: { ...given.user, id: samples.user().id },
  })
  assertKept(await adapter.getUserByEmail(given.user.email), own)
})

strict(
  'createUserWithAccount writes nothing where the passkey is another’s',
  [...USER, ...PASSKEY],
  async (adapter, samples) => {
    const first = withPasskey(samples)
    const other = await adapter.createUserWithAccount(first)
    const given = { ...withPasskey(samples), authenticator: { ...first.authenticator, counter: 9 } }
    await assertRefused(adapter.createUserWithAccount(given), 'a passkey of two users')
    await assertNothingOf(adapter, given, {})
    const { credentialID } = first.authenticator
    assertKept(await adapter.getAuthenticator(credentialID), { ...first.authenticator, userId: other.id })
  },
)

strict('createUserWithAccount writes nothing where the id is another’s', [...USER], async (adapter, samples) => {
  const other = await adapter.createUserWithAccount(signUp(samples))
  const given = signUp(samples, { id: other.id })
  const [outcome] = await Promise.allSettled([adapter.createUserWithAccount(given)])
  // A store that numbers its users gives another id.
  if (outcome?.status === 'fulfilled') return assert.notEqual(outcome.value.id, other.id)
  assertKept(await adapter.getUser(other.id), other)
  assertNull(await adapter.getUserByEmail(given.user.email))
  assertNull(await adapter.getUserByAccount(given.account))
})

strict(
  'deleteUser removes what createUserWithAccount stored',
  [...USER, ...PASSKEY, 'deleteUser'],
  async (adapter, samples) => {
    const given = withPasskey(samples)
    const user = await adapter.createUserWithAccount(given)
    await adapter.deleteUser(user.id)
    await assertNothingOf(adapter, { ...given, user }, {})
    assertNull(await adapter.getAuthenticator(given.authenticator.credentialID))
    const made = await adapter.createUserWithAccount(given)
    assertKept(await adapter.getUserByAccount(given.account), made)
  },
)

strict('30 parallel createUserWithAccount of one account: one succeeds', [...USER], async (adapter, samples) => {
  const { account } = signUp(samples)
  const given = Array.from({ length: 30 }, () => ({ ...signUp(samples), account }))
  const made = fulfilled(await atOnce(30, (index) => adapter.createUserWithAccount(given[index] as SignUp)))
  assert.equal(made.length, 1, 'number of users made')
  assertKept(await adapter.getUserByAccount(account), { ...made[0] })
  for (const { user } of given) if (user.email !== made[0]?.email) assertNull(await adapter.getUserByEmail(user.email))
})

strict('30 parallel createUserWithAccount of one address: one succeeds', [...USER], async (adapter, samples) => {
  const { user } = signUp(samples)
  const given = Array.from({ length: 30 }, () => signUp(samples, { email: user.email }))
  const made = fulfilled(await atOnce(30, (index) => adapter.createUserWithAccount(given[index] as SignUp)))
  assert.equal(made.length, 1, 'number of users made')
  assertKept(await adapter.getUserByEmail(user.email), { ...made[0] })
  const owners = await Promise.all(given.map(({ account }) => adapter.getUserByAccount(account)))
  assert.equal(owners.filter((owner) => owner !== null).length, 1, 'number of accounts linked')
})
