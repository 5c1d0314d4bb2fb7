import { onceFor, within } from '../kernel/awaitable.js'
import type { Log } from '../kernel/logger.js'
import { createRecentKeys } from './lookups.js'

/**
 * After so many failures in one round, the store is probably down, and the round ends. So at most this number of
 * deletions can hang in the store at the same time.
 */
const FAILURES_IN_A_ROUND = 3

const LIMITS = {
  /** Milliseconds before each further round; the last number is for all rounds after that. */
  waitsMs: [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000],
  /** For how long a deletion is tried again. */
  lifetimeMs: 10 * 60 * 1000,
  /**
   * If a deletion takes longer, the next one begins. The store's own time limit is shorter, unless the application has
   * changed it.
   */
  tryMs: 10_000,
  /** How many deletions wait at most. Each needs about 300 bytes. */
  capacity: 20_000,
}

/** How rows are deleted in one store. */
export interface DeletionTarget {
  /** The same object for every configuration with this store, so that its deletions are tried one after the other. */
  readonly store: object
  /**
   * Deletes the row, if it is there.
   *
   * @param stored the token as the row has it: a digest
   * @throws when the row may be there still
   */
  readonly remove: (stored: string) => Promise<void>
  /** Called at most once in a round, with the number of rows that were given up since the last call. */
  readonly gaveUp: (count: number) => void
  /** Called at most once in a round, with the number of rows that were deleted. */
  readonly completed?: (count: number) => void
}

/** The deletions in one store, which are tried one after the other. */
interface Queue {
  /** That of the newest configuration, for the log: an application may make a configuration for each request. */
  newest: DeletionTarget
  readonly waiting: Set<string>
  /** Rows whose deletion has begun and not ended. It does not begin a second time meanwhile. */
  readonly underWay: Set<string>
  isScheduled: boolean
  /** Rounds without a success since the last success. */
  failedRounds: number
  /** How many rows were given up and not reported yet. */
  givenUp: number
}

interface Waiting {
  readonly queue: Queue
  /** How this row is deleted. One store may have rows of two kinds, such as sessions and token sessions. */
  readonly remove: DeletionTarget['remove']
  /** A time of `performance.now()`, a clock that nobody sets. */
  readonly until: number
}

/**
 * Deletions of stored sessions that failed, and are tried again in the background. Only digests of tokens are kept.
 *
 * Deletions are tried one at a time in each store, so that they do not flood a store that has just come back. When too
 * many wait, the oldest is given up: first of those that anybody can make up.
 */
