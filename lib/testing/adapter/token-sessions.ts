import assert from 'node:assert/strict'
import type { AdapterTokenSession } from '../../adapters/adapter.js'
import { assertKept, assertListed, assertNull, createChecks, storedTokenSession } from './check.js'
import { awkwardText, dateFromNow, HOUR_MS, lookalikes, type Samples } from './samples.js'

const { checks, strict } = createChecks()
export const tokenSessionChecks = checks

const CREATE = ['createTokenSession', 'getTokenSession'] as const
const UPDATE = [...CREATE, 'updateTokenSession'] as const
const REVOKE = [...CREATE, 'revokeTokenSession'] as const
const LIST = [...CREATE, 'listTokenSessionsByUserId'] as const

/** An id of a user whom no store knows: the users of token sessions may be in no store at all. */
const someUserId = (samples: Samples) => samples.tokenSession('').id

const idsOf = (sessions: readonly AdapterTokenSession[]) => sessions.map(({ id }) => id).sort()

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

strict('getTokenSession gives null for an unknown id', ['getTokenSession'], async (adapter, samples) => {
  assertNull(await adapter.getTokenSession(samples.tokenSession('').id))
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

strict('createTokenSession leaves a row alone that has the id already', CREATE, async (adapter, samples) => {
  const session = await storedTokenSession(adapter, samples)
  const another = { lastSeenAt: dateFromNow(0), expires: dateFromNow(HOUR_MS), name: 'another' }
  await adapter.createTokenSession({ ...session, ...another })
  assertKept(await adapter.getTokenSession(session.id), session)
  await adapter.createTokenSession(samples.tokenSession(someUserId(samples), { id: session.id }))
  assertKept(await adapter.getTokenSession(session.id), session)
})

strict(
  'createTokenSession with the id of another user’s session lists it for neither user twice, nor for the wrong one',
  LIST,
  async (adapter, samples) => {
    const session = await storedTokenSession(adapter, samples)
    const thief = someUserId(samples)
    await adapter.createTokenSession(samples.tokenSession(thief, { id: session.id }))
    assert.deepEqual(await adapter.listTokenSessionsByUserId(thief), [])
    assert.deepEqual(idsOf(await adapter.listTokenSessionsByUserId(session.userId)), [session.id])
  },
)

strict('updateTokenSession changes what it is given, and keeps the rest', UPDATE, async (adapter, samples) => {
  const [session, other] = [samples.tokenSession(someUserId(samples)), samples.tokenSession(someUserId(samples))]
  for (const given of [session, other]) await adapter.createTokenSession(given)
  const seen = { lastSeenAt: dateFromNow(0), userAgent: 'curl/8', network: null, tokenIssuedAt: dateFromNow(1000) }
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

strict('updateTokenSession of an unknown id does nothing, and makes no row', UPDATE, async (adapter, samples) => {
  const { id, expires, lastSeenAt } = samples.tokenSession('')
  await adapter.updateTokenSession(id, { expires, lastSeenAt, revokedAt: null })
  assertNull(await adapter.getTokenSession(id))
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

strict('revokeTokenSession of an unknown id gives false, and makes no row', REVOKE, async (adapter, samples) => {
  const { id } = samples.tokenSession('')
  assert.equal(await adapter.revokeTokenSession(id, dateFromNow(0)), false)
  assertNull(await adapter.getTokenSession(id))
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

strict(
  'listTokenSessionsByUserId gives the token sessions of one user, without revoked ones, and an empty array for nobody',
  [...LIST, 'revokeTokenSession', 'updateTokenSession'],
  async (adapter, samples) => {
    const [userId, other] = [someUserId(samples), someUserId(samples)]
    const sessions = Array.from({ length: 12 }, () => samples.tokenSession(userId))
    for (const session of [...sessions, samples.tokenSession(other)]) await adapter.createTokenSession(session)
    const [revoked, seen, ...rest] = sessions as [AdapterTokenSession, AdapterTokenSession, ...AdapterTokenSession[]]
    const [revokedAt, lastSeenAt] = [dateFromNow(0), dateFromNow(0)]
    await adapter.revokeTokenSession(revoked.id, revokedAt)
    await adapter.updateTokenSession(seen.id, { lastSeenAt })
    const listed = await adapter.listTokenSessionsByUserId(userId)
    assertListed(listed, [{ ...seen, lastSeenAt }, ...rest], 'id', 'revoked ones are kept for long and may be many')
    assert.deepEqual(await adapter.listTokenSessionsByUserId(someUserId(samples)), [])
  },
)

strict('compares ids of token sessions exactly', [...REVOKE, 'updateTokenSession'], async (adapter, samples) => {
  const userId = someUserId(samples)
  const pairs = lookalikes(samples.tokenSession('').id)
  for (const [what, stored, asked] of pairs) {
    const session = await storedTokenSession(adapter, samples, { userId, id: stored })
    assert.equal(await adapter.getTokenSession(asked), null, `confuses ids that differ in ${what}`)
    await adapter.updateTokenSession(asked, { userAgent: 'Mallory' })
    const revoked = await adapter.revokeTokenSession(asked, dateFromNow(0))
    assert.equal(revoked, false, `revokes a session whose id differs in ${what}`)
    assertKept(await adapter.getTokenSession(stored), session)
  }
  for (const pattern of ['', '%', '*', '_', pairs[0]?.[1].slice(0, -1) ?? '']) {
    assertNull(await adapter.getTokenSession(pattern))
    assert.equal(await adapter.revokeTokenSession(pattern, dateFromNow(0)), false)
  }
})

strict('lists token sessions of exactly the user whose id is given', LIST, async (adapter, samples) => {
  const stem = someUserId(samples)
  for (const [what, stored, asked] of lookalikes(stem)) {
    const session = await storedTokenSession(adapter, samples, { userId: stored })
    assert.deepEqual(await adapter.listTokenSessionsByUserId(asked), [], `confuses users whose ids differ in ${what}`)
    assert.deepEqual(idsOf(await adapter.listTokenSessionsByUserId(stored)), [session.id])
  }
  // The id of one user can be the beginning of another one’s.
  for (const asked of [stem, `${stem}-`, `${stem}-Case-`, '', '%', '*', `${stem}%`, `${stem}*`]) {
    assert.deepEqual(await adapter.listTokenSessionsByUserId(asked), [])
  }
})

strict('takes every character of both ids as itself', [...UPDATE, ...LIST, ...REVOKE], async (adapter, samples) => {
  const stem = samples.tokenSession('').id.slice(0, 16)
  const [id, userId] = [awkwardText(stem), awkwardText(stem)]
  const session = await storedTokenSession(adapter, samples, { userId, id })
  assertKept(await adapter.getTokenSession(id), session)
  await adapter.updateTokenSession(id, { network: null })
  const listed = await adapter.listTokenSessionsByUserId(userId)
  assert.deepEqual(idsOf(listed), [id])
  assert.equal(listed[0]?.userId, userId)
  assert.equal(await adapter.revokeTokenSession(id, dateFromNow(0)), true)
  assert.deepEqual(await adapter.listTokenSessionsByUserId(userId), [])
})

strict('never takes the end of a user’s id for the start of a session’s', LIST, async (adapter, samples) => {
  for (const separator of [':', '/', '-', '_', '.', ',', '|', ' ', '%3A', '","', '}:']) {
    const { id, userId } = samples.tokenSession(someUserId(samples))
    await adapter.createTokenSession(samples.tokenSession(userId, { id: `x${separator}${id}` }))
    assertNull(await adapter.getTokenSession(id))
    assert.deepEqual(await adapter.listTokenSessionsByUserId(`${userId}${separator}x`), [])
  }
})

strict(
  'gives copies of a token session: changing them, or what was given, changes no row',
  LIST,
  async (adapter, samples) => {
    const session = samples.tokenSession(someUserId(samples))
    const given = structuredClone(session)
    await adapter.createTokenSession(given)
    const copies = [
      given,
      await adapter.getTokenSession(session.id),
      ...(await adapter.listTokenSessionsByUserId(session.userId)),
    ]
    for (const copy of copies) {
      assert.ok(copy?.tokenIssuedAt)
      copy.tokenIssuedAt.setTime(0)
      copy.expires.setTime(0)
      copy.name = 'Mallory'
    }
    assertKept(await adapter.getTokenSession(session.id), session)
  },
)
