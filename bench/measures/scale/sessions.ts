import { randomInt } from 'node:crypto'
import type { Adapter } from '../../../dist/index.js'
import { loadLatchkey } from '../../harness/latchkey.js'
import { LIFETIME_SECONDS, type StoredSessions } from '../../loop/stored-sessions.js'
import { cookieHeader, SECRET } from '../../loop/tokens.js'
import type { PointLoop } from './point.js'
import { visitInTurn } from './visitors.js'

const SESSIONS_OF_A_USER = 10
const VISITORS = 4000

/** How many users have so many sessions. */
export const usersOf = (sessions: number): number => Math.ceil(sessions / SESSIONS_OF_A_USER)

/** Whose session it is. */
export const userOf = (session: number): number => Math.floor(session / SESSIONS_OF_A_USER)

/** Numbers from one up to another, in pieces that are worth a round trip. */
export function* batches(end: number, size: number): Generator<number[]> {
  for (let first = 0; first < end; first += size) {
    yield Array.from({ length: Math.min(size, end - first) }, (_, offset) => first + offset)
  }
}

/** A loop that asks a store for sessions at random, through the adapter and the guard. */
export async function sessionLoop(
  point: Pick<PointLoop, 'series' | 'x' | 'isElsewhere'>,
  adapter: Adapter,
  sessions: StoredSessions,
): Promise<PointLoop> {
  const { requireAuth } = await loadLatchkey()
  const session = { maxAge: LIFETIME_SECONDS }
  const guard = requireAuth({ providers: [], secret: SECRET, trustHost: true, adapter, session })
  const visitors = Array.from({ length: VISITORS }, () => {
    const number = randomInt(point.x)
    return { user: userOf(number), cookie: cookieHeader(sessions.token(number)) }
  })
  return { ...point, run: visitInTurn(guard, visitors) }
}
