import type { Connection } from '../connect.js'
import type { ModelName, SqlNames } from '../models.js'
import { planIndexes } from './plan-indexes.js'
import { addColumns, createTable } from './plan-tables.js'
import { nameTable } from './planned-names.js'
import type { NewTables, PlannedColumns, PlannedTable } from './planned-tables.js'
import type { Step } from './step.js'

/**
 * The columns that a table of an earlier migration lacks. A table that is missing lacks all of them: its migration has
 * not run yet, so the statements are only printed.
 *
 * @param plan the table as it is after the earlier migrations
 */
export async function planColumns(
  connection: Connection,
  names: SqlNames,
  model: ModelName,
  plan: PlannedTable,
  columns: PlannedColumns,
): Promise<Step[]> {
  const { db, sql, dialect } = connection
  const table = nameTable(sql, model, { ...plan, columns }, names)
  return addColumns(connection, table, await dialect.columnsOf(db, table.place))
}

/** What the database lacks of tables that refer to no other table. The schema is there, or an earlier migration makes it. */
export async function planNewTables(connection: Connection, names: SqlNames, planned: NewTables): Promise<Step[]> {
  const { db, sql, dialect } = connection
  const steps: Step[] = []
  for (const [model, plan] of Object.entries(planned)) {
    const table = nameTable(sql, model as ModelName, plan, names)
    const columns = await dialect.columnsOf(db, table.place)
    if (columns.length === 0) steps.push(createTable(connection, table, null))
    else steps.push(...addColumns(connection, table, columns))
    steps.push(...(await planIndexes(connection, table, columns)))
  }
  return steps
}
