import { setTimeout as sleep } from 'node:timers/promises'
import { AdapterError } from '../../../kernel/errors.js'
import type { Waiting } from './ddl-runner.js'

/** A transaction that holds a lock which the migration needs. */
export interface Blocker {
  /** The process or thread of the database server; null if there is none, as for a prepared transaction. */
  readonly pid: number | null
  /** How long the transaction has lasted; null if the server does not say it. */
  readonly seconds: number | null
  /** For instance `idle in transaction`; null if the server does not say it. */
  readonly state: string | null
}

/** Names a blocker without its statement, whose text may hold values. */
export function describeBlocker({ pid, seconds, state }: Blocker): string {
  if (pid === null) return 'a prepared transaction'
  const facts = [...(state === null ? [] : [state]), ...(seconds === null ? [] : [`for ${Math.round(seconds)} s`])]
  return `process ${pid}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
}

/** The error of a migration that has waited as long as it may. */
export const gaveUp = (seconds: number, blocker: string, fix: string): AdapterError =>
  new AdapterError(`gave up after ${seconds} s of waiting for ${blocker}. ${fix}`)

/** Milliseconds. */
const FIRST_PAUSE = 250
/** The longest pause between two look-ups of a blocker, which make nobody wait. */
const LONGEST_LOOK_PAUSE = 2000
/** The longest pause between two attempts, each of which makes others wait. */
const LONGEST_ATTEMPT_PAUSE = 15_000
const REPORT_EVERY = 5000

interface Attempts extends Waiting {
  /** What is waited for: `transactions that use sessions`. */
  readonly what: string
  /** What the administrator can do about a blocker, as a sentence. */
  readonly fix: (blocker: Blocker | null) => string
  /** A transaction that is known to block the attempt; null when none is known. */
  findBlocker?(): Promise<Blocker | null>
  /** A transaction that may have blocked an attempt that failed. */
  findSuspect?(): Promise<Blocker | null>
  /** Gives false if it did not get a lock in time. */
  attempt(): Promise<boolean>
  /** The longest pause between two attempts, in milliseconds. */
  readonly longestPause?: number
}

/**
 * Tries again, with growing pauses, until an attempt succeeds. There is no attempt while a blocker is known: all
 * statements that come after a statement which waits for a lock wait, too.
 *
 * @throws {AdapterError} that names the blocker, after `giveUpAfter`
 */
export async function retryUntilDone(attempts: Attempts): Promise<void> {
  const { findBlocker, findSuspect, attempt, what, fix, report, giveUpAfter } = attempts
  const { longestPause = LONGEST_ATTEMPT_PAUSE } = attempts
  const deadline = Date.now() + giveUpAfter * 1000
  let [lookPause, attemptPause, reportedAt] = [FIRST_PAUSE, FIRST_PAUSE, Number.NEGATIVE_INFINITY]
  for (;;) {
    const blocker = (await findBlocker?.()) ?? null
    if (!blocker && (await attempt())) return
    const suspect = blocker ?? (await findSuspect?.()) ?? null
    const remaining = deadline - Date.now()
    const who = suspect ? describeBlocker(suspect) : what
    if (remaining <= 0) throw gaveUp(giveUpAfter, who, fix(suspect))
    if (Date.now() - reportedAt >= REPORT_EVERY) {
      report(`waiting for ${who}`)
      reportedAt = Date.now()
    }
    if (blocker) lookPause = Math.min(lookPause * 2, LONGEST_LOOK_PAUSE)
    else attemptPause = Math.min(attemptPause * 2, longestPause)
    await sleep(Math.min(blocker ? lookPause : attemptPause, remaining))
  }
}

/**
 * Does the same as {@link retryUntilDone} for an action that gives a result.
 *
 * @param isBlocked whether the action failed because of a lock, and is to be tried again
 */
export async function retryForResult<Result>(
  attempts: Omit<Attempts, 'attempt'>,
  action: () => Promise<Result>,
  isBlocked: (error: unknown) => boolean,
): Promise<Result> {
  const results: Result[] = []
  const attempt = async () => {
    try {
      results.push(await action())
      return true
    } catch (error) {
      if (isBlocked(error)) return false
      throw error
    }
  }
  await retryUntilDone({ ...attempts, attempt })
  return results[0] as Result
}
