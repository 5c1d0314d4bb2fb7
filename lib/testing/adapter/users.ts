import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { AdapterUser } from '../../adapters/adapter.js'
import { assertKept, assertNull, assertRefused, atOnce, createChecks, fulfilled } from './check.js'
import { keyedRowChecks, spoil } from './keyed-rows.js'
import { anyEmail, dateFromNow } from './samples.js'

const add = createChecks()
const { checks, authjs, strict } = add
export const userChecks = checks

const BY_ID = ['createUser', 'getUser'] as const
const BY_ADDRESS = ['createUser', 'getUserByEmail'] as const

// The service has normalised addresses.
keyedRowChecks<AdapterUser>(add, {
  noun: 'user',
  key: { email: 'an address' },
  keys: 'addresses',
  creation: ['createUser'],
  taken: 'refused',
  method: 'getUserByEmail',
  level: 'authjs',
  sample: (samples, _, members) => samples.user({ emailVerified: dateFromNow(0), ...members }),
  // The store may choose another id.
  store: async (adapter, user) => Object.assign(user, { id: (await adapter.createUser(user)).id }),
  find: (adapter, { email }) => adapter.getUserByEmail(email),
})

authjs('createUser gives the user as stored, with an id', ['createUser'], async (adapter, samples) => {
  const { id: _, ...given } = samples.user()
  const user = await adapter.createUser({ ...given, id: samples.user().id })
  assert.ok(user.id, 'the user has no id')
  assertKept(user, given)
})

authjs('getUser gives a user by id', BY_ID, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  await adapter.createUser(samples.user())
  assertKept(await adapter.getUser(user.id), user)
})

authjs('getUser gives null for an unknown id', ['getUser'], async (adapter, samples) => {
  assertNull(await adapter.getUser(samples.absentUserId))
})

authjs('getUserByEmail gives a user by address', BY_ADDRESS, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  await adapter.createUser(samples.user())
  assertKept(await adapter.getUserByEmail(user.email), user)
})

authjs('keeps names in any script, and the milliseconds of emailVerified', BY_ID, async (adapter, samples) => {
  const given = { name: 'Åsa Ⅷ 李小龙 🗝️ O’Neil', emailVerified: dateFromNow(0) }
  const user = await adapter.createUser(samples.user(given))
  assertKept(await adapter.getUser(user.id), given)
})

authjs('updateUser changes what it is given and keeps the rest', [...BY_ID, 'updateUser'], async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  const emailVerified = dateFromNow(0)
  const updated = await adapter.updateUser({ id: user.id, name: 'Ada King', emailVerified })
  assertKept(updated, { ...user, name: 'Ada King', emailVerified })
  assertKept(await adapter.getUser(user.id), { ...user, name: 'Ada King', emailVerified })
})

strict('keeps null for what is not known', BY_ID, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user({ name: null, image: null }))
  assert.equal(user.emailVerified, null)
  const stored = await adapter.getUser(user.id)
  assertKept(stored, { name: null, image: null })
  assert.equal(stored?.emailVerified, null)
})

strict('keeps a picture of 2,000 and an address of 254 characters', BY_ADDRESS, async (adapter, samples) => {
  const email = `${'x'.repeat(40)}.${anyEmail()}`.padStart(254, 'y')
  const given = { email, image: `https://images.example/${'p'.repeat(1977)}` }
  await adapter.createUser(samples.user(given))
  assertKept(await adapter.getUserByEmail(email), given)
})

strict(
  'getUser gives copies of a user: changing them, or what was given, changes no row',
  BY_ID,
  async (adapter, samples) => {
    const given = samples.user({ emailVerified: dateFromNow(0) })
    const user = await adapter.createUser(given)
    const row = { ...structuredClone(given), id: user.id }
    for (const copy of [given, user, await adapter.getUser(row.id)]) if (copy) spoil(copy)
    assertKept(await adapter.getUser(row.id), row)
  },
)

strict('takes many users without an address', [...BY_ID, 'getUserByEmail'], async (adapter, samples) => {
  const withoutAddress = { email: null as unknown as string }
  const first = await adapter.createUser(samples.user(withoutAddress))
  const second = await adapter.createUser(samples.user(withoutAddress))
  assert.notEqual(first.id, second.id)
  assertKept(await adapter.getUser(first.id), first)
  // A blank that matches an absent address signs somebody in as a stranger (CVE-2019-16109).
  for (const blank of ['', 'null', 'undefined']) assertNull(await adapter.getUserByEmail(blank))
})

strict('100 parallel createUser with one address make one user', BY_ADDRESS, async (adapter, samples) => {
  const email = anyEmail()
  const made = fulfilled(await atOnce(100, () => adapter.createUser(samples.user({ email }))))
  assert.equal(made.length, 1, 'number of users made')
  assertKept(await adapter.getUserByEmail(email), { ...made[0] })
})

