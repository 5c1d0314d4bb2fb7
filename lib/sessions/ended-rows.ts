/** For how long an ended session is remembered: longer than its last requests usually take. */
const MEMORY_MS = 60_000
/** How many are remembered for one store. Each needs about 200 bytes. */
const CAPACITY = 10_000

/**
 * Stored sessions that this process has ended a moment ago. A request that has read such a session before must not send
 * its cookie again: the browser may already have the cookie of a newer sign-in, and would lose it. Only digests of
 * tokens are kept.
 */
export interface EndedRows {
  readonly size: number
  has(stored: string): boolean
  add(stored: string): void
  /** Called for a new session, in case the application has given it a previous one. */
  forget(stored: string): void
}

const all = new WeakMap<object, EndedRows>()

/** The sessions of one store, for every configuration with this store. */
export function endedRowsOf(store: object): EndedRows {
  const known = all.get(store) ?? createEndedRows()
  all.set(store, known)
  return known
}

/** @param now milliseconds, by a clock that nobody sets */
export function createEndedRows(now: () => number = () => performance.now(), capacity = CAPACITY): EndedRows {
  /** When each session ended; the oldest first. */
  const times = new Map<string, number>()
  return {
    get size() {
      return times.size
    },
    has(stored) {
      const time = times.get(stored)
      return time !== undefined && time + MEMORY_MS > now()
    },
    add(stored) {
      times.delete(stored)
      times.set(stored, now())
      for (const [oldest, time] of times) {
        if (times.size <= capacity && time + MEMORY_MS > now()) break
        times.delete(oldest)
      }
    },
    forget: (stored) => void times.delete(stored),
  }
}
