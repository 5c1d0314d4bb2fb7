import assert from 'node:assert/strict'
import type { AdapterSession } from '../../adapters/adapter.js'
import {
  type AdapterCalls,
  allAtOnce,
  assertKept,
  assertNothing,
  assertNull,
  assertRefused,
  createChecks,
  storedSession,
} from './check.js'
import { keyedRowChecks } from './keyed-rows.js'
import { dateFromNow, HOUR_MS, type Samples } from './samples.js'

const add = createChecks()
const { checks, authjs, strict } = add
export const sessionChecks = checks

const SESSION = ['createUser', 'createSession', 'getSessionAndUser'] as const

/** What all checks of the keys of sessions have in common. */
export const KEYED_SESSIONS = {
  noun: 'session',
  key: { sessionToken: 'a token' },
  keys: 'tokens',
  creation: ['createUser', 'createSession'],
  sample: (samples: Samples, userId: string, members?: Partial<AdapterSession>) => samples.session(userId, members),
  store: (adapter: AdapterCalls, session: AdapterSession) => adapter.createSession(session),
} as const

keyedRowChecks<AdapterSession>(add, {
  ...KEYED_SESSIONS,
  taken: 'refused',
  method: 'getSessionAndUser',
  level: 'authjs',
  async find(adapter, { sessionToken }) {
    const found = await adapter.getSessionAndUser(sessionToken)
    return found === null ? null : found?.session
  },
  changes: {
    updateSession: async (adapter, session) => assertNothing(await adapter.updateSession(session)),
    deleteSession: async (adapter, { sessionToken }) => assertNothing(await adapter.deleteSession(sessionToken)),
  },
})

authjs('createSession gives the session as stored', ['createUser', 'createSession'], async (adapter, samples) => {
  const session = samples.session((await adapter.createUser(samples.user())).id)
  assertKept(await adapter.createSession(session), session)
})

authjs('getSessionAndUser gives both', SESSION, async (adapter, samples) => {
  const user = await adapter.createUser(samples.user({ emailVerified: dateFromNow(0) }))
  const session = samples.session(user.id)
  await adapter.createSession(session)
  const found = await adapter.getSessionAndUser(session.sessionToken)
  assertKept(found?.session, session)
  assertKept(found?.user, user)
})

authjs('tokens that differ in case are different sessions', SESSION, async (adapter, samples) => {
  const session = await storedSession(adapter, samples, { sessionToken: `Ab${samples.session('').sessionToken}` })
  assertNull(await adapter.getSessionAndUser(session.sessionToken.toLowerCase()))
})

authjs('getSessionAndUser gives an expired session as it stands, or null', SESSION, async (adapter, samples) => {
  const session = await storedSession(adapter, samples, { expires: dateFromNow(-HOUR_MS) })
  // The service judges expiry by the row; a store that expires rows by itself may have dropped it.
  const found = await adapter.getSessionAndUser(session.sessionToken)
  if (found) assertKept(found.session, session)
})

authjs('updateSession extends a session', [...SESSION, 'updateSession'], async (adapter, samples) => {
  const session = await storedSession(adapter, samples, { expires: dateFromNow(HOUR_MS) })
  const expires = dateFromNow(48 * HOUR_MS)
  await adapter.updateSession({ sessionToken: session.sessionToken, expires })
  assertKept((await adapter.getSessionAndUser(session.sessionToken))?.session, { ...session, expires })
})

authjs('deleteSession ends that session only', [...SESSION, 'deleteSession'], async (adapter, samples) => {
  const user = await adapter.createUser(samples.user())
  const [session, kept] = [samples.session(user.id), samples.session(user.id)]
  for (const created of [session, kept]) await adapter.createSession(created)
  await adapter.deleteSession(session.sessionToken)
  assertNull(await adapter.getSessionAndUser(session.sessionToken))
  assertKept((await adapter.getSessionAndUser(kept.sessionToken))?.session, kept)
})

authjs(
  'updateSession never brings an ended session back',
  [...SESSION, 'updateSession', 'deleteSession'],
  async (adapter, samples) => {
    const session = await storedSession(adapter, samples)
    await adapter.deleteSession(session.sessionToken)
    await Promise.allSettled([adapter.updateSession(session)])
    assertNull(await adapter.getSessionAndUser(session.sessionToken))
  },
)

