import assert from 'node:assert/strict'
import type { AdapterSession, ProviderSession } from '../../adapters/adapter.js'
import { type AdapterCalls, assertListed, createChecks, storedSession } from './check.js'
import { awkwardText, dateFromNow, HOUR_MS, lookalikes, type Samples } from './samples.js'

const { checks, strict } = createChecks()
export const providerSessionChecks = checks

const LIST = ['createUser', 'createSession', 'listSessionsByUserId', 'listSessionsByProvider'] as const

/** A provider, a subject and a session there that no other row has. */
const place = (samples: Samples) => {
  const { provider, subject, sid } = samples.sessionDetails()
  return { provider: String(provider), subject: String(subject), sid: String(sid) }
}

/** Asserts that each question finds exactly these sessions. */
async function assertFound(adapter: AdapterCalls, asked: readonly ProviderSession[], expected: AdapterSession[]) {
  for (const at of asked) {
    assertListed(
      await adapter.listSessionsByProvider(at),
      expected,
      'sessionToken',
      `of ${Object.keys(at).join(' and ')}`,
    )
  }
}

strict('listSessionsByProvider finds sessions by sid, by subject, or by both', LIST, async (adapter, samples) => {
  const { provider, subject, sid } = place(samples)
  const another = place(samples)
  const first = await storedSession(adapter, samples, { ...samples.sessionDetails(), provider, subject, sid })
  const second = await storedSession(adapter, samples, { provider, subject, sid: another.sid })
  const withoutSid = await storedSession(adapter, samples, { provider, subject, sid: null })
  const withoutSubject = await storedSession(adapter, samples, { provider, sid })
  await storedSession(adapter, samples, { provider, subject: another.subject, sid: another.sid })
  await storedSession(adapter, samples, { provider: 'other', subject, sid })
  await storedSession(adapter, samples, { subject, sid })
  await storedSession(adapter, samples, {})
  await assertFound(adapter, [{ provider, sid }], [first, withoutSubject])
  await assertFound(adapter, [{ provider, subject }], [first, second, withoutSid])
  await assertFound(adapter, [{ provider, subject, sid }], [first])
  await assertFound(adapter, [{ provider, subject, sid: another.sid }], [second])
})

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

strict('listSessionsByProvider compares all names exactly', LIST, async (adapter, samples) => {
  const stem = place(samples)
  for (const [what, stored, asked] of lookalikes(stem.sid)) {
    const session = await storedSession(adapter, samples, { provider: stored, subject: stored, sid: stored })
    for (const at of [
      { provider: stored, sid: asked },
      { provider: stored, subject: asked },
      { provider: asked, sid: stored },
      { provider: asked, subject: stored },
      { provider: stored, subject: asked, sid: stored },
    ]) {
      assert.deepEqual(await adapter.listSessionsByProvider(at), [], `confuses names that differ in ${what}`)
    }
    await assertFound(adapter, [{ provider: stored, sid: stored }], [session])
  }
  for (const pattern of ['%', '*', '_', `${stem.sid}%`, `${stem.sid}*`, stem.sid]) {
    await assertFound(adapter, [{ provider: stem.provider, sid: pattern }], [])
  }
})

strict('listSessionsByProvider takes every character of all names as itself', LIST, async (adapter, samples) => {
  const { provider, subject, sid } = place(samples)
  const [awkwardSubject, awkwardSid] = [awkwardText(subject), awkwardText(sid)]
  const given = { provider: awkwardText('acme'), subject: awkwardSubject, sid: awkwardSid }
  const session = await storedSession(adapter, samples, given)
  await assertFound(adapter, [given, { provider: given.provider, sid: given.sid }], [session])
  for (const separator of [':', '/', '|', '.', '%3A', ':sid:', ':subject:', '}:']) {
    await storedSession(adapter, samples, { provider, subject: `x${separator}${subject}`, sid: `x${separator}${sid}` })
    const joined = `${provider}${separator}x`
    await assertFound(
      adapter,
      [
        { provider: joined, subject },
        { provider: joined, sid },
      ],
      [],
    )
  }
})

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
