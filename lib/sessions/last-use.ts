/** How often the last use of a session is stored at most, in milliseconds. */
export const USE_INTERVAL_MS = 15 * 60 * 1000

/** How many sessions are remembered. Each needs about 150 bytes. */
const CAPACITY = 50_000

/**
 * Whether the last use of a session is to be stored again.
 *
 * @param lastSeenAt the last use that the store has; null if it has none. All times are milliseconds since the epoch
 */
export const isUseDue = (lastSeenAt: number | null, time: number): boolean =>
  // A time far in the future comes from a wrong clock.
  lastSeenAt === null || Math.abs(time - lastSeenAt) >= USE_INTERVAL_MS

/** The uses of sessions that this process has stored, or has tried to store. */
export interface NotedUses {
  /** True at most once in a quarter of an hour for each key, however often the store fails. */
  note(key: string): boolean
  readonly size: number
}

/** @param now milliseconds since the epoch */
export function createNotedUses(now: () => number, capacity = CAPACITY): NotedUses {
  /** The oldest first. */
  const times = new Map<string, number>()
  return {
    note(key) {
      const time = now()
      const known = times.get(key)
      if (known !== undefined && !isUseDue(known, time)) return false
      times.delete(key)
      times.set(key, time)
      for (const [oldest, noted] of times) {
        if (times.size <= capacity && !isUseDue(noted, time)) break
        times.delete(oldest)
      }
      return true
    },
    get size() {
      return times.size
    },
  }
}