strict(
  'getSession gives a session without its user',
  ['createUser', 'createSession', 'getSession', 'deleteSession'],
  async (adapter, samples) => {
    const session = await storedSession(adapter, samples)
    assertKept(await adapter.getSession(session.sessionToken), session)
    await adapter.deleteSession(session.sessionToken)
    assertNull(await adapter.getSession(session.sessionToken))
  },
)

/** The longest that is written. */
const HOW = {
  lifetime: 'r1a3600l7200',
  authentication: JSON.stringify({
    factors: 2,
    amr: [...'abcdefghij'].map((letter) => letter.repeat(64)),
    acr: 'x'.repeat(255),
  }),
}

strict(
  'createSession keeps when somebody signed in, how, and for how long, where deleteSessionsByUserId is there',
  [...SESSION, 'updateSession', 'deleteSessionsByUserId'],
  async (adapter, samples) => {
    const user = await adapter.createUser(samples.user())
    const authenticatedAt = dateFromNow(-HOUR_MS)
    const [session, other] = [
      samples.session(user.id, { authenticatedAt, ...HOW }),
      samples.session(user.id, { authenticatedAt: null }),
    ]
    for (const created of [session, other]) await adapter.createSession(created)
    await adapter.updateSession({ sessionToken: session.sessionToken, expires: dateFromNow(48 * HOUR_MS) })
    const found = await adapter.getSessionAndUser(session.sessionToken)
    assertKept(found?.session, { authenticatedAt, ...HOW })
    const others = (await adapter.getSessionAndUser(other.sessionToken))?.session
    for (const name of ['authenticatedAt', 'lifetime', 'authentication'] as const)
      assert.equal(others?.[name] ?? null, null, name)
    const raised = { authenticatedAt: dateFromNow(0), lifetime: null, authentication: '{"factors":2}' }
    await adapter.updateSession({ sessionToken: session.sessionToken, ...raised })
    assertKept((await adapter.getSessionAndUser(session.sessionToken))?.session, raised)
  },
)

strict(
  'deleteSessionsByUserId ends all sessions of that user, and nothing else',
  [...SESSION, 'getUser', 'deleteSessionsByUserId'],
  async (adapter, samples) => {
    const [user, other] = [await adapter.createUser(samples.user()), await adapter.createUser(samples.user())]
    const ended = [samples.session(user.id), samples.session(user.id), samples.session(user.id)]
    const kept = samples.session(other.id)
    for (const created of [...ended, kept]) await adapter.createSession(created)
    await adapter.deleteSessionsByUserId(user.id)
    for (const { sessionToken } of ended) assertNull(await adapter.getSessionAndUser(sessionToken))
    assertKept((await adapter.getSessionAndUser(kept.sessionToken))?.session, kept)
    assertKept(await adapter.getUser(user.id), user)
    const later = samples.session(user.id)
    await adapter.createSession(later)
    assertKept((await adapter.getSessionAndUser(later.sessionToken))?.session, later)
  },
)

strict(
  'deleteSessionsByUserId of a user without sessions does nothing',
  ['deleteSessionsByUserId'],
  async (adapter, samples) => {
    await adapter.deleteSessionsByUserId(samples.absentUserId)
  },
)

strict(
  'a session of a user who does not exist signs nobody in',
  ['createSession', 'getSessionAndUser'],
  async (adapter, samples) => {
    const session = samples.session(samples.absentUserId)
    await Promise.allSettled([adapter.createSession(session)])
    assertNull(await adapter.getSessionAndUser(session.sessionToken))
  },
)

strict(
  'updateSession gives the session as it stands then',
  ['createUser', 'createSession', 'updateSession'],
  async (adapter, samples) => {
    const session = await storedSession(adapter, samples)
    const expires = dateFromNow(HOUR_MS)
    assertKept(await adapter.updateSession({ sessionToken: session.sessionToken, expires }), { ...session, expires })
    assertKept(await adapter.updateSession({ sessionToken: session.sessionToken }), { ...session, expires })
  },
)

strict(
  'deleteSession gives the session it ended, and nothing the second time',
  ['createUser', 'createSession', 'deleteSession'],
  async (adapter, samples) => {
    const session = await storedSession(adapter, samples)
    assertKept(await adapter.deleteSession(session.sessionToken), session)
    assertNothing(await adapter.deleteSession(session.sessionToken))
  },
)

