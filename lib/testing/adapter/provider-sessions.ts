import assert from 'node:assert/strict'
import type { AdapterSession, AdapterTokenSession, ProviderSession, SessionDetails } from '../../adapters/adapter.js'
import {
  type AdapterCalls,
  assertListed,
  createChecks,
  type Method,
  storedSession,
  storedTokenSession,
} from './check.js'
import { dateFromNow, HOUR_MS, lookalikes, type Samples, SEPARATORS } from './samples.js'

const { checks, strict } = createChecks()
export const providerSessionChecks = checks
const ofTokenSessions = createChecks()
export const providerTokenSessionChecks = ofTokenSessions.checks

const LIST = ['createUser', 'createSession', 'listSessionsByUserId', 'listSessionsByProvider'] as const
const LIST_TOKENS = ['createTokenSession', 'getTokenSession', 'listTokenSessionsByProvider'] as const

/** A provider, a subject and a session there that no other row has. */
const place = (samples: Samples) => namesOf(samples.sessionDetails())

const namesOf = ({ provider, subject, sid }: SessionDetails) => ({
  provider: String(provider),
  subject: String(subject),
  sid: String(sid),
})

/** Asserts that each question finds exactly these sessions. */
type AssertFound<Row> = (
  adapter: AdapterCalls,
  asked: readonly ProviderSession[],
  expected: readonly Row[],
) => Promise<void>

type ListMethod = 'listSessionsByProvider' | 'listTokenSessionsByProvider'

const finding =
  <Row extends object>(method: ListMethod, key: keyof Row): AssertFound<Row> =>
  async (adapter, asked, expected) => {
    for (const at of asked) {
      const found = (await adapter[method](at)) as object as Row[]
      assertListed(found, expected, key, `of ${Object.keys(at).join(' and ')}`)
    }
  }

const assertFound = finding<AdapterSession>('listSessionsByProvider', 'sessionToken')
const assertTokensFound = finding<AdapterTokenSession>('listTokenSessionsByProvider', 'id')

/** The checks that sessions and token sessions have in common. */
function checkNames<Row>(
  add: typeof strict,
  method: ListMethod,
  needs: readonly Method[],
  store: (adapter: AdapterCalls, samples: Samples, members: SessionDetails) => Promise<Row>,
  assertRows: AssertFound<Row>,
): void {
  add(`${method} finds sessions by sid, by subject, or by both`, needs, async (adapter, samples) => {
    const { provider, subject, sid } = place(samples)
    const another = place(samples)
    const first = await store(adapter, samples, { ...samples.sessionDetails(), provider, subject, sid })
    const second = await store(adapter, samples, { provider, subject, sid: another.sid })
    const withoutSid = await store(adapter, samples, { provider, subject, sid: null })
    const withoutSubject = await store(adapter, samples, { provider, subject: null, sid })
    await store(adapter, samples, another)
    await store(adapter, samples, { provider: 'other', subject, sid })
    await store(adapter, samples, { provider: null, subject, sid })
    await store(adapter, samples, { provider: null, subject: null, sid: null })
    await assertRows(adapter, [{ provider, sid }], [first, withoutSubject])
    await assertRows(adapter, [{ provider, subject }], [first, second, withoutSid])
    await assertRows(adapter, [{ provider, subject, sid }], [first])
    await assertRows(adapter, [{ provider, subject, sid: another.sid }], [second])
    const { sid: strange } = place(samples)
    await assertRows(adapter, [{ provider, sid: strange }, { provider, subject, sid: strange }, { provider }], [])
  })

  add(`${method} compares all names exactly`, needs, async (adapter, samples) => {
    const { provider, subject, sid } = place(samples)
    for (const [what, stored, asked] of lookalikes(sid)) {
      const session = await store(adapter, samples, { provider: stored, subject: stored, sid: stored })
      for (const at of [
        { provider: stored, sid: asked },
        { provider: stored, subject: asked },
        { provider: asked, sid: stored },
        { provider: asked, subject: stored },
        { provider: stored, subject: asked, sid: stored },
      ]) {
        const found = await adapter[method](at)
        assert.deepEqual(found, [], `confuses names that differ in ${what}`)
      }
      await assertRows(adapter, [{ provider: stored, sid: stored }], [session])
    }
    for (const separator of SEPARATORS) {
      await store(adapter, samples, { provider, subject: `x${separator}${subject}`, sid: `x${separator}${sid}` })
      const joined = `${provider}${separator}x`
      await assertRows(
        adapter,
        [
          { provider: joined, subject },
          { provider: joined, sid },
        ],
        [],
      )
    }
  })
}

checkNames(strict, 'listSessionsByProvider', LIST, storedSession, assertFound)
checkNames(ofTokenSessions.strict, 'listTokenSessionsByProvider', LIST_TOKENS, storedTokenSession, assertTokensFound)

strict(
  'listSessionsByProvider gives an empty array when there is none, and when neither is given',
  LIST,
  async (adapter, samples) => {
    const { provider, subject, sid } = place(samples)
    await storedSession(adapter, samples, { provider, subject, sid })
    await storedSession(adapter, samples, { provider })
    const strange = place(samples)
    const asked: ProviderSession[] = [
      { provider, sid: strange.sid },
      { provider, subject: strange.subject },
      { provider, subject, sid: strange.sid },
      { provider, subject: strange.subject, sid },
      { provider: 'other', sid },
      { provider },
      { provider, sid: subject },
      { provider, subject: sid },
    ]
    await assertFound(adapter, asked, [])
  },
)

