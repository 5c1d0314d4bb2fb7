import { AuthError } from '../errors.js'
import type { IndexedSession, SessionIndex } from './session-index.js'

/**
 * How often sessions are listed to end them all. A store gives at most a thousand at a time. A session that begins, or goes
 * on under another id, meanwhile is found in the next round. Somebody who begins sessions without end must not keep the
 * call going for ever.
 */
const ROUNDS = 1000
/** How many sessions are ended at the same time. */
const PARALLEL = 25

/** Which sessions are to end. */
export interface EndingSessions {
  /** The sessions that the store gives at a time. */
  readonly list: () => Promise<readonly IndexedSession[]>
  /** Whether a listed session is to end. */
  readonly isMeant: (session: IndexedSession) => boolean
  /** Called for each session that has ended. */
  readonly onEnd?: (session: IndexedSession) => void
}

/**
 * Ends sessions, and those that have taken their place meanwhile. Gives how many.
 *
 * @throws when one of them may be there still; the others have ended
 */
export async function endAll(index: SessionIndex, { list, isMeant, onEnd }: EndingSessions): Promise<number> {
  const ended = new Set<string>()
  let count = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const sessions = (await list()).filter(isMeant)
    if (sessions.length === 0) return count
    if (sessions.some(({ id }) => ended.has(id))) throw new AuthError(STILL_LISTED)
    count += await endEach(index, sessions, onEnd)
    for (const { id } of sessions) ended.add(id)
  }
  throw new AuthError(ENDLESS)
}

/** Goes on after a failure. If all of a batch fail, the store is probably down. */
async function endEach(
  index: SessionIndex,
  sessions: readonly IndexedSession[],
  onEnd: EndingSessions['onEnd'],
): Promise<number> {
  let count = 0
  const failures: unknown[] = []
  for (let begun = 0; begun < sessions.length; begun += PARALLEL) {
    const batch = sessions.slice(begun, begun + PARALLEL)
    const outcomes = await Promise.allSettled(
      batch.map(async (session) => {
        const isEnded = await index.end(session)
        if (isEnded) onEnd?.(session)
        return isEnded
      }),
    )
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown)
    failures.push(...failed)
    count += outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length
    if (failed.length === batch.length) break
  }
  if (failures.length > 0) throw failures[0]
  return count
}

const ENDLESS = 'Sessions of the user began faster than they were ended.'

const STILL_LISTED = 'The store still lists a session that it has ended.'
