import {
  allAtOnce,
  assertKept,
  assertNothing,
  assertNull,
  assertRefused,
  createChecks,
  storedSession,
} from './check.js'
import { dateFromNow, HOUR_MS } from './samples.js'

const { checks, strict } = createChecks()
export const sessionTokenChecks = checks

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
