import type { Kysely, RawBuilder, Sql } from 'kysely'
import { isError } from '../../../kernel/describe-value.js'

/** A Kysely instance whose tables are known only at run time. */
export type Database = Kysely<Record<string, Record<string, unknown>>>

/**
 * The earliest date that counts as an expiry. An earlier date means that there is none: it comes from the number 0, or
 * from seconds in place of milliseconds.
 */
export const EARLIEST_END = new Date('1973-01-01T00:00:00.000Z')

/** A column as it is in the database. */
export interface Column {
  readonly name: string
  /** As the database spells it, in small letters. */
  readonly type: string
  /** The type as a definition of another column that refers to this one. */
  readonly definition: string
  /** Whether the database fills it if no value is written. */
  readonly filled: boolean
  /** False for computed columns. */
  readonly writable: boolean
  /** The most characters that it can hold; null if it has no limit, or if the limit is not known. */
  readonly length: number | null
  /** Whether two different texts in it are never equal for the database. */
  readonly isExact: boolean
}

/** An index over whole columns. */
export interface Index {
  readonly columns: readonly string[]
  readonly unique: boolean
}

/** An index whose creation was interrupted: the database keeps it up to date, and never uses it. */
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
  /** Which statements can return the rows that they changed. */
  readonly returning: { readonly insert: boolean; readonly update: boolean; readonly delete: boolean }
  /**
   * Whether `on conflict (…) do nothing` inserts a row unless its key is there. PostgreSQL would otherwise write the key
   * of a duplicate into its log.
   */
  readonly skipsDuplicates: boolean
  /** The columns of a table; empty when there is no such table. */
  columnsOf(db: Database, place: TablePlace): Promise<Column[]>
  indexesOf(db: Database, place: TablePlace): Promise<Index[]>
  /**
   * Whether an index can be made on these columns, without saying how much of each. Undefined stands for a column that
   * the migration itself adds. Absent if an index has room for any columns.
   */
  fitsIndex?(columns: readonly (Column | undefined)[]): boolean
  /** Absent where an index is made in one step. */
  unusableIndexesOf?(db: Database, place: TablePlace): Promise<UnusableIndex[]>
  /** Whether an index of the table can be made with `concurrently`. */
  canIndexConcurrently?(db: Database, place: TablePlace): Promise<boolean>
  /** Whether a column holds a point in time, which is read as a `Date`. */
  isDate(column: Column): boolean
  /**
   * The part of `alter table` after which a column can hold this many characters and distinguishes all texts. Its
   * values stay. With `length` null, its size stays. Null if the owner of the table must do it, as for a column of
   * their own type. Absent where every column holds and distinguishes all texts.
   */
  alterKey?(column: Column, length: number | null): RawBuilder<unknown> | null
  /** A comparison that is true for equal texts only, with every collation of the column. */
  equals(column: RawBuilder<unknown>, value: string): RawBuilder<boolean>
  /** Reads a point in time as milliseconds since 1970, or as text that names its time zone. */
  readDate(column: RawBuilder<unknown>, definition: Column): RawBuilder<unknown>
  /** A point in time as a value for a column. */
  writeDate(date: Date, definition: Column): unknown
  writeBoolean(value: boolean): unknown
  /**
   * Runs an action on one connection whose session is in UTC meanwhile. Absent if {@link writeDate} does not depend on
   * the time zone of the session.
   */
  inUtc?<Result>(db: Database, action: (db: Database) => Promise<Result>): Promise<Result>
  /**
   * A condition that is true for an expiry from one moment on and before another one, in every form that
   * {@link readDate} can read. It is never true for null, or for a value that is not a date. Null if the column has a
   * type in which no expiry can be compared.
   */
  endsBetween(column: RawBuilder<unknown>, definition: Column, from: Date, before: Date): RawBuilder<boolean> | null
  /**
   * A condition that is true for null, and for values that are not a date. It may be false for a text that begins like
   * a later date.
   */
  isNoEnd(column: RawBuilder<unknown>, definition: Column): RawBuilder<boolean>
  /** The server's clock, in milliseconds since 1970. */
  readonly clock: RawBuilder<unknown>
  /**
   * Runs statements with another time limit of the server than the limit of the connection, which applies again
   * afterwards.
   *
   * @param limitMs milliseconds for each statement; `Infinity` for no limit
   */
  withStatementLimit<Result>(db: Database, limitMs: number, action: (db: Database) => Promise<Result>): Promise<Result>
  /** Deletes some of the rows that match, in a short step that makes nobody wait. */
  deleteSome(batch: Batch): Promise<DeletedBatch>
}

/** Rows to delete, and where they are. */
export interface Batch {
  readonly db: Database
  readonly table: RawBuilder<unknown>
  /** The columns that identify a row. */
  readonly key: readonly RawBuilder<unknown>[]
  readonly condition: RawBuilder<boolean>
  /** How many rows are deleted at most. */
  readonly limit: number
  /** The column by which the rows are sorted, if an index gives this order; else null. */
  readonly order: RawBuilder<unknown> | null
  /** The expiry of a row, as {@link Dialect.readDate} reads it. */
  readonly end: RawBuilder<unknown>
}

/** The result of a {@link Batch}. */
export interface DeletedBatch {
  /** How many rows were found. If it is the limit, there may be more. */
  readonly found: number
  /** How many rows were deleted. It is less than `found` if somebody else deleted or changed some of them. */
  readonly deleted: number
  /** The expiry of each row that was found; empty if nobody needs it. */
  readonly ends: readonly unknown[]
}

/** Kysely's `sql` template tag. It is a parameter, because Kysely is loaded only when it is used. */
export type SqlTag = Sql

/** Makes indexes from rows that have one column each, in the order of the columns. */
export function groupIndexes(
  rows: readonly { readonly index: string; readonly column: string; readonly unique: boolean }[],
): Index[] {
  const groups = new Map<string, { columns: string[]; unique: boolean }>()
  for (const { index, column, unique } of rows) {
    const group = groups.get(index)
    if (group) group.columns.push(column)
    else groups.set(index, { columns: [column], unique })
  }
  return [...groups.values()]
}

/**
 * Runs statements as one transaction.
 *
 * @param otherwise is run if the driver has no transactions. Nothing was sent until then
 */
export async function inTransaction<Result>(
  db: Database,
  action: (transaction: Database) => Promise<Result>,
  otherwise: () => Promise<Result>,
): Promise<Result> {
  let hasBegun = false
  try {
    return await db.transaction().execute((transaction) => {
      hasBegun = true
      return action(transaction)
    })
  } catch (error) {
    if (hasBegun || !(isError(error) && SAYS_SO.test(error.message))) throw error
  }
  return otherwise()
}

/** Dialects over HTTP, such as those of D1 and Neon, have no transactions, and say so when one begins. */
const SAYS_SO = /\btransactions? .*not supported|not support.* transactions?\b/i