strict(
  'updateUser leaves a member alone that is undefined, and clears one that is null',
  [...BY_ID, 'updateUser'],
  async (adapter, samples) => {
    const user = await adapter.createUser(samples.user())
    await adapter.updateUser({ id: user.id, name: undefined, image: null })
    assertKept(await adapter.getUser(user.id), { ...user, image: null })
  },
)

strict('updateUser refuses an unknown id', ['updateUser', 'getUser'], async (adapter, samples) => {
  await assertRefused(adapter.updateUser({ id: samples.absentUserId, name: 'Nobody' }), 'an update of nobody')
  assertNull(await adapter.getUser(samples.absentUserId))
})

strict(
  'updateUser moves a user to another address and frees the old one',
  [...BY_ADDRESS, 'updateUser'],
  async (adapter, samples) => {
    const user = await adapter.createUser(samples.user())
    const email = anyEmail()
    assertKept(await adapter.updateUser({ id: user.id, email }), { id: user.id, email })
    assertKept(await adapter.getUserByEmail(email), { ...user, email })
    assertNull(await adapter.getUserByEmail(user.email))
    const successor = await adapter.createUser(samples.user({ email: user.email }))
    assertKept(await adapter.getUserByEmail(user.email), successor)
  },
)

strict('updateUser refuses the address of another user', [...BY_ADDRESS, 'updateUser'], async (adapter, samples) => {
  const [user, other] = [await adapter.createUser(samples.user()), await adapter.createUser(samples.user())]
  await assertRefused(
    adapter.updateUser({ id: user.id, name: 'Thief', email: other.email }),
    'a second user with one address',
  )
  assertKept(await adapter.getUserByEmail(user.email), user)
  assertKept(await adapter.getUserByEmail(other.email), other)
  await adapter.updateUser({ id: user.id, email: user.email })
  assertKept(await adapter.getUserByEmail(user.email), user)
})

strict(
  '20 users moved to one address in parallel: one of them has it',
  [...BY_ID, 'updateUser', 'getUserByEmail'],
  async (adapter, samples) => {
    const email = anyEmail()
    const users = await Promise.all(Array.from({ length: 20 }, () => adapter.createUser(samples.user())))
    const moves = users.map((user) => adapter.updateUser({ id: user.id, email }))
    const moved = fulfilled(await Promise.allSettled(moves))
    assert.equal(moved.length, 1, 'number of users moved')
    const holder = await adapter.getUserByEmail(email)
    assert.equal(holder?.id, moved[0]?.id)
    for (const user of users.filter(({ id }) => id !== holder?.id)) {
      assertKept(await adapter.getUser(user.id), user)
      assertKept(await adapter.getUserByEmail(user.email), user)
    }
  },
)

strict(
  'a user moved to one address by 20 calls in parallel: nobody else gets it',
  [...BY_ID, 'updateUser', 'getUserByEmail'],
  async (adapter, samples) => {
    // At once, and one a little after the other.
    for (const pauseMs of [0, 0.1, 0.2, 0.5, 1, 2]) {
      const email = anyEmail()
      const { id } = await adapter.createUser(samples.user())
      const moves = Array.from({ length: 20 }, async (_, index) => {
        if (pauseMs > 0) await setTimeout(pauseMs * index)
        return adapter.updateUser({ id, email })
      })
      await Promise.allSettled(moves)
      assert.equal((await adapter.getUserByEmail(email))?.id, id)
      await assert.rejects(async () => adapter.createUser({ ...samples.user(), email }))
    }
  },
)

strict(
  'a user moved to two addresses in parallel: the other one is free',
  [...BY_ID, 'updateUser', 'getUserByEmail'],
  async (adapter, samples) => {
    for (const pauseMs of [0, 0.2, 0.5, 1, 2]) {
      const emails = [anyEmail(), anyEmail()]
      const { id } = await adapter.createUser(samples.user())
      const moves = emails.map(async (email, index) => {
        await setTimeout(pauseMs * index)
        return adapter.updateUser({ id, email })
      })
      await Promise.allSettled(moves)
      const own = (await adapter.getUser(id))?.email
      const [free = '', ...more] = emails.filter((email) => email !== own)
      assert.deepEqual(more, [], 'addresses that the user does not have')
      assertNull(await adapter.getUserByEmail(free))
      const other = await adapter.createUser({ ...samples.user(), email: free })
      assert.equal((await adapter.getUserByEmail(free))?.id, other.id)
    }
  },
)

