import type { Connection } from '../connect.js'
import type { Step } from '../migrations/step.js'

/** How long a migration waits for the transactions of others. */
export interface LockLimits {
  /** Seconds that a statement may wait for a lock. Statements that come after it wait behind it meanwhile. */
  readonly lockTimeout: number
  /** Seconds after which the migration fails when it cannot run a step, or another migration does not end. */
  readonly giveUpAfter: number
}

/** Reports what a step waits for, or how far it is: one line, for a person to read. */
export type Report = (note: string) => void

/** How long a migration waits, and where it reports that it waits. */
export type Waiting = LockLimits & { readonly report: Report }

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
