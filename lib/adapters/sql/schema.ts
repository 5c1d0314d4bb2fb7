import type { RawBuilder } from 'kysely'
import { AdapterError } from '../../errors.js'
import type { Connection } from './connect.js'
import type { Column, TablePlace } from './dialects/dialect.js'
import { columnName, MODEL_NAMES, MODELS, type ModelName, type SqlNames, tableName } from './models.js'
import { tableReference } from './table.js'

/** A step of a migration. */
export interface Step {
  /** What it does, for whoever runs it: `create table users`. */
  readonly summary: string
  readonly statement: RawBuilder<unknown>
  /** The table in use that it must have for itself for a moment; whoever comes meanwhile waits. Absent when nobody uses it yet. */
  readonly locks?: { readonly place: TablePlace; readonly blocks: 'all' | 'writes' }
  /** The index of PostgreSQL that it makes or removes while the table is in use. */
  readonly concurrent?: ConcurrentIndex
  /** How MySQL and MariaDB are told to do it while the table is in use: as a part of `alter table`, or of `create index`. */
  readonly onlineAs?: 'alter' | 'index'
  /** Columns that no two rows may share from then on. */
  readonly unique?: { readonly table: RawBuilder<unknown>; readonly columns: readonly string[] }
}

export interface ConcurrentIndex {
  readonly place: TablePlace
  readonly name: string
}

/**
 * What the database lacks of the five tables: their schema, tables, columns that may be empty, and indexes. Tables that are there, such as
 * those of Auth.js, are kept with all they hold; no column is changed, and nothing is removed.
 *
 * @throws {AdapterError} when a table is there but lacks a column that cannot be added to rows that exist
 */
export async function planTables(connection: Connection, names: SqlNames): Promise<Step[]> {
  const { db, dialect } = connection
  const columnsOf = (model: ModelName) =>
    dialect.columnsOf(db, { schema: names.schema, table: tableName(model, names) })
  const users = await columnsOf('users')
  // Whatever refers to a user has the type of a user's id, which is a number in some databases.
  const idColumn = columnName('users', 'id', names)
  const idType = users.find(({ name }) => name === idColumn)?.definition ?? dialect.types.id

  const steps: Step[] = await createSchema(connection, names)
  for (const model of MODEL_NAMES) {
    const columns = model === 'users' ? users : await columnsOf(model)
    if (columns.length === 0) steps.push(createTable(connection, model, names, idType))
    else steps.push(...addColumns(connection, model, names, columns))
    steps.push(...(await createIndexes(connection, model, names)))
  }
  return steps
}

async function createSchema({ sql, db }: Connection, { schema }: SqlNames): Promise<Step[]> {
  if (schema === undefined) return []
  const present = await db.introspection.getSchemas()
  // SQLite has none to make.
  if (present.length === 0 || present.some(({ name }) => name === schema)) return []
  return [{ summary: `create schema ${schema}`, statement: sql`create schema ${sql.id(schema)}` }]
}

function createTable({ sql, dialect }: Connection, model: ModelName, names: SqlNames, idType: string): Step {
  const { fields, key, ofUser } = MODELS[model]
  const id = (member: string) => sql.id(columnOf(model, member, names))
  const lines = Object.entries(fields)
    .filter(([member, { required }]) => required || columnName(model, member, names) !== null)
    .map(([member, { kind, required }]) => {
      const type = sql.raw(kind === 'id' ? idType : dialect.types[kind])
      return required ? sql`${id(member)} ${type} not null` : sql`${id(member)} ${type}`
    })
  lines.push(sql`primary key (${sql.join(key.map(id))})`)
  if (ofUser) {
    const user = sql`${tableReference(sql, 'users', names)} (${sql.id(columnOf('users', 'id', names))})`
    lines.push(sql`foreign key (${id('userId')}) references ${user} on delete cascade`)
  }
  return {
    summary: `create table ${tableName(model, names)}`,
    statement: sql`create table ${tableReference(sql, model, names)} (${sql.join(lines)})${sql.raw(dialect.tableSuffix)}`,
    ...(ofUser && { locks: { place: { schema: names.schema, table: tableName('users', names) }, blocks: 'writes' } }),
  }
}

