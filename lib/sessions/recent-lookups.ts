import type { MaybePromise } from '../kernel/awaitable.js'

/**
 * Look-ups whose results count for some time.
 *
 * @typeParam About what a look-up gets beside its key; nothing by default
 */
interface RecentLookups<T, About = void> {
  /** What was looked up a short time ago, or what is looked up now. It rejects if the look-up fails; a failure is not kept. */
  get(key: string, about: About): MaybePromise<T>
  /** Replaces what is known of a key, for example after it was changed. */
  set(key: string, value: T): void
  forget(key: string): void
  /** How many results are kept. */
  readonly size: number
}

/** How long results count, and how many are kept. */
interface RecentLookupsSettings {
  /** With 0, every request has its own look-up. */
  readonly seconds: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The oldest results make room for new ones. */
  readonly capacity?: number
}

interface Result<T> {
  readonly value: T
  /** When the look-up began. */
  readonly time: number
}

/** A result needs about 300 bytes. */
const CAPACITY = 50_000

/**
 * Makes at most one look-up for each key in some seconds, and keeps a limited number of results. Requests that come
 * while a look-up runs wait for it. A result counts from the time when its look-up began.
 */
export function createRecentLookups<T, About = void>(
  lookUp: (key: string, about: About) => MaybePromise<T>,
  { seconds, now, capacity = CAPACITY }: RecentLookupsSettings,
): RecentLookups<T, About> {
  const milliseconds = seconds * 1000
  /** In the order of their times, the oldest first. */
  const results = new Map<string, Result<T>>()
  const running = new Map<string, Promise<T>>()

  const keep = (key: string, value: T, time: number): T => {
    if (milliseconds === 0) return value
    results.delete(key)
    results.set(key, { value, time })
    for (const oldest of results.keys()) {
      if (results.size <= capacity) break
      results.delete(oldest)
    }
    return value
  }

  const keepLater = (key: string, pending: Promise<T>, time: number): Promise<T> => {
    if (milliseconds === 0) return pending
    // If the key was set or forgotten meanwhile, this result may be older than that.
    const isCurrent = () => running.get(key) === kept
    const kept: Promise<T> = pending.then(
      (value) => {
        if (isCurrent()) {
          running.delete(key)
          keep(key, value, time)
        }
        return value
      },
      (error: unknown) => {
        if (isCurrent()) running.delete(key)
        throw error
      },
    )
    running.set(key, kept)
    return kept
  }

  return {
    get(key, about) {
      const known = results.get(key)
      const time = now()
      // A clock that was set back makes a result old, not young.
      if (known !== undefined && time >= known.time && time - known.time < milliseconds) return known.value
      const pending = running.get(key)
      if (pending !== undefined) return pending
      const found = lookUp(key, about)
      return found instanceof Promise ? keepLater(key, found, time) : keep(key, found, time)
    },
    set(key, value) {
      running.delete(key)
      keep(key, value, now())
    },
    forget(key) {
      running.delete(key)
      results.delete(key)
    },
    get size() {
      return results.size
    },
  }
}
