import type { Kysely, RawBuilder, Sql } from 'kysely'

/** A Kysely instance whose tables are known only at run time. */
export type Database = Kysely<Record<string, Record<string, unknown>>>

/** The earliest end that is taken for one. A date before it stands for none, as does the number 0, or a number of seconds where milliseconds are kept. */
export const EARLIEST_END = new Date('1973-01-01T00:00:00.000Z')

/** A column as it stands in the database. */
export interface Column {
  readonly name: string
  /** As the database spells it, in small letters. */
  readonly type: string
  /** The type as a definition of another column that refers to this one. */
  readonly definition: string
  /** The database gives it a value of its own when none is written. */
  readonly filled: boolean
  /** False for computed columns. */
  readonly writable: boolean
  /** The most characters that it holds; null where it has no limit, or none that is known. */
  readonly length: number | null
  /** Whether the database takes no two different texts in it for one. */
  readonly isExact: boolean
}

/** An index over whole columns. */
export interface Index {
  readonly columns: readonly string[]
  readonly unique: boolean
}

/** An index that an interruption left: it is kept up to date, and never used. */
export interface UnusableIndex {
  readonly name: string
  /** Removes it while the table is in use. */
  readonly drop: RawBuilder<unknown>
}

/** Where a table is. */
export interface TablePlace {
  readonly schema: string | undefined
  readonly table: string
}

/** What differs between the engines. */
export interface Dialect {
  readonly name: 'postgres' | 'mysql' | 'sqlite'
  /** Which statements can give back the rows that they touched. */
  readonly returning: { readonly insert: boolean; readonly update: boolean; readonly delete: boolean }
  /** The columns of a table; empty when there is no such table. */
  columnsOf(db: Database, place: TablePlace): Promise<Column[]>
  indexesOf(db: Database, place: TablePlace): Promise<Index[]>
  /** Whether an index can be made on a column of a type, without saying how much of it. */
  canIndex(type: string): boolean
  unusableIndexesOf(db: Database, place: TablePlace): Promise<UnusableIndex[]>
  /** Whether an index of the table can be made with `concurrently`. */
  canIndexConcurrently(db: Database, place: TablePlace): Promise<boolean>
  /** True for columns that hold a point in time, and are to be read as a `Date`. */
  isDate(column: Column): boolean
  /**
   * The part of `alter table` that makes a column hold so many characters and tell all texts apart, with all that it holds; `length` null leaves its size
   * alone. Null where that is for the owner of the table to do, as with a column of a type of their own.
   */
  alterKey(column: Column, length: number | null): RawBuilder<unknown> | null
  /** An equality that takes no two different texts for one, whatever the column's collation. */
  equals(column: RawBuilder<unknown>, value: string): RawBuilder<boolean>
  /** Reads a point in time as milliseconds since 1970, or as text that names its time zone. */
  readDate(column: RawBuilder<unknown>, definition: Column): RawBuilder<unknown>
  /** A point in time as a value for a column. */
  writeDate(date: Date, definition: Column): unknown
  writeBoolean(value: boolean): unknown
  /**
   * Runs an action on one connection whose session is in UTC meanwhile. Absent where the session's time zone does not
   * matter to {@link writeDate}.
   */
  inUtc?<Result>(db: Database, action: (db: Database) => Promise<Result>): Promise<Result>
  /**
   * True for an end at or after one moment and before another, in any form that {@link readDate} gives a date of; never for null, and never for
   * what is no date. Null for a column that no end can be compared in.
   */
  endsBetween(column: RawBuilder<unknown>, definition: Column, from: Date, before: Date): RawBuilder<boolean> | null
  /** True for null, and for what {@link endsBetween} passes over since it is no date. It may leave out what begins like a later date. */
  isNoEnd(column: RawBuilder<unknown>, definition: Column): RawBuilder<boolean>
  /** The server's clock, in milliseconds since 1970. */
  readonly clock: RawBuilder<unknown>
  /**
   * Runs statements for which the server has another limit than the connection's own, which holds again afterwards.
   *
   * @param limitMs milliseconds a statement; `Infinity` for none
   */
  withStatementLimit<Result>(db: Database, limitMs: number, action: (db: Database) => Promise<Result>): Promise<Result>
  /** Deletes some of the rows that match, in a short step that nobody waits for. */
  deleteSome(batch: Batch): Promise<DeletedBatch>
}

/** Rows to delete, and where they are. */
export interface Batch {
  readonly db: Database
  readonly table: RawBuilder<unknown>
  /** The columns that tell one row from another. */
  readonly key: readonly RawBuilder<unknown>[]
  readonly condition: RawBuilder<boolean>
  /** The most rows. */
  readonly limit: number
  /** The column that they are taken in the order of, where an index gives it. */
  readonly order: RawBuilder<unknown> | null
  /** The value that the rows are in the order of, as {@link Dialect.readDate} reads it. */
  readonly end: RawBuilder<unknown>
}

/** What became of a {@link Batch}. */
export interface DeletedBatch {
  /** As many as the limit when there may be more. */
  readonly found: number
  /** Fewer than were found, when somebody else deleted or changed some. */
  readonly deleted: number
  /** What `end` gave of each row that was found; empty where nobody needs it. */
  readonly ends: readonly unknown[]
}

/** Kysely's `sql` template tag: handed in, because Kysely is loaded only when it is used. */
export type SqlTag = Sql
