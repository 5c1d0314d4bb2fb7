import type { Connection } from '../connect.js'
import type { ModelName, SqlNames } from '../models.js'
import { planIndexes, planLaterIndexes } from './plan-indexes.js'
import { addColumns, createTable } from './plan-tables.js'
import { nameTable } from './planned-names.js'
import type { LaterIndexes, NewTables, PlannedColumns, PlannedTable } from './planned-tables.js'
import type { Step } from './step.js'

/**
 * The columns and indexes that a table of an earlier migration lacks. A table that is missing lacks all of them: its migration has
 * not run yet, so the statements are only printed.
 *
 * @param plan the table as it is after the earlier migrations
 * @param indexes on columns of which the new ones are a part
 */
export async function planColumns(
  connection: Connection,
  names: SqlNames,
  model: ModelName,
  plan: PlannedTable,
  columns: PlannedColumns,
  indexes: LaterIndexes = [],
): Promise<Step[]> {
  const { db, sql, dialect } = connection
  const table = nameTable(sql, model, { ...plan, columns }, names)
  const present = await dialect.columnsOf(db, table.place)
  return [...addColumns(connection, table, present), ...(await planLaterIndexes(connection, table, present, indexes))]
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
