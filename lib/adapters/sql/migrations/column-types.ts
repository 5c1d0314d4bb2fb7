import { AdapterError } from '../../../kernel/errors.js'
import type { Dialect, SqlTag, TablePlace } from '../dialects/dialect.js'
import { columnName, type ModelName, type SqlNames } from '../models.js'
import { qualifiedName } from '../table.js'

/** A planned table, with the names that the application chose for it. */
export type NamedTable = ReturnType<typeof nameTable>

export function nameTable(sql: SqlTag, model: ModelName, plan: PlannedTable, names: SqlNames) {
  const place: TablePlace = { schema: names.schema, table: names.tables?.[model] ?? plan.table }
  const requireColumn = (member: string): string => {
    const name = columnName(model, member, names)
    if (name === null) throw new AdapterError(`columns.${model}.${member} is false, but ${model} cannot do without it.`)
    return name
  }
  return {
    model,
    plan,
    place,
    /** The table with its schema, as part of a statement. */
    reference: qualifiedName(sql, place),
    /** The name of the column for a member; null when the application leaves an optional member out. */
    columnOf: (member: string) =>
      plan.columns[member]?.required ? requireColumn(member) : columnName(model, member, names),
    /**
     * The name of the column for a member that must have one.
     *
     * @throws {AdapterError} when the application leaves the member out
     */
    requireColumn,
  }
}

/** A column that a migration makes. */
export interface PlannedColumn {
  readonly kind: ColumnKind
  /** The column is `not null`. A table that exists already must have it. */
  readonly required?: true
}

export type PlannedColumns = Readonly<Record<string, PlannedColumn>>

/** A table that a migration makes. Columns have the names of the members in the adapter contract. */
export interface PlannedTable {
  /** The name of the table, unless the application chooses another. */
  readonly table: string
  readonly columns: PlannedColumns
  readonly key: readonly string[]
  /** Groups of columns that no two rows may share, besides the key. */
  readonly unique: readonly (readonly string[])[]
  /** Columns with an index of their own. */
  readonly indexes: readonly string[]
  /** Rows refer to a user by `userId`, and are deleted with the user. */
  readonly ofUser: boolean
}

/** The tables of the first five migrations. */
type FirstModel = Exclude<ModelName, 'tokenSessions'>

export type PlannedTables = Readonly<Record<FirstModel, PlannedTable>>

/** Indexes of several columns each that a later migration adds to a table. */
export type LaterIndexes = readonly (readonly string[])[]

/** What a later migration adds to tables. */
export type PlannedAdditions = Readonly<
  Partial<Record<FirstModel, { readonly columns?: PlannedColumns; readonly indexes?: readonly string[] }>>
>

/** The tables with what a further migration adds to them. The users stay first, since the other tables refer to them. */
export function withAdditions(tables: PlannedTables, additions: PlannedAdditions): PlannedTables {
  const entries = Object.entries(tables).map(([model, table]) => {
    const { columns = {}, indexes = [] } = additions[model as FirstModel] ?? {}
    return [model, { ...table, columns: { ...table.columns, ...columns }, indexes: [...table.indexes, ...indexes] }]
  })
  return Object.fromEntries(entries) as PlannedTables
}

/*
 * The column types of the tables that migrations make. Released migrations use them, so an entry never changes: another type is another kind.
 */

const TEXT = 'text'

const POSTGRES = {
  id: TEXT,
  key: TEXT,
  email: TEXT,
  account: TEXT,
  credential: TEXT,
  text: TEXT,
  date: 'timestamptz',
  integer: 'bigint',
  boolean: 'boolean',
} as const

/** What a column of a planned table holds. */
export type ColumnKind = keyof typeof POSTGRES

const MYSQL: Readonly<Record<ColumnKind, string>> = {
  id: 'varchar(255)',
  key: 'varchar(255)',
  email: 'varchar(320)',
  // Provider account ids in any script, and ids of passkeys, which are long: an index holds 3072 bytes in all.
  account: 'varbinary(2048)',
  // At most 1023 bytes (WebAuthn §4), in base64. ASCII keeps the column within what an index can hold.
  credential: 'varchar(1400) character set ascii collate ascii_bin',
  text: TEXT,
  date: 'datetime(3)',
  integer: 'bigint',
  boolean: 'boolean',
}

const SQLITE: Readonly<Record<ColumnKind, string>> = {
  id: TEXT,
  key: TEXT,
  email: TEXT,
  account: TEXT,
  credential: TEXT,
  text: TEXT,
  date: TEXT,
  integer: 'integer',
  boolean: 'integer',
}

/** The type of each kind of column, by engine. */
export const COLUMN_TYPES: Readonly<Record<Dialect['name'], Readonly<Record<ColumnKind, string>>>> = {
  postgres: POSTGRES,
  mysql: MYSQL,
  sqlite: SQLITE,
}

/** The end of a `create table` statement, by engine. */
export const TABLE_SUFFIXES: Readonly<Record<Dialect['name'], string>> = {
  postgres: '',
  // The server's default collation does not tell "a" from "A": two accounts would be one.
  mysql: ' engine=InnoDB default charset=utf8mb4 collate=utf8mb4_bin',
  sqlite: '',
}

/** A column by which rows are found. */
export interface KeyColumn {
  readonly model: ModelName
  /** The name of the table, unless the application chooses another. */
  readonly table: string
  readonly member: string
  /** The fewest characters that the column must hold. */
  readonly minLength: number
}
