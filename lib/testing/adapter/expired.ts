import assert from 'node:assert/strict'
import type { ExpiredCounts } from '../../adapters/adapter.js'
import {
  type AdapterCalls,
  assertKept,
  assertNothing,
  assertNull,
  assertRefused,
  atOnce,
  createChecks,
  fulfilled,
} from './check.js'
import { dateFromNow, HOUR_MS, type Samples } from './samples.js'

const MINUTE_MS = 60 * 1000

const { checks, strict } = createChecks()
export const expiredChecks = checks

const SESSIONS = ['createUser', 'createSession', 'getSessionAndUser', 'deleteExpired'] as const
const TOKENS = ['createVerificationToken', 'useVerificationToken', 'deleteExpired'] as const

/** Stores sessions of one user that expire so many milliseconds from now. */
async function sessionsEnding(adapter: AdapterCalls, samples: Samples, ends: readonly number[]) {
  const { id } = await adapter.createUser(samples.user())
  const sessions = ends.map((ms) => samples.session(id, { expires: dateFromNow(ms) }))
  for (const session of sessions) await adapter.createSession(session)
  return sessions
}

strict('deleteExpired deletes expired sessions, and no others', SESSIONS, async (adapter, samples) => {
  const ends = [-HOUR_MS, MINUTE_MS, -24 * HOUR_MS, HOUR_MS, -365 * 24 * HOUR_MS]
  const sessions = await sessionsEnding(adapter, samples, ends)
  const report = await adapter.deleteExpired()
  for (const session of sessions) {
    const found = await adapter.getSessionAndUser(session.sessionToken)
    if (session.expires.getTime() < Date.now()) assertNull(found)
    else assertKept(found?.session, session)
  }
  assert.equal(report.complete, true)
  for (const count of [report.sessions, report.verificationTokens, report.leftovers, report.unreadable]) {
    assert.ok(Number.isInteger(count) && count >= 0, `${count} is no number of rows`)
  }
})

strict('deleteExpired deletes expired tokens of links, and no others', TOKENS, async (adapter, samples) => {
  const { identifier } = samples.verificationToken()
  const expired = samples.verificationToken({ identifier, expires: dateFromNow(-HOUR_MS) })
  const usable = [
    samples.verificationToken({ identifier, expires: dateFromNow(MINUTE_MS) }),
    samples.verificationToken(),
  ]
  for (const token of [expired, ...usable]) await adapter.createVerificationToken(token)
  await adapter.deleteExpired()
  assertNull(await adapter.useVerificationToken(expired))
  for (const token of usable) assertKept(await adapter.useVerificationToken(token), token)
})

strict(
  'deleteExpired deletes expired records, and no others',
  ['createRecord', 'getRecord', 'deleteExpired'],
  async (adapter, samples) => {
    const expired = samples.record({ expires: dateFromNow(-HOUR_MS) })
    const usable = [samples.record({ expires: dateFromNow(MINUTE_MS) }), samples.record({ expires: null })]
    for (const record of [expired, ...usable]) await adapter.createRecord(record)
    await adapter.deleteExpired()
    assertNull(await adapter.getRecord(expired.kind, expired.key))
    for (const record of usable) assertKept(await adapter.getRecord(record.kind, record.key), record)
  },
)

strict(
  'deleteExpired leaves the user of an expired session, and all other rows of the user',
  [...SESSIONS, 'getUser', 'linkAccount', 'getUserByAccount', 'createAuthenticator', 'getAuthenticator'],
  async (adapter, samples) => {
    const user = await adapter.createUser(samples.user())
    const [account, passkey] = [samples.account(user.id), samples.authenticator(user.id)]
    await adapter.linkAccount(account)
    await adapter.createAuthenticator(passkey)
    await adapter.createSession(samples.session(user.id, { expires: dateFromNow(-HOUR_MS) }))
    await adapter.deleteExpired()
    assertKept(await adapter.getUser(user.id), user)
    assertKept(await adapter.getUserByAccount(account), user)
    assertKept(await adapter.getAuthenticator(passkey.credentialID), passkey)
  },
)

strict(
  'deleteExpired leaves passkeys whose users may be in another store',
  ['createAuthenticator', 'getAuthenticator', 'deleteExpired', 'createUser'],
  async (adapter, samples) => {
    // Stores with foreign keys may refuse such a passkey.
    const passkey = samples.authenticator(samples.absentUserId)
    const [stored] = await Promise.allSettled([adapter.createAuthenticator(passkey)])
    if (stored.status === 'rejected') return
    await adapter.deleteExpired()
    assertKept(await adapter.getAuthenticator(passkey.credentialID), passkey)
  },
)

strict(
  'deleteExpired deletes all expired rows in several batches, and reports its progress',
  SESSIONS,
  async (adapter, samples) => {
    const sessions = await sessionsEnding(
      adapter,
      samples,
      [-1, -2, -3, -4].map((hours) => hours * HOUR_MS),
    )
    const seen: ExpiredCounts[] = []
    const report = await adapter.deleteExpired({ batch: 3, onProgress: (counts) => seen.push(counts) })
    for (const { sessionToken } of sessions) assertNull(await adapter.getSessionAndUser(sessionToken))
    const numbers = seen.map(({ sessions }) => sessions)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
      'counts fall',
    )
    if (report.sessions > 0) assert.equal(numbers.at(-1), report.sessions)
  },
)

strict(
  'deleteExpired with dryRun, or stopped before it begins, deletes nothing',
  SESSIONS,
  async (adapter, samples) => {
    const [session] = await sessionsEnding(adapter, samples, [-HOUR_MS])
    assert.ok(session)
    const before = await adapter.getSessionAndUser(session.sessionToken)
    const dry = await adapter.deleteExpired({ dryRun: true })
    const stopped = await adapter.deleteExpired({ signal: AbortSignal.abort() })
    assert.deepEqual(await adapter.getSessionAndUser(session.sessionToken), before)
    assert.equal(dry.complete, true)
    assert.equal(stopped.complete, false)
    assert.equal(stopped.sessions, 0)
    if (before) assert.ok(dry.sessions > 0, 'an expired session is not counted')
  },
)

strict('deleteExpired refuses a batch that is no number of rows', ['deleteExpired'], async (adapter) => {
  for (const batch of [0, -1, 1.5, Number.NaN, 10_001, '1000' as never]) {
    await assertRefused(adapter.deleteExpired({ batch }), `batch: ${batch}`)
  }
})

strict(
  'deleteExpired never takes a session that was extended meanwhile, 50 parallel calls of each',
  [...SESSIONS, 'updateSession'],
  async (adapter, samples) => {
    const sessions = await sessionsEnding(
      adapter,
      samples,
      Array.from({ length: 50 }, () => -HOUR_MS),
    )
    const expires = dateFromNow(HOUR_MS)
    const calls = await atOnce(100, async (index) => {
      const session = sessions[index % 50]
      assert.ok(session)
      if (index >= 50) return adapter.deleteExpired({ batch: 7 })
      return adapter.updateSession({ sessionToken: session.sessionToken, expires })
    })
    assert.equal(fulfilled(calls).length, 100, 'number of calls that did not fail')
    for (const [index, session] of sessions.entries()) {
      const call = calls[index]
      const found = await adapter.getSessionAndUser(session.sessionToken)
      // Extended before it was deleted, or deleted before it was extended: nothing else may have happened.
      if (call?.status === 'fulfilled' && call.value) assertKept(found?.session, { ...session, expires })
      else {
        assertNothing(call?.status === 'fulfilled' ? call.value : null)
        assertNull(found)
      }
    }
  },
)
