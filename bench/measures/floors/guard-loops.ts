import { randomUUID } from 'node:crypto'
import type { AuthConfig } from '../../../dist/index.js'
import { loadLatchkey, loadMemoryAdapter } from '../../harness/latchkey.js'
import { emailIn, fakeRequest, passThrough } from '../../loop/exchange.js'
import type { Loop } from '../../loop/hot-loop.js'
import { LIFETIME_SECONDS, storedSessions } from '../../loop/stored-sessions.js'
import { cookieHeader, createMint, emailOf, SECRET } from '../../loop/tokens.js'

const VISITORS = 2000

/** The guard itself, with requests and answers that cost nothing. */
export async function guardLoops(): Promise<Loop[]> {
  const { getSession, requireAuth } = await loadLatchkey()
  const { memoryAdapter } = await loadMemoryAdapter()
  const mint = await createMint(SECRET)
  const tokens = Array.from({ length: VISITORS }, (_, user) => cookieHeader(mint(user)))
  const base: AuthConfig = { providers: [], secret: SECRET, trustHost: true }

  // A cache that is smaller than the round of visitors has forgotten each of them by the time they come again, and pays for
  // remembering them, as one does that meets new visitors only.
  const neverSeen: AuthConfig = { ...base, session: { tokenCacheSize: VISITORS / 4 } }

  const adapter = memoryAdapter()
  const sessions = storedSessions(randomUUID())
  for (let user = 0; user < VISITORS; user++) {
    await adapter.createUser({ ...sessions.user(user), emailVerified: null })
    await adapter.createSession(sessions.row(user, user))
  }
  const opaque = Array.from({ length: VISITORS }, (_, user) => cookieHeader(sessions.token(user)))

  const guardLoop = async (name: string, config: AuthConfig, cookies: readonly string[]): Promise<Loop> => {
    const guard = requireAuth(config)
    for (const [user, cookie] of cookies.entries()) {
      const email = emailIn(await passThrough(guard, cookie))
      if (email !== emailOf(user)) throw new Error(`${name}: ${emailOf(user)} came through as ${String(email)}.`)
    }
    return { name, run: (index) => passThrough(guard, cookies[index % VISITORS] ?? ''), waits: true }
  }
  const asked = fakeRequest(tokens[0] ?? '')
  await getSession(asked, base)
  return [
    await guardLoop('guard, token session seen before', base, tokens),
    await guardLoop('guard, token session never seen', neverSeen, tokens),
    await guardLoop(
      'guard, database session, memory adapter',
      { ...base, adapter, session: { maxAge: LIFETIME_SECONDS } },
      opaque,
    ),
    { name: 'getSession, second time in a request', run: () => getSession(asked, base), waits: true },
  ]
}
