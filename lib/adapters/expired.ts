import { AdapterError, withoutDetails } from '../kernel/errors.js'
import type { Adapter, DeleteExpiredOptions, ExpiredCounts, ExpiredReport } from './adapter.js'
import { deletedBefore, partialDeletionError } from './failures.js'

/**
 * Rows that expired within this time stay until the next call. Each process decides by its own clock whether a session
 * has expired, and a process whose clock is behind may still accept and renew it.
 */
export const MARGIN_MS = 5 * 60 * 1000

const LARGEST_BATCH = 10_000
const DEFAULT_BATCH = 1000
const NONE: ExpiredCounts = { sessions: 0, verificationTokens: 0, leftovers: 0 }

/** How the rows of each kind that expire are counted. */
export const COUNTED_AS = {
  sessions: 'sessions',
  verificationTokens: 'verificationTokens',
  tokenSessions: 'sessions',
  records: 'leftovers',
} as const satisfies Record<string, keyof ExpiredCounts>

export type Perishable = keyof typeof COUNTED_AS
export const PERISHABLE = Object.keys(COUNTED_AS) as readonly Perishable[]

/** One call of `deleteExpired`: what the caller wants, and what was deleted so far. */
export type Pruning = ReturnType<typeof startPruning>

/** @throws {AdapterError} when the options make no sense */
export function startPruning(options: DeleteExpiredOptions = {}) {
  const { batch = DEFAULT_BATCH, dryRun = false, signal, onProgress } = options
  if (!Number.isInteger(batch) || batch < 1 || batch > LARGEST_BATCH) {
    throw new AdapterError(`deleteExpired: \`batch\` must be a whole number from 1 to ${LARGEST_BATCH}.`)
  }
  let counts = NONE
  let unreadable = 0
  let wasStopped = false
  const hints: string[] = []
  const isStopped = () => {
    wasStopped ||= signal?.aborted === true
    return wasStopped
  }

  return {
    /** How many rows one step may look at. */
    batchSize: batch,
    dryRun,
    /** Whether the caller wants no more steps. */
    isStopped,
    add(more: Partial<ExpiredCounts>): void {
      counts = addCounts(counts, more)
      onProgress?.(counts)
    },
    addUnreadable(rows: number): void {
      unreadable += rows
    },
    hint: (sentence: string) => void hints.push(sentence),
    /**
     * Waits as long as the last step took, so that others can use the store. Ends early when the caller stops the call.
     */
    pause: (stepMs: number) => wait(Math.min(Math.max(stepMs, 10), 1000), signal),
    report: (): ExpiredReport => ({ ...counts, unreadable, complete: !wasStopped, hints }),
    /** The error for a failure of the store, with the number of rows that were deleted before. */
    failure(error: AdapterError): AdapterError {
      const stays = dryRun ? 'Nothing was deleted' : `Until then it had deleted ${describeCounts(counts)}`
      const deleted = dryRun ? NONE : counts
      const message = `${asSentence(error.message)} ${stays}.`
      return partialDeletionError(message, { ...error.cause, method: 'deleteExpired' }, deleted)
    },
  }
}

/**
 * Deletes expired rows from several stores, one after the other. If one store fails, the others follow.
 *
 * @throws {AdapterError} at the end, when a store has failed
 */
export async function deleteExpiredFrom(
  stores: readonly Adapter[],
  options: DeleteExpiredOptions = {},
): Promise<ExpiredReport> {
  let total = startPruning(options).report()
  const failures: AdapterError[] = []
  for (const store of stores) {
    const before = total
    const onProgress = (counts: ExpiredCounts) => options.onProgress?.(addCounts(before, counts))
    try {
      total = addReports(total, await reportOf(store, { ...options, onProgress }))
    } catch (error) {
      const failure = asAdapterError(error)
      total = { ...total, ...addCounts(total, deletedBefore(failure)) }
      failures.push(failure)
    }
  }
  const [first] = failures
  if (!first) return total
  const { sessions, verificationTokens, leftovers } = total
  const message = failures.map((failure) => failure.message).join(' ')
  throw partialDeletionError(message, first.cause, { sessions, verificationTokens, leftovers })
}

async function reportOf(store: Adapter, options: DeleteExpiredOptions): Promise<ExpiredReport> {
  if (store.deleteExpired) return store.deleteExpired(options)
  const pruning = startPruning()
  pruning.hint(
    'An adapter that is combined with others has no deleteExpired(): the expired rows of its store stay there.',
  )
  return pruning.report()
}

const addReports = (one: ExpiredReport, other: ExpiredReport): ExpiredReport => ({
  ...addCounts(one, other),
  unreadable: one.unreadable + other.unreadable,
  complete: one.complete && other.complete,
  hints: [...one.hints, ...other.hints],
})

const asAdapterError = (error: unknown): AdapterError =>
  error instanceof AdapterError
    ? error
    : new AdapterError("The adapter's deleteExpired() failed.", { err: withoutDetails(error), method: 'deleteExpired' })

/** Adds the full stop that the messages of most databases do not have. */
const asSentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`)

/** The sum of two counts. */
const addCounts = (one: ExpiredCounts, other: Partial<ExpiredCounts>): ExpiredCounts => ({
  sessions: one.sessions + (other.sessions ?? 0),
  verificationTokens: one.verificationTokens + (other.verificationTokens ?? 0),
  leftovers: one.leftovers + (other.leftovers ?? 0),
})

/** Counts as part of a sentence: `12 sessions and 1 link`. */
export function describeCounts({ sessions, verificationTokens, leftovers }: ExpiredCounts): string {
  const parts = [amount(sessions, 'session'), amount(verificationTokens, 'link')]
  if (leftovers > 0) parts.push(amount(leftovers, 'leftover'))
  return new Intl.ListFormat('en').format(parts)
}

const amount = (count: number, what: string) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
