import { noAnswerOf, unwantedError } from '../adapters/failures.js'
import type { IsWanted } from '../adapters/methods.js'
import { type MaybePromise, within } from '../kernel/awaitable.js'
import { type Client, hasLeft } from '../kernel/incoming.js'
import { copyOf } from '../kernel/objects.js'

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
 *
 * @typeParam About what a look-up gets beside its key; nothing by default
 */
export function createRecentLookups<T, About = void>(
  lookUp: (key: string, about: About) => MaybePromise<T>,
  { seconds, now, capacity = CAPACITY }: RecentLookupsSettings,
) {
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
    /** What was looked up a short time ago, or what is looked up now. It rejects if the look-up fails; a failure is not kept. */
    get(key: string, about: About): MaybePromise<T> {
      const known = results.get(key)
      const time = now()
      // A clock that was set back makes a result old, not young.
      if (known !== undefined && time >= known.time && time - known.time < milliseconds) return known.value
      const pending = running.get(key)
      if (pending !== undefined) return pending
      const found = lookUp(key, about)
      return found instanceof Promise ? keepLater(key, found, time) : keep(key, found, time)
    },
    /** Replaces what is known of a key, for example after it was changed. */
    set(key: string, value: T): void {
      running.delete(key)
      keep(key, value, now())
    },
    forget(key: string): void {
      running.delete(key)
      results.delete(key)
    },
    /** How many results are kept. */
    get size(): number {
      return results.size
    },
  }
}

/**
 * Keys that were noted a short time ago.
 *
 * @param now milliseconds
 */
export function createRecentKeys(now: () => number, lifetimeMs: number, capacity: number) {
  /** The oldest first. */
  const times = new Map<string, number>()
  // A clock that was set back makes a key old, not young.
  const isRecent = (noted: number, time: number) => Math.abs(time - noted) < lifetimeMs
  return {
    get size(): number {
      return times.size
    },
    has(key: string): boolean {
      const noted = times.get(key)
      return noted !== undefined && isRecent(noted, now())
    },
    add(key: string): void {
      const time = now()
      times.delete(key)
      times.set(key, time)
      for (const [oldest, noted] of times) {
        if (times.size <= capacity && isRecent(noted, time)) break
        times.delete(oldest)
      }
    },
    forget: (key: string): void => void times.delete(key),
  }
}

/** A request that waits for a look-up. */
interface Waiter {
  readonly client: Client | undefined
  gaveUp: boolean
}

/** A look-up that begins when the one before it has ended, and the requests that wait for it. */
interface PlannedLookup<T> {
  readonly waiters: Waiter[]
  readonly found: Promise<T>
}

interface RunningLookup<T> {
  readonly found: Promise<T>
  following: PlannedLookup<T> | null
}

const isWaiting = ({ client, gaveUp }: Waiter) => !gaveUp && !hasLeft(client)

/**
 * Shares look-ups: for each key, one look-up runs at a time. All requests that come while a look-up runs get the result
 * of the next one. So no request gets a row that was read before the request came, and every request that comes after a
 * sign-out sees that the session has ended (SESS-14). A look-up is not made if nobody waits for it any more. If the
 * store gives rows without a promise, each request makes its own look-up.
 *
 * @param lookUp finds the rows. If they are plain data, each request gets a copy; otherwise each request makes its own
 *   look-up. `isWanted` says whether a request still waits; it is absent if the last look-up gave no promise
 * @param waitMs milliseconds that one request waits at most: for its turn and for its look-up together
 */
export function shareLookups<T>(
  lookUp: (key: string, isWanted?: IsWanted) => MaybePromise<T>,
  waitMs: number,
): (key: string, client: Client | undefined) => MaybePromise<T> {
  const running = new Map<string, RunningLookup<T>>()
  // Whether the last look-up gave no promise. Such look-ups cannot be shared, and somebody always waits for them.
  let isSynchronous = false

  const inTime = (found: Promise<T>, waiter: Waiter): Promise<T> =>
    within(found, waitMs, () => {
      waiter.gaveUp = true
      return noAnswerOf('getSessionAndUser', waitMs)
    })

  const lookUpFor = (waiters: readonly Waiter[], key: string): MaybePromise<T> => {
    const isWanted = () => waiters.some(isWaiting)
    return isWanted() ? lookUp(key, isWanted) : Promise.reject(unwantedError())
  }

  /** Records a look-up that has begun, until it ends. A planned one then begins, and is recorded in its place. */
  const record = (key: string, found: Promise<T>): Promise<T> => {
    const lookup: RunningLookup<T> = { found, following: null }
    running.set(key, lookup)
    const ended = () => {
      if (lookup.following === null) running.delete(key)
    }
    found.then(ended, ended)
    return found
  }

  const plan = (key: string, lookup: RunningLookup<T>): PlannedLookup<T> => {
    const waiters: Waiter[] = []
    const begin = () =>
      record(
        key,
        asPromise(() => lookUpFor(waiters, key)),
      )
    const found = lookup.found.then(begin, begin)
    // If every request has given up, nobody handles a failure.
    found.catch(() => {})
    return { waiters, found }
  }

  /** For a request that comes while no look-up runs. */
  const lookUpNow = (key: string, waiter: Waiter): MaybePromise<T> => {
    const found = isSynchronous ? lookUp(key) : lookUpFor([waiter], key)
    isSynchronous = !(found instanceof Promise)
    if (!(found instanceof Promise)) return found
    return inTime(record(key, found), waiter)
  }

  /** For a request that comes while a look-up runs. */
  const lookUpNext = (key: string, lookup: RunningLookup<T>, waiter: Waiter): Promise<T> => {
    lookup.following ??= plan(key, lookup)
    const { waiters, found } = lookup.following
    const isFirst = waiters.push(waiter) === 1
    return inTime(isFirst ? found : found.then((rows) => ownCopy(key, rows)), waiter)
  }

  const ownCopy = (key: string, rows: T): MaybePromise<T> => {
    const copy = copyOf(rows)
    return copy === undefined ? lookUp(key) : (copy as T)
  }

  return (key, client) => {
    const waiter: Waiter = { client, gaveUp: false }
    // Where each look-up gives its rows at once, none runs: then the hash of the key is not computed.
    const lookup = running.size > 0 && running.get(key)
    return lookup ? lookUpNext(key, lookup, waiter) : lookUpNow(key, waiter)
  }
}

/** Runs the work and gives its result as a promise, which rejects if the work throws. */
const asPromise = async <T>(work: () => MaybePromise<T>): Promise<T> => work()
