import type { RawBuilder } from 'kysely'
import { AdapterError } from '../../../errors.js'
import type { SqlTag, TablePlace } from '../dialects/dialect.js'
import { columnName, type ModelName, type SqlNames } from '../models.js'
import { qualifiedName } from '../table.js'
import type { PlannedTable } from './planned-tables.js'

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