strict('listSessionsByProvider finds names of 255 characters', LIST, async (adapter, samples) => {
  const { provider, subject, sid } = place(samples)
  const at = { provider, subject: subject.padEnd(255, 'ü'), sid: sid.padEnd(255, '李') }
  const session = await storedSession(adapter, samples, at)
  await assertFound(adapter, [{ provider, sid: at.sid }, { provider, subject: at.subject }, at], [session])
  await assertFound(adapter, [{ provider, sid: `${at.sid.slice(0, -1)}x` }], [])
})

strict(
  'listSessionsByProvider finds a session after it was renewed, and under its new token only',
  [...LIST, 'updateSession', 'changeSessionToken'],
  async (adapter, samples) => {
    const at = place(samples)
    const session = await storedSession(adapter, samples, { ...at, expires: dateFromNow(HOUR_MS) })
    const asked = [{ provider: at.provider, sid: at.sid }, { provider: at.provider, subject: at.subject }, at]
    const renewed = { ...session, expires: dateFromNow(90 * 24 * HOUR_MS) }
    const { sessionToken } = session
    await adapter.updateSession({ sessionToken, expires: renewed.expires })
    await assertFound(adapter, asked, [renewed])
    const changed = { ...renewed, sessionToken: samples.session('').sessionToken }
    await adapter.changeSessionToken(sessionToken, changed.sessionToken)
    await assertFound(adapter, asked, [changed])
    const extended = { ...changed, expires: dateFromNow(120 * 24 * HOUR_MS) }
    await adapter.updateSession({ sessionToken: changed.sessionToken, expires: extended.expires })
    await assertFound(adapter, asked, [extended])
  },
)

strict(
  'listSessionsByProvider finds a session where updateSession has put it, and no more where it was',
  [...LIST, 'updateSession'],
  async (adapter, samples) => {
    const [before, after] = [place(samples), place(samples)]
    const session = await storedSession(adapter, samples, before)
    await adapter.updateSession({ sessionToken: session.sessionToken, ...after })
    await assertFound(adapter, [before, { provider: before.provider, sid: before.sid }], [])
    await assertFound(
      adapter,
      [after, { provider: after.provider, subject: after.subject }],
      [{ ...session, ...after }],
    )
    await adapter.updateSession({ sessionToken: session.sessionToken, sid: null })
    await assertFound(adapter, [after], [])
    const { provider, subject } = after
    await assertFound(adapter, [{ provider, subject }], [{ ...session, ...after, sid: null }])
  },
)

strict(
  'listSessionsByProvider never gives a session that was ended',
  [...LIST, 'deleteSession', 'deleteSessionsByUserId', 'deleteUser'],
  async (adapter, samples) => {
    const at = place(samples)
    const [one, two, three, kept] = [
      await storedSession(adapter, samples, at),
      await storedSession(adapter, samples, at),
      await storedSession(adapter, samples, at),
      await storedSession(adapter, samples, at),
    ]
    await adapter.deleteSession(one.sessionToken)
    await assertFound(adapter, [at], [two, three, kept])
    await adapter.deleteSessionsByUserId(two.userId)
    await assertFound(adapter, [at], [three, kept])
    await adapter.deleteUser(three.userId)
    await assertFound(adapter, [at, { provider: at.provider, subject: at.subject }], [kept])
  },
)

ofTokenSessions.strict(
  'listTokenSessionsByProvider finds a session after it was renewed, and never one that was revoked',
  [...LIST_TOKENS, 'updateTokenSession', 'revokeTokenSession'],
  async (adapter, samples) => {
    const session = await storedTokenSession(adapter, samples, { expires: dateFromNow(HOUR_MS) })
    const at = namesOf(session)
    const asked = [at, { provider: at.provider, sid: at.sid }, { provider: at.provider, subject: at.subject }]
    const other = await storedTokenSession(adapter, samples, at)
    await storedTokenSession(adapter, samples, { ...at, revokedAt: dateFromNow(-HOUR_MS) })
    const renewed = { ...session, expires: dateFromNow(90 * 24 * HOUR_MS), lastSeenAt: dateFromNow(0) }
    await adapter.updateTokenSession(session.id, { expires: renewed.expires, lastSeenAt: renewed.lastSeenAt })
    await assertTokensFound(adapter, asked, [renewed, other])
    await adapter.revokeTokenSession(session.id, dateFromNow(0))
    await assertTokensFound(adapter, asked, [other])
    // Somebody still uses it, or stores it again.
    await adapter.updateTokenSession(session.id, { expires: dateFromNow(91 * 24 * HOUR_MS) })
    await adapter.createTokenSession(session)
    await assertTokensFound(adapter, asked, [other])
    await adapter.updateTokenSession(other.id, { revokedAt: dateFromNow(0) })
    await assertTokensFound(adapter, asked, [])
  },
)

ofTokenSessions.strict(
  'createTokenSession with an id that is there leaves the session where its provider finds it',
  LIST_TOKENS,
  async (adapter, samples) => {
    const session = await storedTokenSession(adapter, samples)
    const forged = samples.tokenSession(session.userId, { id: session.id })
    await adapter.createTokenSession(forged)
    await assertTokensFound(adapter, [namesOf(session)], [session])
    await assertTokensFound(adapter, [namesOf(forged), { provider: 'acme', subject: namesOf(forged).subject }], [])
  },
)
