import { setTimeout as sleep } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import { AdapterError } from '../../../kernel/errors.js'
import type { Connection } from '../connect.js'
import type { TablePlace } from '../dialects/dialect.js'

/** A step of a migration. */
export interface Step {
  /** What the step does, for the person who runs the migration: `create table users`. */
  readonly summary: string
  readonly statement: RawBuilder<unknown>
  /** The table in use that the step locks for a moment, and whom that blocks. Absent when nobody uses the table yet. */
  readonly locks?: { readonly place: TablePlace; readonly blocks: 'all' | 'writes' }
  /** The index of PostgreSQL that the step makes or removes while the table is in use. */
  readonly concurrent?: ConcurrentIndex
  /** How MySQL and MariaDB are asked to do it while the table is in use: as a part of `alter table`, or of `create index`. */
  readonly onlineAs?: 'alter' | 'index'
  /** Columns whose values no two rows may share after the step. */
  readonly unique?: { readonly table: RawBuilder<unknown>; readonly columns: readonly string[] }
}

export interface ConcurrentIndex {
  readonly place: TablePlace
  readonly name: string
}

/** Reports what a step waits for, or how far it is: one line, for a person to read. */
export type Report = (note: string) => void

/** How long a migration waits for the transactions of others, and where it reports that it waits. */
export interface Waiting {
  /** Seconds that a statement may wait for a lock. Statements that come after it wait behind it meanwhile. */
  readonly lockTimeout: number
  /** Seconds after which the migration fails when it cannot run a step, or another migration does not end. */
  readonly giveUpAfter: number
  readonly report: Report
}

/** A running migration: the only one in its database. */
export interface DdlSession {
  /** The one connection that all statements use. */
  readonly connection: Connection
  /**
   * Runs a step. Others who use the table wait as briefly as the engine allows. When a step fails, the next run of the
   * migration repairs what it left.
   */
  run(step: Step, waiting: Waiting): Promise<void>
  /**
   * Runs an action that is not a step, such as a count of the rows of a table. Runs it again if a lock of another
   * transaction prevented it.
   *
   * @throws {AdapterError} after `giveUpAfter`
   */
  repeat<Result>(action: () => Promise<Result>, waiting: Waiting): Promise<Result>
}

/** How an engine changes tables that are in use. */
export interface DdlRunner {
  /** Default for the seconds that a statement waits for a lock; 0 where nobody waits behind it. */
  readonly lockTimeout: number
  /** Whether a step that fails undoes the steps before it. */
  readonly undoesAll: boolean
  /**
   * Runs an action while no other process migrates the database.
   *
   * @throws {AdapterError} when another process takes longer than `giveUpAfter`
   */
  exclusively<Result>(
    connection: Connection,
    schema: string | undefined,
    waiting: Waiting,
    action: (session: DdlSession) => Promise<Result>,
  ): Promise<Result>
}

/** A migration on a server with locks that belong to a connection. */
interface LockingSession extends Pick<DdlSession, 'run' | 'repeat'> {
  /** Takes the lock that lets one process migrate, without waiting for it; false when another process has it. */
  tryLock(): Promise<boolean>
  releaseLock(): Promise<void>
  /** Gives the connection the settings that it had before. */
  restore(): Promise<void>
}

/** What differs between the servers. */
interface LockingServer extends Pick<DdlRunner, 'lockTimeout'> {
  /**
   * Sets up the connection of a migration.
   *
   * @param connection the only one that the migration uses
   * @param outside the whole database, for statements on other connections
   */
  begin(
    connection: Connection,
    outside: Connection,
    schema: string | undefined,
    waiting: Waiting,
  ): Promise<LockingSession>
}

/**
 * Runs migrations on one connection with one lock. Each step is a transaction of its own, so that no lock of a table
 * lasts longer than one step.
 */
export const lockingRunner = ({ lockTimeout, begin }: LockingServer): DdlRunner => ({
  lockTimeout,
  undoesAll: false,

  exclusively: (outside, schema, waiting, action) =>
    outside.db.connection().execute(async (db) => {
      const connection = { ...outside, db }
      const session = await begin(connection, outside, schema, waiting)
      // A lost connection has also lost its lock and its settings, so undoing them may fail.
      try {
        await takeLock(session, waiting)
        try {
          return await action({ connection, ...session })
        } finally {
          await session.releaseLock().catch(() => {})
        }
      } finally {
        await session.restore().catch(() => {})
      }
    }),
})

