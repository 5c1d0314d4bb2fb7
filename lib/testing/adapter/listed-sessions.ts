import assert from 'node:assert/strict'
import { type AdapterSession, type AdapterTokenSession, MOST_LISTED } from '../../adapters/adapter.js'
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

const ofTokenSessions = createChecks()
export const manyTokenSessionChecks = ofTokenSessions.checks
const ofSessions = createChecks()
export const manySessionChecks = ofSessions.checks

/** How many rows are stored at the same time. */
const PARALLEL = 50
/** More than a store may list. */
const MANY = MOST_LISTED + 5

/** Does something for each number below {@link MANY}, for some at a time. */
async function manyTimes(work: (index: number) => Promise<unknown>): Promise<void> {
  const numbers = [...Array(MANY).keys()]
  for (let first = 0; first < MANY; first += PARALLEL) {
    await Promise.all(numbers.slice(first, first + PARALLEL).map(work))
  }
}

/** Many sessions of one user that began at one provider, by token or id. The first five end before all others. */
interface ManySessions {
  readonly names: readonly string[]
  store(index: number): Promise<unknown>
  end(name: string, index: number): Promise<unknown>
  ofUser(): Promise<readonly string[]>
  /** Null where the adapter does not list sessions by their provider. */
  atProvider(): Promise<readonly string[] | null>
}

async function checkMany({ names, store, end, ofUser, atProvider }: ManySessions): Promise<void> {
  const assertNames = async (expected: readonly string[], message: string) => {
    assert.deepEqual(await ofUser(), expected, message)
    assert.deepEqual((await atProvider()) ?? expected, expected, `at the provider: ${message}`)
  }
  await manyTimes(store)
  const listed = names.slice(-MOST_LISTED).reverse()
  await assertNames(listed, 'the last end comes first')
  await manyTimes(async (index) => {
    const name = listed[index]
    if (name !== undefined) await end(name, index)
  })
  await assertNames(names.slice(0, MANY - MOST_LISTED).reverse(), 'those that were ended must not hide the others')
}

const endOf = (index: number) => dateFromNow((index < MANY - MOST_LISTED ? 1 : 2) * HOUR_MS + index * 1000)

/** A subject at a provider that nobody else is. */
const oneSubject = (samples: Samples) => ({ provider: 'acme', subject: String(samples.sessionDetails().subject) })

ofTokenSessions.strict(
  'listTokenSessionsByUserId gives 1,000 at most, those that end last, and then the next ones',
  ['createTokenSession', 'getTokenSession', 'updateTokenSession', 'revokeTokenSession', 'listTokenSessionsByUserId'],
  async (adapter, samples, { skip }) => {
    const { id: userId } = samples.tokenSession('')
    const at = oneSubject(samples)
    const sessionOf = (index: number) => samples.tokenSession(userId, { ...at, expires: endOf(index) })
    const sessions = [...Array(MANY).keys()].map(sessionOf)
    const idsOf = (rows: readonly AdapterTokenSession[]) => rows.map(({ id }) => id)
    await checkMany({
      names: idsOf(sessions),
      store: async (index) => adapter.createTokenSession(sessions[index] ?? sessionOf(index)),
      async end(id, index) {
        await adapter.revokeTokenSession(id, dateFromNow(0))
        // Somebody still uses it.
        if (index < PARALLEL) await adapter.updateTokenSession(id, { expires: dateFromNow(3 * HOUR_MS) })
      },
      ofUser: async () => idsOf(await adapter.listTokenSessionsByUserId(userId)),
      atProvider: async () =>
        skip.includes('listTokenSessionsByProvider') ? null : idsOf(await adapter.listTokenSessionsByProvider(at)),
    })
    // A store that deletes expired rows itself need not search them in the checks that follow.
    await manyTimes(async (index) => {
      const id = sessions[index]?.id
      if (id !== undefined) await adapter.updateTokenSession(id, { expires: dateFromNow(-HOUR_MS) })
    })
  },
)

ofSessions.strict(
  'listSessionsByUserId gives 1,000 at most, those that end last, and then the next ones',
  ['createUser', 'createSession', 'deleteSession', 'listSessionsByUserId'],
  async (adapter, samples, { skip }) => {
    const { id: userId } = await adapter.createUser(samples.user())
    const isListed = !skip.includes('listSessionsByProvider')
    const at = oneSubject(samples)
    const sessionOf = (index: number) => samples.session(userId, { ...(isListed && at), expires: endOf(index) })
    const sessions = [...Array(MANY).keys()].map(sessionOf)
    const tokensIn = (rows: readonly AdapterSession[]) => rows.map(({ sessionToken }) => sessionToken)
    await checkMany({
      names: tokensIn(sessions),
      store: (index) => adapter.createSession(sessions[index] ?? sessionOf(index)),
      end: (token) => adapter.deleteSession(token),
      ofUser: async () => tokensIn(await adapter.listSessionsByUserId(userId)),
      atProvider: async () => (isListed ? tokensIn(await adapter.listSessionsByProvider(at)) : null),
    })
  },
)
