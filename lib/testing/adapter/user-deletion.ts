import assert from 'node:assert/strict'
import { assertKept, assertNull, createChecks } from './check.js'

const { checks, authjs, strict } = createChecks()
export const userDeletionChecks = checks

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
