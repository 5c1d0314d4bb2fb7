import assert from 'node:assert/strict'
import type { AdapterAuthenticator } from '../../adapters/adapter.js'
import {
  assertKept,
  assertListed,
  assertNothing,
  assertNull,
  assertRefused,
  atOnce,
  createChecks,
  fulfilled,
  storedPasskey,
} from './check.js'
import { keyedRowChecks } from './keyed-rows.js'
import { base64Text, dateFromNow } from './samples.js'

const add = createChecks()
const { checks, authjs, strict } = add
export const authenticatorChecks = checks

const COUNT = ['createUser', 'createAuthenticator', 'getAuthenticator', 'updateAuthenticatorCounter'] as const
const GET = ['createUser', 'createAuthenticator', 'getAuthenticator'] as const
const LIST = ['createUser', 'createAuthenticator', 'listAuthenticatorsByUserId'] as const

keyedRowChecks<AdapterAuthenticator>(add, {
  noun: 'passkey',
  key: { credentialID: 'an id' },
  creation: ['createUser', 'createAuthenticator'],
  taken: 'refused',
  method: 'getAuthenticator',
  level: 'authjs',
  sample: (samples, userId, members) => samples.authenticator(userId, members),
  store: (adapter, passkey) => adapter.createAuthenticator(passkey),
  find: (adapter, { credentialID }) => adapter.getAuthenticator(credentialID),
  list: {
    method: 'listAuthenticatorsByUserId',
    level: 'authjs',
    by: ['userId'],
    rowsOf: (adapter, { userId }) => adapter.listAuthenticatorsByUserId(userId),
    end: ['deleteAuthenticator', 'deleted', (adapter, { credentialID }) => adapter.deleteAuthenticator(credentialID)],
  },
})

authjs('lists no passkeys of a user who does not exist', ['listAuthenticatorsByUserId'], async (adapter, samples) => {
  assert.deepEqual(await adapter.listAuthenticatorsByUserId(samples.absentUserId), [])
})

authjs(
  'createAuthenticator gives the passkey as stored',
  ['createUser', 'createAuthenticator'],
  async (adapter, samples) => {
    const passkey = samples.authenticator((await adapter.createUser(samples.user())).id)
    assertKept(await adapter.createAuthenticator(passkey), passkey)
  },
)

authjs('getAuthenticator gives a passkey by its id', GET, async (adapter, samples) => {
  const { id } = await adapter.createUser(samples.user())
  const passkeys = [
    samples.authenticator(id),
    samples.authenticator(id, {
      counter: 4_294_967_295,
      credentialBackedUp: false,
      credentialDeviceType: 'singleDevice',
    }),
  ]
  for (const passkey of passkeys) await adapter.createAuthenticator(passkey)
  for (const passkey of passkeys) assertKept(await adapter.getAuthenticator(passkey.credentialID), passkey)
})

authjs('updateAuthenticatorCounter stores the counter and keeps the rest', COUNT, async (adapter, samples) => {
  const passkey = await storedPasskey(adapter, samples, { counter: 1 })
  assertKept(await adapter.updateAuthenticatorCounter(passkey.credentialID, 7), { ...passkey, counter: 7 })
  assertKept(await adapter.getAuthenticator(passkey.credentialID), { ...passkey, counter: 7 })
})

authjs(
  'updateAuthenticatorCounter fails for an unknown id',
  ['updateAuthenticatorCounter', 'getAuthenticator'],
  async (adapter, samples) => {
    const { credentialID } = samples.authenticator('')
    await assertRefused(adapter.updateAuthenticatorCounter(credentialID, 1), 'a counter of no passkey')
    assertNull(await adapter.getAuthenticator(credentialID))
  },
)

strict('keeps the longest id, a long key, and no transports', GET, async (adapter, samples) => {
  const { id } = await adapter.createUser(samples.user())
  const credentialID = base64Text(samples.longestCredentialId)
  const passkey = samples.authenticator(id, {
    credentialID,
    providerAccountId: credentialID,
    credentialPublicKey: base64Text(1024),
    transports: null,
  })
  await adapter.createAuthenticator(passkey)
  assertKept(await adapter.getAuthenticator(credentialID), passkey)
  assertNull(await adapter.getAuthenticator(`${credentialID.slice(0, -1)}-`))
})

