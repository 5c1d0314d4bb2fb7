/** Milliseconds before each further try, and between all that follow. */
const WAITS_MS = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000] as const
/** For how long a deletion is tried again. */
const LIFETIME_MS = 10 * 60 * 1000
/** A try that takes longer has failed: a connection that died silently never answers. */
const TRY_MS = 10_000
/** A store that failed so often in one round is down, and is left in peace until the next. */
const FAILURES_IN_A_ROUND = 3
/** Some 300 bytes each. */
const CAPACITY = 20_000

/** Where deletions of one configuration go. */
export interface DeletionTarget {
  /**
   * Deletes the row, if it is there.
   *
   * @param stored the token as the row has it: a digest
   * @throws when the row may be there still
   */
  readonly remove: (stored: string) => Promise<void>
  /** Told once in a round, with how many rows are tried no more. */
  readonly gaveUp: (count: number) => void
}

/** Deletions of stored sessions that failed, and are tried again in the background. Nothing but digests of tokens is kept. */
export interface DeletionRetries {
  /** How many are waiting, over all targets. */
  readonly size: number
  /** Whether a session is to be deleted: for this process it is over, whatever the store says. */
  has(stored: string): boolean
  /** Tries again, for ten minutes at most. One that is waiting already waits no longer for it. */
  add(stored: string, target: DeletionTarget): void
}

/** What is tried one after the other. */
interface Queue {
  readonly target: DeletionTarget
  readonly waiting: Set<string>
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

/** Deletions are tried one at a time for each target, so that a store that comes back is not flooded. When there are too many, the oldest is given up. */
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
  const queues = new Map<DeletionTarget, Queue>()

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
    const wait = waitsMs[Math.min(queue.failedRounds, waitsMs.length - 1)] ?? 0
    setTimeout(() => void runRound(queue), wait).unref()
  }

  const runRound = async (queue: Queue) => {
    const { target, waiting } = queue
    let failures = 0
    let successes = 0
    for (const stored of [...waiting]) {
      if (failures === FAILURES_IN_A_ROUND) break
      if (!waiting.has(stored)) continue
      if (await succeeds(target, stored)) {
        successes += 1
        forget(stored)
      } else {
        failures += 1
        // Behind the others, so that one row that cannot be deleted does not keep them waiting.
        if (waiting.delete(stored)) waiting.add(stored)
      }
    }
    for (const stored of waiting) if (hasPassed(stored)) giveUp(stored, queue)
    queue.failedRounds = successes > 0 ? 0 : queue.failedRounds + 1
    if (queue.givenUp > 0) target.gaveUp(queue.givenUp)
    queue.givenUp = 0
    if (waiting.size > 0) schedule(queue)
    else queues.delete(target)
  }

  const succeeds = async ({ remove }: DeletionTarget, stored: string): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), tryMs).unref()
    })
    const removed = Promise.resolve(stored)
      .then(remove)
      .then(
        () => true,
        () => false,
      )
    const outcome = await Promise.race([removed, late])
    clearTimeout(timer)
    return outcome
  }

  const queueOf = (target: DeletionTarget): Queue => {
    const known = queues.get(target)
    if (known) return known
    const queue: Queue = { target, waiting: new Set(), failedRounds: 0, givenUp: 0 }
    queues.set(target, queue)
    schedule(queue)
    return queue
  }

  return {
    get size() {
      return all.size
    },
    has: (stored) => all.size > 0 && all.has(stored) && !hasPassed(stored),
    add(stored, target) {
      if (all.has(stored)) return
      const [oldest] = all
      if (oldest && all.size >= capacity) giveUp(oldest[0], oldest[1].queue)
      const queue = queueOf(target)
      all.set(stored, { queue, until: performance.now() + lifetimeMs })
      queue.waiting.add(stored)
    },
  }
}

/** Those of this process: an application that makes its configuration anew for each request knows of every sign-out. */
export const processDeletionRetries = createDeletionRetries()
