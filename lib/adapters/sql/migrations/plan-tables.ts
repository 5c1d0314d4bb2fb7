import { AdapterError } from '../../../kernel/errors.js'
import type { Connection } from '../connect.js'
import type { Column } from '../dialects/dialect.js'
import type { ModelName, SqlNames } from '../models.js'
import { COLUMN_TYPES, TABLE_SUFFIXES } from './column-types.js'
import { planIndexes, planLaterIndexes } from './plan-indexes.js'
import {
  type LaterIndexes,
  type NamedTable,
  nameTable,
  type PlannedColumns,
  type PlannedTable,
} from './planned-tables.js'
import type { Step } from './step.js'

/**
 * What the database lacks of the planned tables: tables, columns that may be empty, and indexes; with the users, also their schema. Tables that
 * exist, such as those of Auth.js, keep all they hold: no column is changed, and nothing is removed.
 *
 * @param planned the users first, if other tables refer to them
 * @throws {AdapterError} when a table exists but lacks a column that cannot be added to existing rows
 */
export async function planTables(
  connection: Connection,
  names: SqlNames,
  planned: Readonly<Partial<Record<ModelName, PlannedTable>>>,
): Promise<Step[]> {
  const { db, sql, dialect } = connection
  const steps: Step[] = planned.users ? await createSchema(connection, names) : []
  let owner: Owner | null = null
  for (const [model, plan] of Object.entries(planned)) {
    const table = nameTable(sql, model as ModelName, plan, names)
    const columns = await dialect.columnsOf(db, table.place)
    if (table.model === 'users') owner = { users: table, idType: idTypeOf(connection, table, columns) }
    if (columns.length === 0) steps.push(createTable(connection, table, plan.ofUser ? owner : null))
    else steps.push(...addColumns(connection, table, columns))
    steps.push(...(await planIndexes(connection, table, columns)))
  }
  return steps
}

/** A column that refers to a user has the type of a user's id, which is a number in some databases. */
function idTypeOf({ dialect }: Connection, users: NamedTable, columns: readonly Column[]): string {
  const idColumn = users.columnOf('id')
  return columns.find(({ name }) => name === idColumn)?.definition ?? COLUMN_TYPES[dialect.name].id
}

async function createSchema({ sql, db }: Connection, { schema }: SqlNames): Promise<Step[]> {
  if (schema === undefined) return []
  const present = await db.introspection.getSchemas()
  // SQLite has no schemas.
  if (present.length === 0 || present.some(({ name }) => name === schema)) return []
  return [{ summary: `create schema ${schema}`, statement: sql`create schema ${sql.id(schema)}` }]
}

/** The table to which `userId` refers, and the type of that column. */
interface Owner {
  readonly users: NamedTable
  readonly idType: string
}

/** @param owner null for a table whose rows do not refer to a user */
function createTable({ sql, dialect }: Connection, table: NamedTable, owner: Owner | null): Step {
  const { columns, key } = table.plan
  const types = COLUMN_TYPES[dialect.name]
  const id = (member: string) => sql.id(table.requireColumn(member))
  const lines = Object.entries(columns)
    .filter(([member]) => table.columnOf(member) !== null)
    .map(([member, { kind, required }]) => {
      const type = sql.raw(kind === 'id' && owner ? owner.idType : types[kind])
      return required ? sql`${id(member)} ${type} not null` : sql`${id(member)} ${type}`
    })
  lines.push(sql`primary key (${sql.join(key.map(id))})`)
  if (owner) {
    const { users } = owner
    const user = sql`${users.reference} (${sql.id(users.requireColumn('id'))})`
    lines.push(sql`foreign key (${id('userId')}) references ${user} on delete cascade`)
  }
  return {
    summary: `create table ${table.place.table}`,
    statement: sql`create table ${table.reference} (${sql.join(lines)})${sql.raw(TABLE_SUFFIXES[dialect.name])}`,
    ...(owner && { locks: { place: owner.users.place, blocks: 'writes' } }),
  }
}

/** @param columns of the table as it is now */
function addColumns({ sql, dialect }: Connection, table: NamedTable, columns: readonly Column[]): Step[] {
  const { model, plan, place, reference } = table
  const present = new Set(columns.map(({ name }) => name))
  const missing = Object.entries(plan.columns).flatMap(([member, { kind, required }]) => {
    const name = table.columnOf(member)
    return name === null || present.has(name) ? [] : [{ name, kind, required }]
  })
  const lacking = missing.filter(({ required }) => required)
  if (lacking.length > 0) {
    const list = lacking.map(({ name }) => `"${name}"`).join(', ')
    throw new AdapterError(
      `There is a table "${place.table}" already, without the column ${list}. If it is for ${model}, map the names of its columns in ` +
        `columns.${model}; if it is for something else, choose another table with tables.${model}.`,
    )
  }
  return missing.map(({ name, kind }) => ({
    summary: `add column ${name} to ${place.table}`,
    // Without a default value, so that no row has to be written.
    statement: sql`alter table ${reference} add column ${sql.id(name)} ${sql.raw(COLUMN_TYPES[dialect.name][kind])}`,
    locks: { place, blocks: 'all' },
    onlineAs: 'alter',
  }))
}

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
