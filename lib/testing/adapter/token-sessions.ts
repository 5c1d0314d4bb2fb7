import assert from 'node:assert/strict'
import type { AdapterTokenSession } from '../../adapters/adapter.js'
import { assertKept, assertNull, createChecks, storedTokenSession } from './check.js'
import { keyedRowChecks } from './keyed-rows.js'
import { dateFromNow, HOUR_MS, type Samples } from './samples.js'

const add = createChecks()
const { checks, strict } = add
export const tokenSessionChecks = checks

const CREATE = ['createTokenSession', 'getTokenSession'] as const
const UPDATE = [...CREATE, 'updateTokenSession'] as const
const REVOKE = [...CREATE, 'revokeTokenSession'] as const
const LIST = [...CREATE, 'listTokenSessionsByUserId'] as const

/** An id of a user whom no store knows: the users of token sessions may be in no store at all. */
const someUserId = (samples: Samples) => samples.tokenSession('').id

const idsOf = (sessions: readonly AdapterTokenSession[]) => sessions.map(({ id }) => id).sort()

keyedRowChecks<AdapterTokenSession>(add, {
  noun: 'token session',
  key: { id: 'an id' },
  keys: 'ids of token sessions',
  creation: ['createTokenSession'],
  taken: 'kept',
  method: 'getTokenSession',
  level: 'strict',
  sample: (samples, userId, members) => samples.tokenSession(userId, members),
  store: (adapter, session) => adapter.createTokenSession(session),
  find: (adapter, { id }) => adapter.getTokenSession(id),
  changes: {
    updateTokenSession: (adapter, { id, expires }) =>
      adapter.updateTokenSession(id, { expires, userAgent: 'Mallory', lastSeenAt: expires, revokedAt: null }),
    revokeTokenSession: async (adapter, { id }) =>
      assert.equal(await adapter.revokeTokenSession(id, dateFromNow(0)), false),
  },
  list: {
    method: 'listTokenSessionsByUserId',
    by: ['userId'],
    text: 'a user’s id',
    rowsOf: (adapter, { userId }) => adapter.listTokenSessionsByUserId(userId),
    // Revoked ones are kept for long and may be many.
    end: ['revokeTokenSession', 'revoked', (adapter, { id }) => adapter.revokeTokenSession(id, dateFromNow(0))],
  },
})

strict('getTokenSession gives what createTokenSession stored', CREATE, async (adapter, samples) => {
  const session = await storedTokenSession(adapter, samples)
  await adapter.createTokenSession(samples.tokenSession(session.userId))
  assertKept(await adapter.getTokenSession(session.id), session)
  const revoked = await storedTokenSession(adapter, samples, {
    userId: session.userId,
    revokedAt: dateFromNow(-HOUR_MS),
  })
  assertKept(await adapter.getTokenSession(revoked.id), revoked)
})

strict('keeps null for what is not known of a token session', LIST, async (adapter, samples) => {
  const names = Object.keys(samples.sessionDetails())
  const nothing = Object.fromEntries(names.map((name) => [name, null]))
  const given = samples.tokenSession(someUserId(samples), { ...nothing, revokedAt: null, tokenIssuedAt: null })
  await adapter.createTokenSession(given)
  const { id, userId, expires } = samples.tokenSession(given.userId)
  await adapter.createTokenSession({ id, userId, expires, revokedAt: null, tokenIssuedAt: null })
  assertKept(await adapter.getTokenSession(given.id), given)
  const found = [await adapter.getTokenSession(given.id), await adapter.getTokenSession(id)]
  for (const row of [...found, ...(await adapter.listTokenSessionsByUserId(userId))]) {
    assert.equal(row?.revokedAt, null, 'revokedAt must be null, and not absent: somebody may compare it with null')
    assert.equal(row?.tokenIssuedAt, null, 'tokenIssuedAt')
    for (const name of names) assert.equal(row?.[name as 'name'] ?? null, null, name)
  }
})

strict('keeps an id of 64 characters, and a user id of 255', LIST, async (adapter, samples) => {
  const [id, userId] = [someUserId(samples).padEnd(64, 'i'), someUserId(samples).padEnd(255, 'u')]
  const session = await storedTokenSession(adapter, samples, { userId, id })
  assertKept(await adapter.getTokenSession(id), session)
  assert.deepEqual(idsOf(await adapter.listTokenSessionsByUserId(userId)), [id])
  assertNull(await adapter.getTokenSession(`${id.slice(0, -1)}j`))
  assert.deepEqual(await adapter.listTokenSessionsByUserId(`${userId.slice(0, -1)}v`), [])
})

strict('updateTokenSession changes what it is given, and keeps the rest', UPDATE, async (adapter, samples) => {
  const [session, other] = [samples.tokenSession(someUserId(samples)), samples.tokenSession(someUserId(samples))]
  for (const given of [session, other]) await adapter.createTokenSession(given)
  const [createdAt, tokenIssuedAt] = [dateFromNow(1000), dateFromNow(1000)]
  const seen = { createdAt, lastSeenAt: dateFromNow(0), userAgent: 'curl/8', network: null, tokenIssuedAt }
  await adapter.updateTokenSession(session.id, seen)
  assertKept(await adapter.getTokenSession(session.id), { ...session, ...seen })
  const expires = dateFromNow(400 * 24 * HOUR_MS)
  await adapter.updateTokenSession(session.id, { expires, userAgent: undefined })
  assertKept(await adapter.getTokenSession(session.id), { ...session, ...seen, expires })
  await adapter.updateTokenSession(session.id, {})
  assertKept(await adapter.getTokenSession(session.id), { ...session, ...seen, expires })
  const revokedAt = dateFromNow(0)
  await adapter.updateTokenSession(session.id, { revokedAt })
  assertKept(await adapter.getTokenSession(session.id), { ...session, ...seen, expires, revokedAt })
  assertKept(await adapter.getTokenSession(other.id), other)
})

strict('revokeTokenSession revokes one session, and once', REVOKE, async (adapter, samples) => {
  const userId = someUserId(samples)
  const [session, kept] = [samples.tokenSession(userId), samples.tokenSession(userId)]
  for (const given of [session, kept]) await adapter.createTokenSession(given)
  const revokedAt = dateFromNow(0)
  assert.equal(await adapter.revokeTokenSession(session.id, revokedAt), true)
  assert.equal(await adapter.revokeTokenSession(session.id, dateFromNow(HOUR_MS)), false)
  assertKept(await adapter.getTokenSession(session.id), { ...session, revokedAt })
  assertKept(await adapter.getTokenSession(kept.id), kept)
})

strict(
  'a revoked token session stays revoked when somebody stores it again, or has seen it',
  [...REVOKE, 'updateTokenSession'],
  async (adapter, samples) => {
    const session = await storedTokenSession(adapter, samples)
    const revokedAt = dateFromNow(0)
    await adapter.revokeTokenSession(session.id, revokedAt)
    await adapter.createTokenSession(session)
    const seen = { lastSeenAt: dateFromNow(0), expires: dateFromNow(48 * HOUR_MS), tokenIssuedAt: dateFromNow(0) }
    await adapter.updateTokenSession(session.id, seen)
    await adapter.updateTokenSession(session.id, { ...seen, revokedAt: undefined })
    assertKept(await adapter.getTokenSession(session.id), { ...session, ...seen, revokedAt })
    assert.equal(await adapter.revokeTokenSession(session.id, dateFromNow(0)), false)
  },
)