export function createDeletionRetries(limits: Partial<typeof LIMITS> = {}) {
  const { waitsMs, lifetimeMs, tryMs, capacity } = { ...LIMITS, ...limits }
  const all = new Map<string, Waiting>()
  const doubtful = new Set<string>()
  const queues = new WeakMap<object, Queue>()

  const forget = (stored: string) => {
    all.get(stored)?.queue.waiting.delete(stored)
    doubtful.delete(stored)
    all.delete(stored)
  }

  const giveUp = (stored: string, queue: Queue) => {
    forget(stored)
    queue.givenUp += 1
  }

  /** Whether a session is to be deleted. For this process it has ended, even if the store still has it. */
  const has = (stored: string) => (all.get(stored)?.until ?? 0) > performance.now()

  const schedule = (queue: Queue) => {
    if (queue.isScheduled) return
    queue.isScheduled = true
    const wait = waitsMs[Math.min(queue.failedRounds, waitsMs.length - 1)] ?? 0
    setTimeout(() => void runRound(queue), wait).unref()
  }

  const runRound = async (queue: Queue) => {
    const { waiting, underWay } = queue
    let failures = 0
    let successes = 0
    const surest = [...waiting].sort((one, other) => Number(doubtful.has(one)) - Number(doubtful.has(other)))
    for (const stored of surest) {
      if (failures === FAILURES_IN_A_ROUND || underWay.size === FAILURES_IN_A_ROUND) break
      if (!waiting.has(stored) || underWay.has(stored)) continue
      if (await succeeds(queue, stored)) {
        successes += 1
      } else {
        failures += 1
        // The row goes behind the others, so that a row that cannot be deleted does not block them.
        if (waiting.delete(stored)) waiting.add(stored)
      }
    }
    for (const stored of waiting) if (!has(stored)) giveUp(stored, queue)
    queue.failedRounds = successes > 0 ? 0 : queue.failedRounds + 1
    if (successes > 0) queue.newest.completed?.(successes)
    queue.isScheduled = false
    if (waiting.size > 0) schedule(queue)
    else queue.failedRounds = 0
    const { givenUp } = queue
    queue.givenUp = 0
    if (givenUp > 0) queue.newest.gaveUp(givenUp)
  }

  /** Whether a row was deleted within the time limit. A success after the limit is noted when it comes. */
  const succeeds = (queue: Queue, stored: string): Promise<boolean> => {
    queue.underWay.add(stored)
    const removed = Promise.resolve(stored)
      .then(async () => all.get(stored)?.remove(stored))
      .then(
        () => {
          forget(stored)
          return true
        },
        () => false,
      )
      .finally(() => queue.underWay.delete(stored))
    const inTime = within(removed, tryMs, () => new Error('The deletion takes too long.'), { keepsAlive: false })
    return inTime.catch(() => false)
  }

  const queueOf = (target: DeletionTarget): Queue => {
    const known = queues.get(target.store)
    const queue = known ?? {
      newest: target,
      waiting: new Set(),
      underWay: new Set(),
      isScheduled: false,
      failedRounds: 0,
      givenUp: 0,
    }
    queue.newest = target
    queues.set(target.store, queue)
    return queue
  }

  return {
    /** How many deletions wait, in all stores together. */
    get size(): number {
      return all.size
    },
    has,
    /**
     * Tries a deletion again, for ten minutes at most. If the same deletion waits already, it keeps the time that is left of
     * its ten minutes. If they have passed, they begin anew.
     *
     * @param mayExist false for a token that nobody can look up now and that was perhaps never issued. Such a deletion makes room
     *   for all others, and takes no room from them
     */
    add(stored: string, target: DeletionTarget, mayExist = true): void {
      if (has(stored)) return
      const known = all.get(stored)
      if (known) giveUp(stored, known.queue)
      const queue = queueOf(target)
      if (all.size >= capacity) {
        const [oldest = stored] = doubtful.size === 0 && mayExist ? all.keys() : doubtful
        giveUp(oldest, all.get(oldest)?.queue ?? queue)
        if (oldest === stored) return
      }
      if (!mayExist) doubtful.add(stored)
      all.set(stored, { queue, remove: target.remove, until: performance.now() + lifetimeMs })
      queue.waiting.add(stored)
      schedule(queue)
    },
  }
}

/**
 * All retries of this process. An application that makes a configuration for each request thus knows every sign-out.
 */
export const processDeletionRetries = createDeletionRetries()

/** For how long an ended session is remembered: longer than its last requests usually take. */
const MEMORY_MS = 60_000
/** How many are remembered for one store. Each needs about 200 bytes. */
const ENDED_CAPACITY = 10_000

/**
 * Stored sessions that this process has ended a moment ago. A request that has read such a session before must not send
 * its cookie again: the browser may already have the cookie of a newer sign-in, and would lose it. Only digests of
 * tokens are kept.
 */
export const createEndedRows = (now: () => number = () => performance.now(), capacity = ENDED_CAPACITY) =>
  createRecentKeys(now, MEMORY_MS, capacity)

/** The sessions of one store, for every configuration with this store. */
export const endedRowsOf = onceFor((_store: object) => createEndedRows())

/** @param fix what to do when deletions were given up, for the log */
export const loggedDeletion = (
  store: object,
  remove: DeletionTarget['remove'],
  { logger, fix }: { readonly logger: Log; readonly fix: string },
): DeletionTarget => ({
  store,
  remove,
  gaveUp: (count) => logger.warn('sign-outs-given-up', { count, fix }),
  completed: (count) => logger.debug('sign-outs-completed', { count }),
})