/**
 * Asks for the lock again and again in place of waiting for it. A statement that waits has a snapshot, and PostgreSQL
 * makes an index concurrently only after all older snapshots have ended.
 */
function takeLock(session: LockingSession, waiting: Waiting): Promise<void> {
  const taken = new Error('Another migration has the lock.')
  const attempts = {
    ...waiting,
    what: 'another migration of this database',
    fix: () => 'If it is stuck, end its process; then run this one again.',
    longestPause: 1000,
    isBlocked: (error: unknown) => error === taken,
  }
  return retryUntilDone(attempts, async () => {
    if (!(await session.tryLock())) throw taken
  })
}

/** A transaction that holds a lock which the migration needs. */
export interface Blocker {
  /** The process or thread of the database server; null if there is none, as for a prepared transaction. */
  readonly pid: number | null
  /** How long the transaction has lasted; null if the server does not say it. */
  readonly seconds: number | null
  /** For instance `idle in transaction`; null if the server does not say it. */
  readonly state: string | null
}

export type BlockerRow = Record<keyof Blocker, unknown>

/** The blocker that a look-up found first; null if it found none. */
export const toBlocker = ([row]: readonly BlockerRow[]): Blocker | null =>
  row
    ? {
        pid: row.pid === null ? null : Number(row.pid),
        seconds: row.seconds === null ? null : Number(row.seconds),
        state: typeof row.state === 'string' ? row.state : null,
      }
    : null

/** Who may keep a step waiting, as part of a sentence. */
export const usersOf = ({ locks }: Step): string => `transactions that use ${locks?.place.table ?? 'the database'}`

/** Names a blocker without its statement, whose text may hold values. */
export function describeBlocker({ pid, seconds, state }: Blocker): string {
  if (pid === null) return 'a prepared transaction'
  const facts = [...(state === null ? [] : [state]), ...(seconds === null ? [] : [`for ${Math.round(seconds)} s`])]
  return `process ${pid}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
}

/** What the administrator can do about a blocker: a function that gives it as a sentence. */
export const endsBy = (statement: (pid: number) => string) => (blocker: Blocker | null) => {
  const pid = blocker?.pid ?? null
  const how = pid === null ? 'End the transaction that is in the way' : `End it: ${statement(pid)}`
  return `${how}. Then run the migration again: it goes on where it stopped.`
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

export interface Attempts extends Waiting {
  /** What is waited for: `transactions that use sessions`. */
  readonly what: string
  /** What the administrator can do about a blocker, as a sentence. */
  readonly fix: (blocker: Blocker | null) => string
  /** Whether an attempt failed because of a lock, and is to be made again. */
  isBlocked(error: unknown): boolean
  /** A transaction that is known to block the attempt; null when none is known. */
  findBlocker?(): Promise<Blocker | null>
  /** A transaction that may have blocked an attempt that failed. */
  findSuspect?(): Promise<Blocker | null>
  /** The longest pause between two attempts, in milliseconds. */
  readonly longestPause?: number
}

/**
 * Tries again, with growing pauses, until an attempt succeeds. There is no attempt while a blocker is known: all
 * statements that come after a statement which waits for a lock wait, too.
 *
 * @throws {AdapterError} that names the blocker, after `giveUpAfter`
 */
export async function retryUntilDone<Result>(attempts: Attempts, attempt: () => Promise<Result>): Promise<Result> {
  const { findBlocker, findSuspect, isBlocked, what, fix, report, giveUpAfter } = attempts
  const { longestPause = LONGEST_ATTEMPT_PAUSE } = attempts
  const deadline = Date.now() + giveUpAfter * 1000
  let [lookPause, attemptPause, reportedAt] = [FIRST_PAUSE, FIRST_PAUSE, Number.NEGATIVE_INFINITY]
  for (;;) {
    const blocker = (await findBlocker?.()) ?? null
    if (!blocker) {
      try {
        return await attempt()
      } catch (error) {
        if (!isBlocked(error)) throw error
      }
    }
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
