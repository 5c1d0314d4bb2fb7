import { within } from '../awaitable.js'
import { onBehalfOfNobody } from '../logger.js'

/** Milliseconds before each further try, and between all that follow. */
const WAITS_MS = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000] as const
/** For how long a deletion is tried again. */
const LIFETIME_MS = 10 * 60 * 1000
/**
 * Behind a try that takes longer, the others do not wait. The store's own limit is shorter, unless the application says
 * otherwise.
 */
const TRY_MS = 10_000
/**
 * A store that failed so often in one round is down, and is left in peace until the next. As many tries may hang in it
 * at once.
 */
const FAILURES_IN_A_ROUND = 3
/** Some 300 bytes each. */
const CAPACITY = 20_000

/** How deletions are made in one store. */
export interface DeletionTarget {
  /** The same object for every configuration with this store: its deletions are tried one after the other. */
  readonly store: object
  /**
   * Deletes the row, if it is there.
   *
   * @param stored the token as the row has it: a digest
   * @throws when the row may be there still
   */
  readonly remove: (stored: string) => Promise<void>
  /** Told once in a round, with how many rows are tried no more. */
  readonly gaveUp: (count: number) => void
  /** Told once in a round, with how many rows were deleted. */
  readonly completed?: (count: number) => void
}

/** Deletions of stored sessions that failed, and are tried again in the background. Nothing but digests of tokens is kept. */
export interface DeletionRetries {
  /** How many are waiting, over all stores. */
  readonly size: number
  /** Whether a session is to be deleted: for this process it is over, whatever the store says. */
  has(stored: string): boolean
  /**
   * Tries again, for ten minutes at most. One that is waiting already waits no longer for it; one whose time is over
   * begins anew.
   */
  add(stored: string, target: DeletionTarget): void
}

/** What is tried one after the other, in one store. */
interface Queue {
  /** That of the newest configuration: one may be made anew for each request. */
  target: DeletionTarget
  readonly waiting: Set<string>
  /** Whose deletion has not ended yet. It is not begun once more meanwhile, whatever becomes of the row here. */
  readonly underWay: Set<string>
  isScheduled: boolean
  /** Rounds without any success. */
  failedRounds: number
  /** Given up and not told yet. */
  givenUp: number
}

interface Waiting {
  readonly queue: Queue
  /** On the clock of `performance.now()`, which never jumps. */
  readonly until: number
}

/**
 * Deletions are tried one at a time for each store, so that one that comes back is not flooded. When there are too
 * many, the oldest is given up.
 */
export function createDeletionRetries({
  waitsMs = WAITS_MS,
  lifetimeMs = LIFETIME_MS,
  tryMs = TRY_MS,
  capacity = CAPACITY,
}: {
  readonly waitsMs?: readonly number[]
  readonly lifetimeMs?: number
  readonly tryMs?: number
  readonly capacity?: number
} = {}): DeletionRetries {
  const all = new Map<string, Waiting>()
  const queues = new WeakMap<object, Queue>()

  const forget = (stored: string) => {
    all.get(stored)?.queue.waiting.delete(stored)
    all.delete(stored)
  }

  const giveUp = (stored: string, queue: Queue) => {
    forget(stored)
    queue.givenUp += 1
  }

  const hasPassed = (stored: string) => (all.get(stored)?.until ?? 0) <= performance.now()

  const schedule = (queue: Queue) => {
    if (queue.isScheduled) return
    queue.isScheduled = true
    const wait = waitsMs[Math.min(queue.failedRounds, waitsMs.length - 1)] ?? 0
    // On behalf of nobody: the rows of a round are of several requests.
    onBehalfOfNobody(() => setTimeout(() => void runRound(queue), wait).unref())
  }

  const runRound = async (queue: Queue) => {
    const { waiting, underWay } = queue
    let failures = 0
    let successes = 0
    for (const stored of [...waiting]) {
      if (failures === FAILURES_IN_A_ROUND || underWay.size === FAILURES_IN_A_ROUND) break
      if (!waiting.has(stored) || underWay.has(stored)) continue
      if (await succeeds(queue, stored)) {
        successes += 1
      } else {
        failures += 1
        // Behind the others, so that one row that cannot be deleted does not keep them waiting.
        if (waiting.delete(stored)) waiting.add(stored)
      }
    }
    for (const stored of waiting) if (hasPassed(stored)) giveUp(stored, queue)
    queue.failedRounds = successes > 0 ? 0 : queue.failedRounds + 1
    if (successes > 0) queue.target.completed?.(successes)
    queue.isScheduled = false
    if (waiting.size > 0) schedule(queue)
    else queue.failedRounds = 0
    const { givenUp } = queue
    queue.givenUp = 0
    if (givenUp > 0) queue.target.gaveUp(givenUp)
  }

  /** Whether a row is deleted, as far as it is known in time. A success that comes later counts as well. */
  const succeeds = (queue: Queue, stored: string): Promise<boolean> => {
    queue.underWay.add(stored)
    const removed = Promise.resolve(stored)
      .then(queue.target.remove)
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
      target,
      waiting: new Set(),
      underWay: new Set(),
      isScheduled: false,
      failedRounds: 0,
      givenUp: 0,
    }
    queue.target = target
    queues.set(target.store, queue)
    return queue
  }

  return {
    get size() {
      return all.size
    },
    has: (stored) => all.size > 0 && all.has(stored) && !hasPassed(stored),
    add(stored, target) {
      const known = all.get(stored)
      if (known && !hasPassed(stored)) return
      if (known) giveUp(stored, known.queue)
      const [oldest] = all
      if (oldest && all.size >= capacity) giveUp(oldest[0], oldest[1].queue)
      const queue = queueOf(target)
      all.set(stored, { queue, until: performance.now() + lifetimeMs })
      queue.waiting.add(stored)
      schedule(queue)
    },
  }
}

/** Those of this process: an application that makes its configuration anew for each request knows of every sign-out. */
export const processDeletionRetries = createDeletionRetries()
