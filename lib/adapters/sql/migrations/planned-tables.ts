import type { RawBuilder } from 'kysely'
import { AdapterError } from '../../../kernel/errors.js'
import type { SqlTag, TablePlace } from '../dialects/dialect.js'
import { columnName, type ModelName, type SqlNames } from '../models.js'
import { qualifiedName } from '../table.js'
import type { ColumnKind } from './column-types.js'

/** A planned table, with the names that the application chose for it. */
export interface NamedTable {
  readonly model: ModelName
  readonly plan: PlannedTable
  readonly place: TablePlace
  /** The table with its schema, as part of a statement. */
  readonly reference: RawBuilder<unknown>
  /** The name of the column for a member; null when the application leaves an optional member out. */
  columnOf(member: string): string | null
  /**
   * The name of the column for a member that must have one.
   *
   * @throws {AdapterError} when the application leaves the member out
   */
  requireColumn(member: string): string
}

export function nameTable(sql: SqlTag, model: ModelName, plan: PlannedTable, names: SqlNames): NamedTable {
  const place = { schema: names.schema, table: names.tables?.[model] ?? plan.table }
  const requireColumn = (member: string) => {
    const name = columnName(model, member, names)
    if (name === null) throw new AdapterError(`columns.${model}.${member} is false, but ${model} cannot do without it.`)
    return name
  }
  return {
    model,
    plan,
    place,
    reference: qualifiedName(sql, place),
    columnOf: (member) => (plan.columns[member]?.required ? requireColumn(member) : columnName(model, member, names)),
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
