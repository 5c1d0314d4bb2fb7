import assert from 'node:assert/strict'
import type { AdapterTokenSession, ProviderSession } from '../../adapters/adapter.js'
import { type AdapterCalls, assertListed, createChecks, storedTokenSession } from './check.js'
import { dateFromNow, HOUR_MS, lookalikes } from './samples.js'

const { checks, strict } = createChecks()
export const providerTokenSessionChecks = checks

const LIST = ['createTokenSession', 'getTokenSession', 'listTokenSessionsByProvider'] as const

const place = (session: AdapterTokenSession) => ({
  provider: String(session.provider),
  subject: String(session.subject),
  sid: String(session.sid),
})

/** Asserts that each question finds exactly these sessions. */
async function assertFound(adapter: AdapterCalls, asked: readonly ProviderSession[], expected: AdapterTokenSession[]) {
  for (const at of asked) {
    assertListed(await adapter.listTokenSessionsByProvider(at), expected, 'id', `of ${Object.keys(at).join(' and ')}`)
  }
}

strict('listTokenSessionsByProvider finds sessions by sid, by subject, or by both', LIST, async (adapter, samples) => {
  const first = await storedTokenSession(adapter, samples)
  const { provider, subject, sid } = place(first)
  const second = await storedTokenSession(adapter, samples, { subject })
  const withoutSid = await storedTokenSession(adapter, samples, { subject, sid: null })
  const withoutSubject = await storedTokenSession(adapter, samples, { subject: null, sid })
  await storedTokenSession(adapter, samples, { provider: 'other', subject, sid })
  await storedTokenSession(adapter, samples, { provider: null, subject, sid })
  await assertFound(adapter, [{ provider, sid }], [first, withoutSubject])
  await assertFound(adapter, [{ provider, subject }], [first, second, withoutSid])
  await assertFound(adapter, [{ provider, subject, sid }], [first])
  const { sid: strange } = place(samples.tokenSession(''))
  await assertFound(adapter, [{ provider, sid: strange }, { provider, subject, sid: strange }, { provider }], [])
})

strict('listTokenSessionsByProvider compares all names exactly', LIST, async (adapter, samples) => {
  for (const [what, stored, asked] of lookalikes(place(samples.tokenSession('')).sid)) {
    const session = await storedTokenSession(adapter, samples, { provider: stored, subject: stored, sid: stored })
    for (const at of [
      { provider: stored, sid: asked },
      { provider: stored, subject: asked },
      { provider: asked, sid: stored },
    ]) {
      assert.deepEqual(await adapter.listTokenSessionsByProvider(at), [], `confuses names that differ in ${what}`)
    }
    await assertFound(adapter, [{ provider: stored, sid: stored }], [session])
  }
})

strict(
  'listTokenSessionsByProvider finds a session after it was renewed, and never one that was revoked',
  [...LIST, 'updateTokenSession', 'revokeTokenSession'],
  async (adapter, samples) => {
    const session = await storedTokenSession(adapter, samples, { expires: dateFromNow(HOUR_MS) })
    const at = place(session)
    const asked = [at, { provider: at.provider, sid: at.sid }, { provider: at.provider, subject: at.subject }]
    const other = await storedTokenSession(adapter, samples, at)
    await storedTokenSession(adapter, samples, { ...at, revokedAt: dateFromNow(-HOUR_MS) })
    const renewed = { ...session, expires: dateFromNow(90 * 24 * HOUR_MS), lastSeenAt: dateFromNow(0) }
    await adapter.updateTokenSession(session.id, { expires: renewed.expires, lastSeenAt: renewed.lastSeenAt })
    await assertFound(adapter, asked, [renewed, other])
    await adapter.revokeTokenSession(session.id, dateFromNow(0))
    await assertFound(adapter, asked, [other])
    // Somebody still uses it, or stores it again.
    await adapter.updateTokenSession(session.id, { expires: dateFromNow(91 * 24 * HOUR_MS) })
    await adapter.createTokenSession(session)
    await assertFound(adapter, asked, [other])
    await adapter.updateTokenSession(other.id, { revokedAt: dateFromNow(0) })
    await assertFound(adapter, asked, [])
  },
)

strict(
  'createTokenSession with an id that is there leaves the session where its provider finds it',
  LIST,
  async (adapter, samples) => {
    const session = await storedTokenSession(adapter, samples)
    const forged = samples.tokenSession(session.userId, { id: session.id })
    await adapter.createTokenSession(forged)
    await assertFound(adapter, [place(session)], [session])
    await assertFound(adapter, [place(forged), { provider: 'acme', subject: place(forged).subject }], [])
  },
)
