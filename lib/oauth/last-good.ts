import { settledWithin } from '../kernel/awaitable.js'
import { isError } from '../kernel/describe-value.js'
import { createSteadyClock } from './times.js'

/** The states of an outage: it begins, it ends, or it has lasted so long that the copy is not used any more. */
export type OutageState = 'begun' | 'over' | 'given-up'

/** An outage: a document cannot be fetched again. */
export interface Outage {
  readonly state: OutageState
  /** When the first fetch failed, milliseconds since the epoch. */
  readonly since: number
  /** When the copy was fetched, and until when it is used at most; null when there is no copy any more. */
  readonly copy: { readonly fetchedAt: number; readonly usedUntil: number } | null
  /** The message of the last fetch that failed. */
  readonly reason: string
}

/** How long a copy counts, all in milliseconds. */
export interface CopyTimes {
  /** Age from which a copy is fetched again. */
  readonly freshMs: number
  /** Age from which a caller waits a moment for a new copy. */
  readonly waitFromMs: number
  /** Age from which a copy is not used any more, even if all fetches fail. */
  readonly limitMs: number
}

/** What a copy needs. */
interface CopySettings<T> {
  /** Gives the document, or rejects; it must settle in every case. */
  readonly fetch: (before: T | null) => Promise<T>
  /** Whether a failure shows that the provider itself has replaced or withdrawn the document of the copy. */
  readonly endsCopy?: (error: unknown) => boolean
  readonly times: CopyTimes
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Called when an outage begins, when the copy is given up, and when the outage ends. */
  readonly report: (outage: Outage) => void
}

/** How long a caller waits for a new copy when the old copy is far from fresh. */
const PATIENCE_MS = 2000
/** The pause after a failure: as long as the fetch took, and a second at least, twice as long with each further one. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = { withCopy: 5 * 60 * 1000, without: 30 * 1000 }

interface Copy<T> {
  readonly value: T
  /** Milliseconds since the epoch, to be shown. */
  readonly fetchedAt: number
  /** On the clock that never goes back. */
  readonly bornAt: number
}

interface Failures {
  readonly since: number
  readonly count: number
  readonly error: unknown
  /** Nothing is fetched before that, on the clock that never goes back. */
  readonly pausedUntil: number
}

/**
 * A document of another server. While it cannot be fetched again, the last good copy of it stays in use. Nothing is fetched before it
 * is asked for.
 */
export function createLastGood<T>({ fetch, endsCopy, times, now, report }: CopySettings<T>) {
  // A copy would last for ever if its age were counted on a clock that is set back again and again.
  const steady = createSteadyClock(now)
  let copy: Copy<T> | null = null
  let running: Promise<T> | null = null
  let failures: Failures | null = null
  let isReported = false

  const reportState = (state: OutageState, { since, error }: Failures) => {
    const reason = isError(error) ? error.message : 'an unknown fault'
    const held = copy && { fetchedAt: copy.fetchedAt, usedUntil: now() + times.limitMs - ageOf(copy) }
    report({ state, since, copy: held, reason })
  }

  const ageOf = ({ bornAt }: Copy<T>): number => steady() - bornAt

  const succeeded = (value: T): T => {
    const before = failures
    copy = { value, fetchedAt: now(), bornAt: steady() }
    failures = null
    if (before && isReported) reportState('over', before)
    isReported = false
    return value
  }

  const failed = (error: unknown, begun: number): void => {
    const time = steady()
    const count = (failures?.count ?? 0) + 1
    const isLast = copy !== null && (endsCopy?.(error) ?? false)
    const longest = copy && !isLast ? LONGEST_PAUSE_MS.withCopy : LONGEST_PAUSE_MS.without
    const pause = Math.min(longest, Math.max(FIRST_PAUSE_MS, time - begun) * 2 ** Math.min(count - 1, 20))
    failures = { since: failures?.since ?? now(), count, error, pausedUntil: time + pause }
    if (!copy) return
    if (isLast) giveUp(failures)
    else if (!isReported) {
      isReported = true
      reportState('begun', failures)
    }
  }

  const giveUp = (reason: Failures) => {
    copy = null
    isReported = true
    reportState('given-up', reason)
  }

  const fetchNow = async (): Promise<T> => {
    const begun = steady()
    let value: T
    try {
      value = await fetch(copy?.value ?? null)
    } catch (error) {
      failed(error, begun)
      throw error
    }
    return succeeded(value)
  }

  const start = (): Promise<T> => {
    const settled = fetchNow().finally(() => {
      if (running === settled) running = null
    })
    // A caller that waits gets the error by its own promise; in the background nobody waits.
    settled.catch(() => {})
    running = settled
    return settled
  }

  /**
   * The document of the copy, and its age, unless it is too old for any use. When it ends, its pause ends with it: the document is
   * fetched at once.
   */
  const usable = (): { readonly value: T; readonly age: number } | null => {
    if (!copy) return null
    const age = ageOf(copy)
    if (age < times.limitMs) return { value: copy.value, age }
    if (failures) {
      failures = { ...failures, pausedUntil: steady() }
      giveUp(failures)
    }
    copy = null
    return null
  }

  const isPaused = (): boolean => failures !== null && running === null && steady() < failures.pausedUntil

  return {
    /**
     * The document: at once where there is a copy, which is fetched again in the background when it is not fresh. Without
     * a copy, concurrent calls wait for one fetch. Soon after a failure they get its error.
     */
    async get(): Promise<T> {
      const held = usable()
      if (held && held.age < times.freshMs) return held.value
      if (isPaused()) {
        if (held) return held.value
        throw failures?.error
      }
      const wasFailing = failures !== null
      const fetching = running ?? start()
      if (!held) return fetching
      if (wasFailing || held.age < times.waitFromMs) return held.value
      // Whether the fetch succeeds does not matter here: there is a copy.
      await settledWithin(fetching, PATIENCE_MS)
      // A fetch that failed may have ended the copy.
      return copy ? copy.value : fetching
    },
    /** The document, fetched now. Concurrent calls share one fetch. */
    refetch: (): Promise<T> => running ?? start(),
    /** The copy, of any age; null when there is none. */
    get current(): T | null {
      return copy?.value ?? null
    },
    get isFetching(): boolean {
      return running !== null
    },
  }
}

export type LastGood<T> = ReturnType<typeof createLastGood<T>>
