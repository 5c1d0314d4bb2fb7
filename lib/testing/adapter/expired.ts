import assert from 'node:assert/strict'
import type { ExpiredCounts } from '../../adapters/adapter.js'
import {
  type AdapterCalls,
  allAtOnce,
  assertKept,
  assertNothing,
  assertNull,
  assertRefused,
  atOnce,
  createChecks,
  fulfilled,
} from './check.js'
import { anyEmail, awkwardText, dateFromNow, HOUR_MS, lookalikes, type Samples } from './samples.js'

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

const BOTH = ['createVerificationToken', 'useVerificationToken'] as const

const LOOK_UP = [...BOTH, 'getVerificationToken'] as const

const ofTokens = createChecks()
export const verificationTokenChecks = ofTokens.checks

ofTokens.authjs('useVerificationToken gives a token once', BOTH, async (adapter, samples) => {
  const given = samples.verificationToken()
  await adapter.createVerificationToken(given)
  assertKept(await adapter.useVerificationToken(given), given)
  assertNull(await adapter.useVerificationToken(given))
})

ofTokens.authjs(
  'useVerificationToken gives null for an unknown pair',
  ['useVerificationToken'],
  async (adapter, samples) => {
    assertNull(await adapter.useVerificationToken(samples.verificationToken()))
  },
)

ofTokens.authjs(
  'a wrong token for a right address fails and consumes nothing (CVE-2022-39263)',
  BOTH,
  async (adapter, samples) => {
    const given = samples.verificationToken()
    await adapter.createVerificationToken(given)
    assertNull(await adapter.useVerificationToken({ ...given, token: samples.verificationToken().token }))
    assertKept(await adapter.useVerificationToken(given), given)
  },
)

ofTokens.authjs('a right token for a wrong address fails and consumes nothing', BOTH, async (adapter, samples) => {
  const given = samples.verificationToken()
  await adapter.createVerificationToken(given)
  assertNull(await adapter.useVerificationToken({ ...given, identifier: anyEmail() }))
  assertKept(await adapter.useVerificationToken(given), given)
})

ofTokens.authjs('one address may have many tokens', BOTH, async (adapter, samples) => {
  const identifier = anyEmail()
  const given = [samples.verificationToken({ identifier }), samples.verificationToken({ identifier })]
  for (const token of given) await adapter.createVerificationToken(token)
  for (const token of given) assertKept(await adapter.useVerificationToken(token), token)
})

ofTokens.strict('getVerificationToken gives a token and leaves it there', LOOK_UP, async (adapter, samples) => {
  const given = samples.verificationToken()
  await adapter.createVerificationToken(given)
  assertKept(await adapter.getVerificationToken(given), given)
  assertNull(await adapter.getVerificationToken({ ...given, identifier: anyEmail() }))
  assertNull(await adapter.getVerificationToken({ ...given, token: samples.verificationToken().token }))
  assertKept(await adapter.useVerificationToken(given), given)
  assertNull(await adapter.getVerificationToken(given))
})

ofTokens.authjs('useVerificationToken gives an expired token as it stands, or null', BOTH, async (adapter, samples) => {
  const given = samples.verificationToken({ expires: dateFromNow(-HOUR_MS) })
  await adapter.createVerificationToken(given)
  // The service judges expiry by the row; a store that expires rows by itself may have dropped it.
  const found = await adapter.useVerificationToken(given)
  if (found) assertKept(found, given)
})

ofTokens.strict('compares addresses and tokens exactly', BOTH, async (adapter, samples) => {
  for (const [what, stored, asked] of lookalikes(anyEmail())) {
    const given = samples.verificationToken({ identifier: stored })
    await adapter.createVerificationToken(given)
    const found = await adapter.useVerificationToken({ identifier: asked, token: given.token })
    assert.equal(found, null, `confuses addresses that differ in ${what}`)
  }
  const given = samples.verificationToken({ token: `Ab${samples.verificationToken().token}` })
  await adapter.createVerificationToken(given)
  for (const token of ['', '%', '*', given.token.toLowerCase(), `${given.token} `]) {
    assertNull(await adapter.useVerificationToken({ ...given, token }))
  }
  assertKept(await adapter.useVerificationToken(given), given)
})

ofTokens.strict(
  'takes every character as itself, and never the end of an address for the start of a token',
  BOTH,
  async (adapter, samples) => {
    const awkward = samples.verificationToken({ identifier: awkwardText(anyEmail()) })
    await adapter.createVerificationToken(awkward)
    assertKept(await adapter.useVerificationToken(awkward), awkward)
    for (const separator of [':', '/', '-', '_', '.', ',', '|', ' ', '%3A', '","']) {
      const { identifier, token, expires } = samples.verificationToken()
      await adapter.createVerificationToken({ identifier, token: `x${separator}${token}`, expires })
      assertNull(await adapter.useVerificationToken({ identifier: `${identifier}${separator}x`, token }))
    }
  },
)

ofTokens.strict('keeps an address of 254 characters', BOTH, async (adapter, samples) => {
  const given = samples.verificationToken({ identifier: anyEmail().padStart(254, 'y') })
  await adapter.createVerificationToken(given)
  assertKept(await adapter.useVerificationToken(given), given)
})

ofTokens.strict('200 parallel useVerificationToken of one token: one gets it', BOTH, async (adapter, samples) => {
  const given = samples.verificationToken()
  await adapter.createVerificationToken(given)
  const answers = await allAtOnce(200, () => adapter.useVerificationToken(given))
  const found = answers.filter((answer) => answer !== null)
  assert.equal(found.length, 1, 'number of calls that got the token')
  assertKept(found[0], given)
})
