import { AdapterError } from '../../../kernel/errors.js'
import type { Connection } from '../connect.js'
import type { Step } from '../ddl/runner.js'
import type { Column, Index } from '../dialects/dialect.js'
import type { ModelName, SqlNames } from '../models.js'
import {
  COLUMN_TYPES,
  type LaterIndexes,
  type NamedTable,
  nameTable,
  type PlannedColumns,
  type PlannedTable,
  TABLE_SUFFIXES,
} from './planned-tables.js'

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

/** An index that a table needs. */
interface PlannedIndex {
  readonly members: readonly string[]
  readonly isUnique: boolean
}

/**
 * The indexes that a table lacks.
 *
 * @param columns of the table as it is now; empty when the migration makes it
 */
async function planIndexes(connection: Connection, table: NamedTable, columns: readonly Column[]): Promise<Step[]> {
  return planMissing(connection, table, columns, neededIndexes(table, columns.length === 0))
}

/** Those of further indexes that a table lacks. */
const planLaterIndexes = (
  connection: Connection,
  table: NamedTable,
  columns: readonly Column[],
  indexes: LaterIndexes,
): Promise<Step[]> =>
  planMissing(
    connection,
    table,
    columns,
    indexes.map((members) => ({ members, isUnique: false })),
  )

async function planMissing(
  connection: Connection,
  table: NamedTable,
  columns: readonly Column[],
  needed: readonly PlannedIndex[],
): Promise<Step[]> {
  if (needed.length === 0) return []
  const { db, dialect } = connection
  const isNew = columns.length === 0
  const present = await dialect.indexesOf(db, table.place)
  const unusable = isNew ? [] : await dialect.unusableIndexesOf(db, table.place)
  const isConcurrent = !isNew && (await dialect.canIndexConcurrently(db, table.place))
  // No index can be made on columns of some types. Without the index the rows are found all the same, only slower.
  const withoutIndex = new Set<string | null>(
    columns.filter(({ type }) => !dialect.canIndex(type)).map(({ name }) => name),
  )
  return needed.flatMap(({ members, isUnique }) => {
    if (members.some((member) => table.columnOf(member) === null)) return []
    if (!isUnique && members.some((member) => withoutIndex.has(table.columnOf(member)))) return []
    const names = members.map((member) => table.requireColumn(member))
    if (!isUnique && !dialect.fitsIndex(names.map((name) => columns.find((column) => column.name === name)))) return []
    if (present.some((index) => covers(index, names, isUnique))) return []
    const step = createIndex(connection, table, { names, isUnique, isNew, isConcurrent })
    const name = indexName(table, names, isUnique)
    const leftover = unusable.find((index) => index.name === name)
    if (!leftover) return [step]
    const summary = `remove the unfinished index ${name} of ${table.place.table}`
    return [{ summary, statement: leftover.drop, concurrent: { place: table.place, name } }, step]
  })
}

function neededIndexes({ plan: { key, unique, indexes } }: NamedTable, isNew: boolean): PlannedIndex[] {
  // A new table has its primary key.
  const uniques = isNew ? unique : [key, ...unique]
  return [
    ...uniques.map((members) => ({ members, isUnique: true })),
    ...indexes.map((member) => ({ members: [member], isUnique: false })),
  ]
}

const covers = (index: Index, names: readonly string[], isUnique: boolean): boolean =>
  isUnique ? index.unique && isSameSet(index.columns, names) : names.every((name, at) => index.columns[at] === name)

const isSameSet = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((name) => other.includes(name))

const indexName = ({ place }: NamedTable, names: readonly string[], isUnique: boolean): string =>
  `${place.table}_${names.join('_')}_${isUnique ? 'key' : 'idx'}`.slice(0, 60)

interface IndexFacts {
  readonly names: readonly string[]
  readonly isUnique: boolean
  readonly isNew: boolean
  readonly isConcurrent: boolean
}

function createIndex({ sql }: Connection, table: NamedTable, facts: IndexFacts): Step {
  const { place, reference } = table
  const { names, isUnique, isNew, isConcurrent } = facts
  const name = indexName(table, names, isUnique)
  const head = ['create', ...(isUnique ? ['unique'] : []), 'index', ...(isConcurrent ? ['concurrently'] : [])].join(' ')
  const list = sql.join(names.map((column) => sql.id(column)))
  return {
    summary: `create ${isUnique ? 'unique index' : 'index'} on ${place.table} (${names.join(', ')})`,
    statement: sql`${sql.raw(head)} ${sql.id(name)} on ${reference} (${list})`,
    ...(isConcurrent && { concurrent: { place, name } }),
    ...(!isNew && { locks: { place, blocks: 'writes' }, onlineAs: 'index' }),
    ...(!isNew && isUnique && { unique: { table: reference, columns: names } }),
  }
}