strict(
  'deleteSession wins over 100 parallel updateSession',
  [...SESSION, 'updateSession', 'deleteSession'],
  async (adapter, samples) => {
    const session = await storedSession(adapter, samples)
    await allAtOnce(100, (index) =>
      index === 50
        ? adapter.deleteSession(session.sessionToken)
        : adapter.updateSession({ sessionToken: session.sessionToken, expires: dateFromNow(index * HOUR_MS) }),
    )
    assertNull(await adapter.getSessionAndUser(session.sessionToken))
  },
)

const CHANGE = ['createUser', 'createSession', 'changeSessionToken', 'getSessionAndUser'] as const

strict(
  'changeSessionToken gives a session another token, and keeps the rest',
  [...CHANGE, 'updateSession'],
  async (adapter, samples) => {
    const user = await adapter.createUser(samples.user())
    const [session, other] = [samples.session(user.id), samples.session(user.id)]
    for (const created of [session, other]) await adapter.createSession(created)
    const { sessionToken } = samples.session('')
    const changed = { ...session, sessionToken }
    assertKept(await adapter.changeSessionToken(session.sessionToken, sessionToken), changed)
    assertNull(await adapter.getSessionAndUser(session.sessionToken))
    const found = await adapter.getSessionAndUser(sessionToken)
    assertKept(found?.session, changed)
    assertKept(found?.user, user)
    assertKept((await adapter.getSessionAndUser(other.sessionToken))?.session, other)
    const expires = dateFromNow(48 * HOUR_MS)
    assertKept(await adapter.updateSession({ sessionToken, expires }), { ...changed, expires })
  },
)

strict(
  'changeSessionToken gives nothing for an unknown token, and makes and changes no session',
  CHANGE,
  async (adapter, samples) => {
    const session = await storedSession(adapter, samples)
    const [unknown, unused] = [samples.session('').sessionToken, samples.session('').sessionToken]
    assertNothing(await adapter.changeSessionToken(unknown, unused))
    assertNull(await adapter.getSessionAndUser(unused))
    await Promise.allSettled([adapter.changeSessionToken(unknown, session.sessionToken)])
    assertKept((await adapter.getSessionAndUser(session.sessionToken))?.session, session)
    assertNothing(await adapter.changeSessionToken(session.sessionToken.toUpperCase(), unused))
    assertKept((await adapter.getSessionAndUser(session.sessionToken))?.session, session)
  },
)

strict('changeSessionToken refuses a token that another session has', CHANGE, async (adapter, samples) => {
  const [user, other] = [await adapter.createUser(samples.user()), await adapter.createUser(samples.user())]
  const [session, taken] = [samples.session(user.id), samples.session(other.id)]
  for (const created of [session, taken]) await adapter.createSession(created)
  await assertRefused(
    adapter.changeSessionToken(session.sessionToken, taken.sessionToken),
    'one token for two sessions',
  )
  assertKept((await adapter.getSessionAndUser(session.sessionToken))?.session, session)
  assertKept((await adapter.getSessionAndUser(taken.sessionToken))?.session, taken)
})

strict(
  'changeSessionToken leaves the session where its user finds it',
  [...CHANGE, 'deleteSessionsByUserId'],
  async (adapter, samples) => {
    const session = await storedSession(adapter, samples)
    const { sessionToken } = samples.session('')
    await adapter.changeSessionToken(session.sessionToken, sessionToken)
    await adapter.deleteSessionsByUserId(session.userId)
    assertNull(await adapter.getSessionAndUser(sessionToken))
  },
)

strict(
  'deleteSession under the old token and then the new one wins over 100 parallel changeSessionToken',
  [...CHANGE, 'deleteSession'],
  async (adapter, samples) => {
    const session = await storedSession(adapter, samples)
    const { sessionToken } = samples.session('')
    await allAtOnce(100, async (index) => {
      if (index !== 50) return adapter.changeSessionToken(session.sessionToken, sessionToken)
      await adapter.deleteSession(session.sessionToken)
      return adapter.deleteSession(sessionToken)
    })
    for (const token of [session.sessionToken, sessionToken]) assertNull(await adapter.getSessionAndUser(token))
  },
)
