import type { Kysely, RawBuilder, Sql } from 'kysely'
import type { Kind } from '../models.js'

/** A Kysely instance whose tables are known only at run time. */
export type Database = Kysely<Record<string, Record<string, unknown>>>

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
  /** Column types for tables that Latchkey makes. */
  readonly types: Readonly<Record<Kind, string>>
  /** Follows the list of columns in `create table`. */
  readonly tableSuffix: string
  /** The columns of a table; empty when there is no such table. */
  columnsOf(db: Database, place: TablePlace): Promise<Column[]>
  indexesOf(db: Database, place: TablePlace): Promise<Index[]>
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
}

/** Kysely's `sql` template tag: handed in, because Kysely is loaded only when it is used. */
export type SqlTag = Sql
