import assert from 'node:assert/strict'
import { allAtOnce, assertKept, assertNull, createChecks, storedTokenSession } from './check.js'
import { dateFromNow, HOUR_MS } from './samples.js'

const { checks, strict } = createChecks()
/** What happens to token sessions at the same moment, with the deletion of their user, and at their expiry. */
export const tokenSessionRaceChecks = checks

strict(
  '20 parallel revokeTokenSession of one session: one gives true',
  ['createTokenSession', 'getTokenSession', 'revokeTokenSession'],
  async (adapter, samples) => {
    const session = await storedTokenSession(adapter, samples)
    const moments = Array.from({ length: 20 }, (_, index) => dateFromNow(index * HOUR_MS))
    const answers = await allAtOnce(20, (index) => adapter.revokeTokenSession(session.id, moments[index] ?? new Date()))
    assert.equal(answers.filter((answer) => answer === true).length, 1, 'number of calls that revoked the session')
    const revokedAt = moments[answers.indexOf(true)]
    assertKept(await adapter.getTokenSession(session.id), { ...session, revokedAt })
  },
)

strict(
  '20 parallel createTokenSession with one id: all succeed, and one of the rows is there as a whole',
  ['createTokenSession', 'getTokenSession', 'listTokenSessionsByUserId'],
  async (adapter, samples) => {
    const [{ id }, { id: userId }] = [samples.tokenSession(''), samples.tokenSession('')]
    const given = Array.from({ length: 20 }, (_, index) =>
      samples.tokenSession(userId, { id, name: `number ${index}`, lastSeenAt: dateFromNow(index * HOUR_MS) }),
    )
    await allAtOnce(20, async (index) => adapter.createTokenSession(given[index] ?? samples.tokenSession('')))
    const found = await adapter.getTokenSession(id)
    assertKept(found, given.find(({ name }) => name === found?.name) ?? samples.tokenSession(''))
    assert.equal((await adapter.listTokenSessionsByUserId(userId)).length, 1)
  },
)

strict(
  'revokeTokenSession wins over 100 parallel updateTokenSession and createTokenSession',
  ['createTokenSession', 'getTokenSession', 'updateTokenSession', 'revokeTokenSession'],
  async (adapter, samples) => {
    for (const turn of [50, 99]) {
      const session = await storedTokenSession(adapter, samples)
      const revokedAt = dateFromNow(0)
      const seen = { lastSeenAt: dateFromNow(HOUR_MS), expires: dateFromNow(48 * HOUR_MS) }
      await allAtOnce(100, async (index) => {
        if (index === turn) assert.equal(await adapter.revokeTokenSession(session.id, revokedAt), true)
        else if (index % 2) await adapter.createTokenSession(session)
        else await adapter.updateTokenSession(session.id, seen)
      })
      assertKept(await adapter.getTokenSession(session.id), { ...session, ...seen, revokedAt })
    }
  },
)

strict(
  'parallel changes of different members are all kept',
  ['createTokenSession', 'getTokenSession', 'updateTokenSession'],
  async (adapter, samples) => {
    const session = await storedTokenSession(adapter, samples)
    const changes = [
      { lastSeenAt: dateFromNow(0) },
      { expires: dateFromNow(48 * HOUR_MS) },
      { userAgent: 'curl/8' },
      { network: null },
      { tokenIssuedAt: dateFromNow(1000) },
      { revokedAt: dateFromNow(2000) },
    ]
    await allAtOnce(changes.length, (index) => adapter.updateTokenSession(session.id, changes[index] ?? {}))
    assertKept(await adapter.getTokenSession(session.id), Object.assign({}, session, ...changes))
  },
)

strict(
  'deleteUser leaves the token sessions: a token whose row is gone counts as one that was never revoked',
  [
    'createUser',
    'deleteUser',
    'createTokenSession',
    'getTokenSession',
    'revokeTokenSession',
    'listTokenSessionsByUserId',
  ],
  async (adapter, samples) => {
    const { id: userId } = await adapter.createUser(samples.user())
    const [revoked, open] = [samples.tokenSession(userId), samples.tokenSession(userId)]
    for (const session of [revoked, open]) await adapter.createTokenSession(session)
    const revokedAt = dateFromNow(0)
    await adapter.revokeTokenSession(revoked.id, revokedAt)
    await adapter.deleteUser(userId)
    assertKept(await adapter.getTokenSession(revoked.id), { ...revoked, revokedAt })
    assertKept(await adapter.getTokenSession(open.id), open)
    const listed = (await adapter.listTokenSessionsByUserId(userId)).map(({ id }) => id)
    assert.deepEqual(listed, [open.id], 'whoever revokes all of them must find it')
  },
)

strict(
  'deleteSessionsByUserId leaves the token sessions',
  ['createUser', 'deleteSessionsByUserId', 'createTokenSession', 'getTokenSession'],
  async (adapter, samples) => {
    const session = samples.tokenSession((await adapter.createUser(samples.user())).id)
    await adapter.createTokenSession(session)
    await adapter.deleteSessionsByUserId(session.userId)
    assertKept(await adapter.getTokenSession(session.id), session)
  },
)

strict(
  'gives an expired token session as it stands, or none',
  ['createTokenSession', 'getTokenSession', 'listTokenSessionsByUserId'],
  async (adapter, samples) => {
    const session = await storedTokenSession(adapter, samples, { expires: dateFromNow(-HOUR_MS) })
    const found = await adapter.getTokenSession(session.id)
    if (found) assertKept(found, session)
    const [listed] = await adapter.listTokenSessionsByUserId(session.userId)
    if (listed) assertKept(listed, session)
  },
)

strict(
  'deleteExpired deletes expired token sessions, and no others: not even revoked ones, or those that were extended',
  ['createTokenSession', 'getTokenSession', 'updateTokenSession', 'revokeTokenSession', 'deleteExpired'],
  async (adapter, samples) => {
    const { id: userId } = samples.tokenSession('')
    const ending = (ms: number) => samples.tokenSession(userId, { expires: dateFromNow(ms) })
    const [expired, revokedAndExpired] = [
      ending(-HOUR_MS),
      { ...ending(-24 * HOUR_MS), revokedAt: dateFromNow(-HOUR_MS) },
    ]
    const [usable, revoked, extended] = [ending(60_000), ending(HOUR_MS), ending(HOUR_MS)]
    for (const session of [expired, revokedAndExpired, usable, revoked, extended]) {
      await adapter.createTokenSession(session)
    }
    const [revokedAt, expires] = [dateFromNow(0), dateFromNow(48 * HOUR_MS)]
    await adapter.revokeTokenSession(revoked.id, revokedAt)
    await adapter.updateTokenSession(extended.id, { expires })
    const wereThere = (await adapter.getTokenSession(expired.id)) !== null
    const report = await adapter.deleteExpired({ batch: 100 })
    if (wereThere) assert.ok(report.sessions >= 2, 'deleted token sessions are not counted as sessions')
    for (const { id } of [expired, revokedAndExpired]) assertNull(await adapter.getTokenSession(id))
    for (const session of [usable, { ...revoked, revokedAt }, { ...extended, expires }]) {
      assertKept(await adapter.getTokenSession(session.id), session)
    }
  },
)
