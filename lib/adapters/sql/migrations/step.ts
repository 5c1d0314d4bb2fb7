import type { RawBuilder } from 'kysely'
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
