import assert from 'node:assert/strict'
import type { AdapterSession } from '../../adapters/adapter.js'
import { type AdapterCalls, assertKept, assertListed, createChecks } from './check.js'
import { keyedRowChecks } from './keyed-rows.js'
import { dateFromNow, HOUR_MS, type Samples } from './samples.js'
import { KEYED_SESSIONS } from './sessions.js'

const add = createChecks()
const { checks, strict } = add
export const sessionDetailChecks = checks

const LIST = ['createUser', 'createSession', 'listSessionsByUserId'] as const

/*
 * An adapter without listSessionsByUserId is never given details of a session. So every check that gives some needs
 * this method, and is left out where it is skipped.
 */

/** Stores a session of a new user, with all that can be known of it. */
async function sessionWithDetails(adapter: AdapterCalls, samples: Samples): Promise<AdapterSession> {
  const { id } = await adapter.createUser(samples.user())
  const session = samples.session(id, { ...samples.sessionDetails(), authenticatedAt: dateFromNow(-HOUR_MS) })
  assertKept(await adapter.createSession(session), session)
  return session
}

keyedRowChecks<AdapterSession>(add, {
  ...KEYED_SESSIONS,
  creation: LIST,
  method: 'getSession',
  level: 'strict',
  sample: (samples, userId, members) => samples.session(userId, { ...samples.sessionDetails(), ...members }),
  find: (adapter, { sessionToken }) => adapter.getSession(sessionToken),
  list: {
    method: 'listSessionsByUserId',
    by: ['userId'],
    rowsOf: (adapter, { userId }) => adapter.listSessionsByUserId(userId),
    end: ['deleteSession', 'ended', (adapter, { sessionToken }) => adapter.deleteSession(sessionToken)],
  },
})

const tokensOf = (sessions: readonly AdapterSession[]) => sessions.map(({ sessionToken }) => sessionToken).sort()

strict(
  'keeps what is known of a session, and null for what is not',
  [...LIST, 'getSession', 'getSessionAndUser'],
  async (adapter, samples) => {
    const session = await sessionWithDetails(adapter, samples)
    const names = Object.keys(samples.sessionDetails())
    const empty = samples.session(session.userId, Object.fromEntries(names.map((name) => [name, null])))
    const bare = samples.session(session.userId)
    for (const created of [empty, bare]) await adapter.createSession(created)
    const absent = Object.fromEntries(names.map((name) => [name, undefined]))
    for (const given of [session, empty, { ...absent, ...bare }]) {
      const { sessionToken } = given
      assertKept(await adapter.getSession(sessionToken), given)
      assertKept((await adapter.getSessionAndUser(sessionToken))?.session, given)
      const listed = await adapter.listSessionsByUserId(session.userId)
      assertKept(
        listed.find((row) => row.sessionToken === sessionToken),
        given,
      )
    }
  },
)

strict(
  'updateSession changes details that it is given, and keeps the others',
  [...LIST, 'updateSession', 'getSession', 'getSessionAndUser'],
  async (adapter, samples) => {
    const session = await sessionWithDetails(adapter, samples)
    const { sessionToken } = session
    const seen = { lastSeenAt: dateFromNow(0), network: '203.0.113.0/24' }
    assertKept(await adapter.updateSession({ sessionToken, ...seen }), { ...session, ...seen })
    const expires = dateFromNow(48 * HOUR_MS)
    await adapter.updateSession({ sessionToken, expires, userAgent: undefined })
    assertKept(await adapter.getSession(sessionToken), { ...session, ...seen, expires })
    await adapter.updateSession({ sessionToken, userAgent: null })
    const changed = { ...session, ...seen, expires, userAgent: null }
    assertKept(await adapter.getSession(sessionToken), changed)
    assertKept((await adapter.getSessionAndUser(sessionToken))?.session, changed)
  },
)

strict(
  'changeSessionToken keeps the details, and the list has the session under its new token only',
  [...LIST, 'changeSessionToken', 'getSession'],
  async (adapter, samples) => {
    const session = await sessionWithDetails(adapter, samples)
    const { sessionToken } = samples.session('')
    const changed = { ...session, sessionToken }
    assertKept(await adapter.changeSessionToken(session.sessionToken, sessionToken), changed)
    assertKept(await adapter.getSession(sessionToken), changed)
    assertListed(await adapter.listSessionsByUserId(session.userId), [changed], 'sessionToken')
  },
)

strict(
  'listSessionsByUserId never gives a session that was ended',
  [...LIST, 'deleteSession', 'deleteSessionsByUserId'],
  async (adapter, samples) => {
    const { id } = await adapter.createUser(samples.user())
    const [ended, kept] = [samples.session(id), samples.session(id)]
    for (const session of [ended, kept]) await adapter.createSession(session)
    await adapter.deleteSession(ended.sessionToken)
    assert.deepEqual(tokensOf(await adapter.listSessionsByUserId(id)), [kept.sessionToken])
    await adapter.deleteSessionsByUserId(id)
    assert.deepEqual(await adapter.listSessionsByUserId(id), [])
  },
)

strict(
  'listSessionsByUserId gives an expired session as it stands, or leaves it out',
  LIST,
  async (adapter, samples) => {
    const { id } = await adapter.createUser(samples.user())
    const [expired, kept] = [samples.session(id, { expires: dateFromNow(-HOUR_MS) }), samples.session(id)]
    for (const session of [expired, kept]) await adapter.createSession(session)
    const listed = await adapter.listSessionsByUserId(id)
    assert.ok(listed.some(({ sessionToken }) => sessionToken === kept.sessionToken))
    // The service judges expiry by the row; a store that expires rows by itself may have dropped it.
    const found = listed.find(({ sessionToken }) => sessionToken === expired.sessionToken)
    if (found) assertKept(found, expired)
  },
)

strict(
  'deleteUser ends the sessions, so that nothing of them is listed',
  [...LIST, 'deleteUser'],
  async (adapter, samples) => {
    const session = await sessionWithDetails(adapter, samples)
    await adapter.deleteUser(session.userId)
    assert.deepEqual(await adapter.listSessionsByUserId(session.userId), [])
  },
)