function addColumns(
  { sql, dialect }: Connection,
  model: ModelName,
  names: SqlNames,
  columns: readonly Column[],
): Step[] {
  const table = tableName(model, names)
  const present = new Set(columns.map(({ name }) => name))
  const missing = Object.entries(MODELS[model].fields).flatMap(([member, { kind, required }]) => {
    const name = required ? columnOf(model, member, names) : columnName(model, member, names)
    return name === null || present.has(name) ? [] : [{ member, name, kind, required }]
  })
  const lacking = missing.filter(({ required }) => required)
  if (lacking.length > 0) {
    const list = lacking.map(({ name }) => `"${name}"`).join(', ')
    throw new AdapterError(
      `There is a table "${table}" already, without the column ${list}. If it is for ${model}, map the names of its columns in ` +
        `columns.${model}; if it is for something else, choose another table with tables.${model}.`,
    )
  }
  return missing.map(({ name, kind }) => ({
    summary: `add column ${name} to ${table}`,
    // Without a default value, so that no row has to be written.
    statement: sql`alter table ${tableReference(sql, model, names)} add column ${sql.id(name)} ${sql.raw(dialect.types[kind])}`,
    locks: { place: { schema: names.schema, table }, blocks: 'all' },
    onlineAs: 'alter',
  }))
}

async function createIndexes(connection: Connection, model: ModelName, names: SqlNames): Promise<Step[]> {
  const { sql, db, dialect } = connection
  const { key, unique, indexes, fields } = MODELS[model]
  const table = tableName(model, names)
  const place = { schema: names.schema, table }
  const isNew = (await dialect.columnsOf(db, place)).length === 0
  const unfit = await unfitForIndex(connection, model, names)
  const present = await dialect.indexesOf(db, place)

  // A new table has its key.
  const uniques = isNew ? unique : [key, ...unique]
  const wanted = [
    ...uniques.map((members) => ({ members, isUnique: true })),
    ...indexes.map((member) => ({ members: [member], isUnique: false })),
  ]
  const unusable = isNew ? [] : await dialect.unusableIndexesOf(db, place)
  const isConcurrent = !isNew && (await dialect.canIndexConcurrently(db, place))
  return wanted.flatMap(({ members, isUnique }) => {
    if (members.some((member) => !fields[member]?.required && columnName(model, member, names) === null)) return []
    if (!isUnique && members.some((member) => unfit.has(columnName(model, member, names)))) return []
    const columns = members.map((member) => columnOf(model, member, names))
    const isThere = present.some((index) =>
      isUnique ? index.unique && isSameSet(index.columns, columns) : index.columns[0] === columns[0],
    )
    if (isThere) return []
    const name = `${table}_${columns.join('_')}_${isUnique ? 'key' : 'idx'}`.slice(0, 60)
    const leftover = unusable.find((index) => index.name === name)
    const head = sql.raw(
      ['create', ...(isUnique ? ['unique'] : []), 'index', ...(isConcurrent ? ['concurrently'] : [])].join(' '),
    )
    const reference = tableReference(sql, model, names)
    const index: Step = {
      summary: `create ${isUnique ? 'unique index' : 'index'} on ${table} (${columns.join(', ')})`,
      statement: sql`${head} ${sql.id(name)} on ${reference} (${sql.join(columns.map((column) => sql.id(column)))})`,
      ...(isConcurrent && { concurrent: { place, name } }),
      ...(!isNew && { locks: { place, blocks: 'writes' }, onlineAs: 'index' }),
      ...(!isNew && isUnique && { unique: { table: reference, columns } }),
    }
    if (!leftover) return [index]
    const removal = `remove the unfinished index ${name} of ${table}`
    return [{ summary: removal, statement: leftover.drop, concurrent: { place, name } }, index]
  })
}

/** The columns whose type no index can be made on. Without one the rows are found, only slower. */
async function unfitForIndex({ db, dialect }: Connection, model: ModelName, names: SqlNames) {
  const columns = await dialect.columnsOf(db, { schema: names.schema, table: tableName(model, names) })
  return new Set<string | null>(columns.filter(({ type }) => !dialect.canIndex(type)).map(({ name }) => name))
}

const isSameSet = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((name) => b.includes(name))

function columnOf(model: ModelName, member: string, names: SqlNames): string {
  const name = columnName(model, member, names)
  if (name === null) throw new AdapterError(`columns.${model}.${member} is false, but ${model} cannot do without it.`)
  return name
}
