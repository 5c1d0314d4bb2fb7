import type { SqlNames } from '../models.js'

/** Names of the tables, how long the migration may wait, and a function for progress. */
export interface MigrationOptions extends SqlNames {
  /** The table with the migrations that have run; `latchkey_migration` by default. */
  migrationTable?: string
  /**
   * Seconds that a statement waits for the lock of a table. Statements that come after it wait behind it; so it gives up after this time and is
   * tried again later. 2 by default, on MySQL and MariaDB 1, where it is rounded up to whole seconds. SQLite does not use it.
   */
  lockTimeout?: number
  /** Seconds after which the migration fails when it cannot lock a table, or another migration does not end; 600 by default. */
  giveUpAfter?: number
  /** Called when a migration begins, after each of its steps, and every few seconds while a step takes long. */
  onProgress?: (event: MigrationProgress) => void
}

/**
 * Without `step` and `note`, the migration begins. With `step`, that step is done. With `note`, the current step takes long, or another migration of
 * the database is running; then `migration` is the first that has not run. For a SQLite file that is locked it is the first of all.
 */
export interface MigrationProgress {
  readonly migration: string
  readonly step?: string
  /** What the migration waits for, or how far the step is: one line for a person to read. */
  readonly note?: string
  /** The number of the step, from 1, and how many steps there are. `number` is 0 when the migration begins. Absent while another migration runs. */
  readonly number?: number
  readonly of?: number
  /** How long the step took, in seconds. */
  readonly seconds?: number
}

/** A migration that has just run. */
export interface AppliedMigration {
  readonly name: string
  /** Summaries of what the migration did; empty when the database had everything. */
  readonly steps: readonly string[]
}

/** A migration, and whether it has run. */
export interface MigrationState {
  readonly name: string
  /** Null when the migration has not run yet. */
  readonly appliedAt: Date | null
  /** The statements that the migration would run, in order. Empty when it has run, and when the database has everything. */
  readonly statements: readonly string[]
}