strict('ids that differ in case are different passkeys', COUNT, async (adapter, samples) => {
  const { id } = await adapter.createUser(samples.user())
  const passkey = samples.authenticator(id, { credentialID: `Ab${base64Text(42)}` })
  await adapter.createAuthenticator(passkey)
  const lookalike = passkey.credentialID.toLowerCase()
  assertNull(await adapter.getAuthenticator(lookalike))
  await assertRefused(adapter.updateAuthenticatorCounter(lookalike, 5), 'a counter of no passkey')
})

strict('updateAuthenticatorCounter never goes back', COUNT, async (adapter, samples) => {
  const passkey = await storedPasskey(adapter, samples, { counter: 10 })
  // Many passkeys never count: a counter that stands still is no failure.
  assertKept(await adapter.updateAuthenticatorCounter(passkey.credentialID, 10), passkey)
  await Promise.allSettled([adapter.updateAuthenticatorCounter(passkey.credentialID, 9)])
  assertKept(await adapter.getAuthenticator(passkey.credentialID), passkey)
})

strict('100 parallel updateAuthenticatorCounter end at the highest', COUNT, async (adapter, samples) => {
  const passkey = await storedPasskey(adapter, samples)
  // 37 and 101 share no divisor, so that this visits 1 to 100 out of order.
  await atOnce(100, (index) => adapter.updateAuthenticatorCounter(passkey.credentialID, ((index + 1) * 37) % 101))
  assertKept(await adapter.getAuthenticator(passkey.credentialID), { ...passkey, counter: 100 })
})

strict('50 parallel createAuthenticator of one id: one succeeds', LIST, async (adapter, samples) => {
  const { id } = await adapter.createUser(samples.user())
  const passkey = samples.authenticator(id)
  const created = fulfilled(await atOnce(50, () => adapter.createAuthenticator(passkey)))
  assert.equal(created.length, 1, 'number of passkeys made')
  assert.equal((await adapter.listAuthenticatorsByUserId(id)).length, 1)
})

strict(
  'keeps the name, the dates, the handle and the model of a passkey',
  [...GET, 'updateAuthenticator'],
  async (adapter, samples) => {
    const { id } = await adapter.createUser(samples.user())
    const details = {
      name: 'Ada’s key',
      createdAt: dateFromNow(0),
      userHandle: base64Text(44),
      aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
      userVerified: true,
      attestationObject: base64Text(1024),
    }
    const passkey = { ...samples.authenticator(id), ...details }
    await adapter.createAuthenticator(passkey)
    assertKept(await adapter.getAuthenticator(passkey.credentialID), passkey)
    const changes = {
      name: 'Another name',
      lastUsedAt: dateFromNow(1000),
      credentialBackedUp: false,
      credentialDeviceType: 'singleDevice',
    } as const
    assertKept(await adapter.updateAuthenticator(passkey.credentialID, changes), { ...passkey, ...changes })
    assertKept(await adapter.getAuthenticator(passkey.credentialID), { ...passkey, ...changes })
  },
)

strict('updateAuthenticator fails for an unknown id', ['updateAuthenticator'], async (adapter, samples) => {
  const { credentialID } = samples.authenticator('')
  await assertRefused(adapter.updateAuthenticator(credentialID, { name: 'x' }), 'a change of no passkey')
})

strict(
  'deleteAuthenticator gives the passkey once, and leaves the others',
  [...GET, 'deleteAuthenticator', 'listAuthenticatorsByUserId'],
  async (adapter, samples) => {
    const { id } = await adapter.createUser(samples.user())
    const [gone, kept] = [samples.authenticator(id), samples.authenticator(id)]
    for (const passkey of [gone, kept]) await adapter.createAuthenticator(passkey)
    await adapter.deleteAuthenticator(gone.credentialID)
    assertNull(await adapter.getAuthenticator(gone.credentialID))
    assertNothing(await adapter.deleteAuthenticator(gone.credentialID))
    assertListed(await adapter.listAuthenticatorsByUserId(id), [kept], 'credentialID')
  },
)
