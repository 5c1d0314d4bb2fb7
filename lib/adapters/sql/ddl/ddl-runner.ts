import { setTimeout as sleep } from 'node:timers/promises'
import { AdapterError } from '../../../errors.js'
import type { Connection } from '../connect.js'
import type { Step } from '../schema.js'

/** How long a migration waits for the transactions of others. */
export interface LockLimits {
  /** Seconds that a statement may wait while others queue behind it. */
  readonly lockTimeout: number
  /** Seconds after which a step, or the wait for another migration, is given up. */
  readonly giveUpAfter: number
}

/** Told what a step waits for, or how far it is: one line, for a person to read. */
export type Tell = (note: string) => void

/** What a migration may wait for, and whom it tells. */
export type Waiting = LockLimits & { readonly tell: Tell }

/** A migration at work: the only one of its database. */
export interface DdlSession {
  /** The one connection that all of it goes through. */
  readonly connection: Connection
  /**
   * Runs a step, so that whoever uses the table waits as briefly as the engine allows. What a step leaves that fails, the next run of the
   * migration mends.
   */
  run(step: Step, waiting: Waiting): Promise<void>
  /**
   * Does what is no step, such as a look at the rows of a table, and does it again where somebody was in the way.
   *
   * @throws {AdapterError} after `giveUpAfter`
   */
  repeat<Result>(action: () => Promise<Result>, waiting: Waiting): Promise<Result>
}

/** How an engine changes tables that are in use. */
export interface DdlRunner {
  /** Seconds that a statement waits while others queue behind it, unless the application says so; 0 where nobody does. */
  readonly lockTimeout: number
  /** Whether a step that fails undoes the steps before it. */
  readonly undoesAll: boolean
  /**
   * Runs an action while no other process migrates the database.
   *
   * @throws {AdapterError} when another process takes longer than `giveUpAfter`
   */
  alone<Result>(
    connection: Connection,
    schema: string | undefined,
    waiting: Waiting,
    action: (session: DdlSession) => Promise<Result>,
  ): Promise<Result>
}

/** Somebody whose transaction is in the way. */
export interface Blocker {
  /** The process or thread of the database server; null where it has none, as a prepared transaction. */
  readonly pid: number | null
  /** How long their transaction has lasted, where the server tells. */
  readonly seconds: number | null
  /** Such as `idle in transaction`, where the server tells. */
  readonly state: string | null
}

/** Who is in the way, without what they do: the text of a statement may hold values. */
export function describeBlocker({ pid, seconds, state }: Blocker): string {
  if (pid === null) return 'a prepared transaction'
  const facts = [...(state === null ? [] : [state]), ...(seconds === null ? [] : [`for ${Math.round(seconds)} s`])]
  return `process ${pid}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
}

const FIRST_PAUSE = 250
/** Between two looks at who is in the way, which cost nobody anything. */
const LONGEST_LOOK = 2000
/** Between two attempts, each of which makes others wait. */
const LONGEST_REST = 15_000
const TELL_EVERY = 5000

interface Attempts extends Waiting {
  /** What is waited for: `transactions that use sessions`. */
  readonly what: string
  /** What to do about somebody who does not go, as a sentence. */
  readonly fix: (blocker: Blocker | null) => string
  /** Who is in the way for certain; null when nobody is known to be. */
  findBlocker(): Promise<Blocker | null>
  /** Who may be in the way of an attempt that failed. */
  findSuspect?(): Promise<Blocker | null>
  /** Does it; false when it could not be had in time. */
  attempt(): Promise<boolean>
  /** The most milliseconds between two attempts. */
  readonly longestRest?: number
}

/**
 * Tries again and again, with growing pauses, what others may be in the way of. It is not tried while somebody is known to be in the way: a statement
 * that waits for a lock makes all wait who come after it.
 *
 * @throws {AdapterError} that says who is in the way, after `giveUpAfter`
 */
export async function insist(attempts: Attempts): Promise<void> {
  const { findBlocker, findSuspect, attempt, what, fix, tell, giveUpAfter, longestRest = LONGEST_REST } = attempts
  const deadline = Date.now() + giveUpAfter * 1000
  let [look, rest, toldAt] = [FIRST_PAUSE, FIRST_PAUSE, Number.NEGATIVE_INFINITY]
  for (;;) {
    const blocker = await findBlocker()
    if (!blocker && (await attempt())) return
    const suspect = blocker ?? (await findSuspect?.()) ?? null
    const remaining = deadline - Date.now()
    const who = suspect ? describeBlocker(suspect) : what
    if (remaining <= 0) throw new AdapterError(`gave up after ${giveUpAfter} s of waiting for ${who}. ${fix(suspect)}`)
    if (Date.now() - toldAt >= TELL_EVERY) {
      tell(`waiting for ${who}`)
      toldAt = Date.now()
    }
    if (blocker) look = Math.min(look * 2, LONGEST_LOOK)
    else rest = Math.min(rest * 2, longestRest)
    await sleep(Math.min(blocker ? look : rest, remaining))
  }
}

/** As {@link insist}, for an action that has a result, and fails when somebody is in the way. */
export async function insistOn<Result>(
  attempts: Omit<Attempts, 'attempt'>,
  action: () => Promise<Result>,
  isInTheWay: (error: unknown) => boolean,
): Promise<Result> {
  const results: Result[] = []
  const attempt = async () => {
    try {
      results.push(await action())
      return true
    } catch (error) {
      if (isInTheWay(error)) return false
      throw error
    }
  }
  await insist({ ...attempts, attempt })
  return results[0] as Result
}
