import { unwantedError } from '../adapters/failures.js'
import type { IsWanted } from '../adapters/look-up-options.js'
import { noAnswerOf } from '../adapters/timeouts.js'
import { type MaybePromise, within } from '../awaitable.js'
import { type Client, hasLeft } from '../http/client.js'
import { onBehalfOfNobody } from '../logger.js'
import { copyOf } from './plain-copy.js'

/** A request that waits for a look-up. */
interface Waiter {
  readonly client: Client | undefined
  gaveUp: boolean
}

/** A look-up that is to begin when the one before it has ended, and whoever gets what it finds. */
interface PlannedLookup<T> {
  readonly waiters: Waiter[]
  readonly found: Promise<T>
  readonly settle: (found: Promise<T>) => void
}

/** A look-up that is under way. */
interface RunningLookup<T> {
  following: PlannedLookup<T> | null
}

const isWaiting = ({ client, gaveUp }: Waiter) => !gaveUp && !hasLeft(client)

/**
 * Look-ups by key, of which one runs at a time for each. Whoever comes while one runs gets what the next one finds,
 * together with all who came meanwhile. So nobody gets what was read before they came, and a sign-out that has ended is
 * seen by everybody who comes after it (SESS-14). A look-up is not made when nobody waits for it any more. A store that
 * answers at once is asked by everybody.
 *
 * @param lookUp gives rows of plain data, of which each request gets a copy; for rows that are none, each asks for
 *   itself. `isWanted` says whether a request still waits; it is absent where the store answered at once before
 * @param waitMs how long one request waits, for its turn and for all that its look-up asks the store
 */
export function shareLookups<T>(
  lookUp: (key: string, isWanted?: IsWanted) => MaybePromise<T>,
  waitMs: number,
): (key: string, client: Client | undefined) => MaybePromise<T> {
  const running = new Map<string, RunningLookup<T>>()
  // As the last answer was. For a store that answers at once no objects are made: there is nothing to share.
  let answersAtOnce = false

  const inTime = (found: Promise<T>, waiter: Waiter): Promise<T> =>
    within(found, waitMs, () => {
      waiter.gaveUp = true
      return noAnswerOf('getSessionAndUser', waitMs)
    })

  const lookUpFor = (waiters: readonly Waiter[], key: string): MaybePromise<T> =>
    lookUp(key, () => waiters.some(isWaiting))

  /** Notes a look-up that has begun, so that the one that follows begins when it ends. */
  const follow = (key: string, found: Promise<T>): void => {
    const lookup: RunningLookup<T> = { following: null }
    running.set(key, lookup)
    const ended = () => {
      running.delete(key)
      if (lookup.following) begin(key, lookup.following)
    }
    found.then(ended, ended)
  }

  const begin = (key: string, { waiters, settle }: PlannedLookup<T>): void => {
    if (!waiters.some(isWaiting)) {
      settle(Promise.reject(unwantedError()))
      return
    }
    const found = onBehalfOfNobody(() => asPromise(() => lookUpFor(waiters, key)))
    settle(found)
    follow(key, found)
  }

  /** For whoever comes while no look-up runs. */
  const lookUpNow = (key: string, client: Client | undefined): MaybePromise<T> => {
    if (hasLeft(client)) return Promise.reject(unwantedError())
    const waiter: Waiter = { client, gaveUp: false }
    return shared(key, lookUpFor([waiter], key), waiter)
  }

  /** A look-up that has begun for one request. */
  const shared = (key: string, found: MaybePromise<T>, waiter: Waiter): MaybePromise<T> => {
    answersAtOnce = !(found instanceof Promise)
    if (!(found instanceof Promise)) return found
    follow(key, found)
    return inTime(found, waiter)
  }

  /** For whoever comes while one runs. */
  const lookUpNext = (key: string, lookup: RunningLookup<T>, client: Client | undefined): Promise<T> => {
    lookup.following ??= planLookup<T>()
    const { waiters, found } = lookup.following
    const waiter: Waiter = { client, gaveUp: false }
    const isFirst = waiters.push(waiter) === 1
    return inTime(isFirst ? found : found.then((rows) => ownCopy(key, rows)), waiter)
  }

  const ownCopy = (key: string, rows: T): MaybePromise<T> => {
    const copy = copyOf(rows)
    return copy === undefined ? lookUp(key) : (copy as T)
  }

  return (key, client) => {
    if (answersAtOnce && running.size === 0) {
      const found = lookUp(key)
      return found instanceof Promise ? shared(key, found, { client, gaveUp: false }) : found
    }
    const lookup = running.get(key)
    return lookup ? lookUpNext(key, lookup, client) : lookUpNow(key, client)
  }
}

function planLookup<T>(): PlannedLookup<T> {
  let settle: (found: Promise<T>) => void = () => {}
  const found = new Promise<T>((resolve) => {
    settle = resolve
  })
  // Whoever waited may have given up, and then nobody hears of a failure.
  found.catch(() => {})
  return { waiters: [], found, settle }
}

/** Work as a promise, whatever it gives or throws. */
const asPromise = async <T>(work: () => MaybePromise<T>): Promise<T> => work()
