import { AdapterError } from '../../../kernel/errors.js'
import type { Connection } from '../connect.js'
import type { Step } from '../ddl/runner.js'
import type { Column, Index, TablePlace } from '../dialects/dialect.js'
import { columnName, type ModelName, type SqlNames } from '../models.js'
import { qualifiedName } from '../table.js'
import { COLUMN_TYPES, TABLE_SUFFIXES } from './column-types.js'
import type { Additions, Model } from './released.js'

/** Tables by their models. */
export type Tables = Readonly<Partial<Record<ModelName, Model>>>

/**
 * What the database lacks of the planned tables: tables, columns that may be empty, and indexes; with the users, also their
 * schema. Tables that exist, such as those of Auth.js, keep all they hold: no column is changed, and nothing is removed.
 *
 * @param planned the users first, if other tables refer to them
 * @throws {AdapterError} when a table exists but lacks a column that cannot be added to existing rows
 */
export async function planTables(connection: Connection, names: SqlNames, planned: Tables): Promise<Step[]> {
  const { db, sql, dialect } = connection
  const steps: Step[] = planned.users ? await createSchema(connection, names) : []
  let owner: Owner | null = null
  for (const [model, plan] of Object.entries(planned)) {
    const { key, unique, indexes, ofUser } = plan
    const table = nameTable(sql, model as ModelName, plan, names)
    const columns = await dialect.columnsOf(db, table.place)
    const isNew = columns.length === 0
    if (table.model === 'users') owner = { users: table, idType: idTypeOf(connection, table, columns) }
    if (isNew) steps.push(createTable(connection, table, ofUser ? owner : null))
    else steps.push(...addColumns(connection, table, columns))
    // A new table has its primary key.
    const uniques = isNew ? unique : [key, ...unique]
    const needed = [...uniques.map(uniqueIndex), ...indexes.map(plainIndex)]
    steps.push(...(await planIndexes(connection, table, columns, needed)))
  }
  return steps
}

/** A table of a migration, with the names that the application chose for it. */
type NamedTable = ReturnType<typeof nameTable>

function nameTable(sql: Connection['sql'], model: ModelName, { table, fields, key }: Model, names: SqlNames) {
  const place: TablePlace = { schema: names.schema, table: names.tables?.[model] ?? table }
  const requireColumn = (member: string): string => {
    const name = columnName(model, member, names)
    if (name === null) throw new AdapterError(`columns.${model}.${member} is false, but ${model} cannot do without it.`)
    return name
  }
  return {
    model,
    fields,
    key,
    place,
    /** The table with its schema, as part of a statement. */
    reference: qualifiedName(sql, place),
    /** The name of the column for a member; null when the application leaves an optional member out. */
    columnOf: (member: string) => (fields[member]?.required ? requireColumn(member) : columnName(model, member, names)),
    /**
     * The name of the column for a member that must have one.
     *
     * @throws {AdapterError} when the application leaves the member out
     */
    requireColumn,
  }
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
  const { fields, key } = table
  const types = COLUMN_TYPES[dialect.name]
  const id = (member: string) => sql.id(table.requireColumn(member))
  const lines = Object.entries(fields)
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
  const { model, fields, place, reference } = table
  const present = new Set(columns.map(({ name }) => name))
  const missing = Object.entries(fields).flatMap(([member, { kind, required }]) => {
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
 * The columns and indexes that tables of earlier migrations lack. A table that is missing lacks all of them: its migration has
 * not run yet, so the statements are only printed.
 *
 * @param tables as they are after the earlier migrations
 */
export async function planAdditions<Name extends ModelName>(
  connection: Connection,
  names: SqlNames,
  tables: Readonly<Record<Name, Model>>,
  additions: Additions<Name>,
): Promise<Step[]> {
  const { db, sql, dialect } = connection
  const steps: Step[] = []
  for (const [model, { fields = {}, indexes = [] }] of Object.entries(additions) as [Name, Partial<Model>][]) {
    const table = nameTable(sql, model, { ...tables[model], fields }, names)
    const columns = await dialect.columnsOf(db, table.place)
    steps.push(...addColumns(connection, table, columns))
    steps.push(...(await planIndexes(connection, table, columns, indexes.map(plainIndex))))
  }
  return steps
}

/** An index that a table needs. */
interface PlannedIndex {
  readonly members: readonly string[]
  readonly isUnique: boolean
}

const uniqueIndex = (members: readonly string[]): PlannedIndex => ({ members, isUnique: true })
const plainIndex = (members: readonly string[]): PlannedIndex => ({ members, isUnique: false })

/**
 * The indexes that a table lacks.
 *
 * @param columns of the table as it is now; empty when the migration makes it
 */
async function planIndexes(
  connection: Connection,
  table: NamedTable,
  columns: readonly Column[],
  needed: readonly PlannedIndex[],
): Promise<Step[]> {
  if (needed.length === 0) return []
  const { db, sql, dialect } = connection
  const { place, reference } = table
  const isNew = columns.length === 0
  const present = await dialect.indexesOf(db, place)
  const unusable = isNew ? undefined : await dialect.unusableIndexesOf?.(db, place)
  const isConcurrent = !isNew && ((await dialect.canIndexConcurrently?.(db, place)) ?? false)
  return needed.flatMap(({ members, isUnique }): Step[] => {
    if (members.some((member) => table.columnOf(member) === null)) return []
    const names = members.map((member) => table.requireColumn(member))
    // Without the index the rows are found all the same, only slower.
    const indexed = names.map((name) => columns.find((column) => column.name === name))
    if (!isUnique && dialect.fitsIndex?.(indexed) === false) return []
    if (present.some((index) => covers(index, names, isUnique))) return []
    const name = `${place.table}_${names.join('_')}_${isUnique ? 'key' : 'idx'}`.slice(0, 60)
    const kind = isUnique ? 'unique index' : 'index'
    const list = sql.join(names.map((column) => sql.id(column)))
    const step: Step = {
      summary: `create ${kind} on ${place.table} (${names.join(', ')})`,
      statement: sql`create ${sql.raw(isConcurrent ? `${kind} concurrently` : kind)} ${sql.id(name)} on ${reference} (${list})`,
      ...(isConcurrent && { concurrent: { place, name } }),
      ...(!isNew && { locks: { place, blocks: 'writes' }, onlineAs: 'index' }),
      ...(!isNew && isUnique && { unique: { table: reference, columns: names } }),
    }
    const leftover = unusable?.find((index) => index.name === name)
    if (!leftover) return [step]
    const summary = `remove the unfinished index ${name} of ${place.table}`
    return [{ summary, statement: leftover.drop, concurrent: { place, name } }, step]
  })
}

const covers = (index: Index, names: readonly string[], isUnique: boolean): boolean =>
  isUnique ? index.unique && isSameSet(index.columns, names) : names.every((name, at) => index.columns[at] === name)

const isSameSet = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((name) => other.includes(name))