authjs(
  'deleteUser removes a user, and with it the session and the account',
  ['createUser', 'deleteUser', 'getUser', 'createSession', 'getSessionAndUser', 'linkAccount', 'getUserByAccount'],
  async (adapter, samples) => {
    const [user, other] = [await adapter.createUser(samples.user()), await adapter.createUser(samples.user())]
    const session = samples.session(user.id)
    const account = samples.account(user.id)
    await adapter.createSession(session)
    await adapter.linkAccount(account)
    await adapter.deleteUser(user.id)
    assertNull(await adapter.getUser(user.id))
    assertNull(await adapter.getSessionAndUser(session.sessionToken))
    assertNull(await adapter.getUserByAccount(account))
    assertKept(await adapter.getUser(other.id), other)
  },
)

strict(
  'deleteUser removes a user who has nothing else, and gives nothing or the user',
  ['createUser', 'deleteUser', 'getUser', 'getUserByEmail'],
  async (adapter, samples) => {
    const user = await adapter.createUser(samples.user())
    const deleted = await adapter.deleteUser(user.id)
    if (deleted) assertKept(deleted, user)
    assertNull(await adapter.getUser(user.id))
    assertNull(await adapter.getUserByEmail(user.email))
  },
)

strict('deleteUser of an unknown id does nothing', ['deleteUser'], async (adapter, samples) => {
  await adapter.deleteUser(samples.absentUserId)
})

strict('deleteUser frees the address', ['createUser', 'deleteUser', 'getUserByEmail'], async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  await adapter.deleteUser(user.id)
  const successor = await adapter.createUser(samples.user({ email: user.email }))
  assertKept(await adapter.getUserByEmail(user.email), successor)
})

strict(
  'deleteUser ends all sessions, frees all accounts and leaves those of others',
  ['createUser', 'deleteUser', 'createSession', 'getSessionAndUser', 'linkAccount', 'getUserByAccount', 'getAccount'],
  async (adapter, samples) => {
    const [user, other] = [await adapter.createUser(samples.user()), await adapter.createUser(samples.user())]
    const sessions = [samples.session(user.id), samples.session(user.id), samples.session(user.id)]
    const accounts = [samples.account(user.id), samples.account(user.id, { provider: 'other' })]
    const kept = { session: samples.session(other.id), account: samples.account(other.id) }
    for (const session of [...sessions, kept.session]) await adapter.createSession(session)
    for (const account of [...accounts, kept.account]) await adapter.linkAccount(account)

    await adapter.deleteUser(user.id)

    for (const { sessionToken } of sessions) assertNull(await adapter.getSessionAndUser(sessionToken))
    for (const account of accounts) {
      assertNull(await adapter.getUserByAccount(account))
      assertNull(await adapter.getAccount(account.providerAccountId, account.provider))
      await adapter.linkAccount({ ...account, userId: other.id })
      assertKept(await adapter.getUserByAccount(account), other)
    }
    assertKept((await adapter.getSessionAndUser(kept.session.sessionToken))?.user, other)
    assertKept(await adapter.getUserByAccount(kept.account), other)
  },
)

strict(
  'deleteUser removes the passkeys',
  ['createUser', 'deleteUser', 'createAuthenticator', 'getAuthenticator', 'listAuthenticatorsByUserId'],
  async (adapter, samples) => {
    const [user, other] = [await adapter.createUser(samples.user()), await adapter.createUser(samples.user())]
    const passkeys = [samples.authenticator(user.id), samples.authenticator(user.id)]
    const kept = samples.authenticator(other.id)
    for (const passkey of [...passkeys, kept]) await adapter.createAuthenticator(passkey)
    await adapter.deleteUser(user.id)
    assert.deepEqual(await adapter.listAuthenticatorsByUserId(user.id), [])
    for (const { credentialID } of passkeys) assertNull(await adapter.getAuthenticator(credentialID))
    assertKept(await adapter.getAuthenticator(kept.credentialID), kept)
  },
)

strict(
  'nobody is signed in as, or linked to, a user deleted meanwhile',
  ['createUser', 'deleteUser', 'createSession', 'getSessionAndUser', 'linkAccount', 'getUserByAccount'],
  async (adapter, samples) => {
    const user = await adapter.createUser(samples.user())
    const sessions = Array.from({ length: 30 }, () => samples.session(user.id))
    const accounts = Array.from({ length: 30 }, () => samples.account(user.id))
    await Promise.allSettled([
      ...sessions.map((session) => adapter.createSession(session)),
      adapter.deleteUser(user.id),
      ...accounts.map((account) => adapter.linkAccount(account)),
    ])
    for (const { sessionToken } of sessions) assertNull(await adapter.getSessionAndUser(sessionToken))
    for (const account of accounts) assertNull(await adapter.getUserByAccount(account))
  },
)
