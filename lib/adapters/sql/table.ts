import type { RawBuilder } from 'kysely'
import { AdapterError } from '../../kernel/errors.js'
import type { Database, Dialect, SqlTag, TablePlace } from './dialects/dialect.js'
import { columnName, MODELS, type ModelName, memberName, type SqlNames, tableName } from './models.js'
import { type BoundColumn, decode, encode, lookupText } from './values.js'

export type Row = Record<string, unknown>

/** Values that a row is looked up by, by member. */
export type Lookup = Readonly<Record<string, unknown>>

/** One table as it is in the database: which members it has, and how they are written and read. */
export interface Table {
  readonly reference: RawBuilder<unknown>
  readonly columns: ReadonlyMap<string, BoundColumn>
  /** `a = ? and b = ?`; null when no row can match. */
  matching(lookup: Lookup, alias?: string): RawBuilder<boolean> | null
  /**
   * Whether members have exactly these values: texts, numbers, or null for none. A member without a column has none.
   * Null when no row can match.
   */
  holding(members: Readonly<Record<string, unknown>>): RawBuilder<boolean> | null
  column(member: string, alias?: string): RawBuilder<unknown>
  /** Every column, under the name of its member with a prefix. */
  selection(alias?: string, prefix?: string): RawBuilder<unknown>
  read(row: Row, prefix?: string): Row
  /** Names and values to write, of the given members that the table has. */
  write(members: Row): [RawBuilder<unknown>, unknown][]
}

/** Reads a table's columns from the database. */
export async function openTable(
  sql: SqlTag,
  db: Database,
  dialect: Dialect,
  model: ModelName,
  names: SqlNames,
): Promise<Table> {
  const name = tableName(model, names)
  const found = await dialect.columnsOf(db, { schema: names.schema, table: name })
  if (found.length === 0) throw new AdapterError(`There is no table "${name}". ${howToMakeIt(model)}`)
  const columns = new Map<string, BoundColumn>()
  for (const column of found) {
    const member = memberName(model, column.name, names)
    if (member !== null) columns.set(member, { member, column, kind: MODELS[model].fields[member]?.kind })
  }
  for (const [member, { required, expected }] of Object.entries(MODELS[model].fields)) {
    if ((required || expected) && !columns.has(member)) {
      throw new AdapterError(
        `The table "${name}" has no column "${columnName(model, member, names) ?? member}": name it in columns.${model}.${member}.`,
      )
    }
  }
  requireRoom(model, name, columns)
  return bindTable(sql, dialect, model, names, columns)
}

/** A value that is too long is refused at a sign-in, or cut and then never found again. */
function requireRoom(model: ModelName, table: string, columns: ReadonlyMap<string, BoundColumn>): void {
  for (const [member, { atLeast = 0 }] of Object.entries(MODELS[model].fields)) {
    const { name, length } = columns.get(member)?.column ?? { name: member, length: null }
    if (length === null || length >= atLeast) continue
    throw new AdapterError(
      `The column "${name}" of "${table}" holds ${length} characters, and needs ${atLeast}. "npx latchkey migrate up" widens it.`,
    )
  }
}

const howToMakeIt = (model: ModelName) =>
  `Make it with "npx latchkey migrate up" or migrateToLatest(); if it has another name, say so in tables.${model}.`

/** What to do about a column that the tables of Auth.js do not have. */
const howToAdd = (model: ModelName, member: string) =>
  `"npx latchkey migrate up" adds it; if it has another name, say so in columns.${model}.${member}.`

function bindTable(
  sql: SqlTag,
  dialect: Dialect,
  model: ModelName,
  names: SqlNames,
  columns: ReadonlyMap<string, BoundColumn>,
): Table {
  const { omitsNull } = MODELS[model]
  const reference = (column: BoundColumn, alias?: string) =>
    alias === undefined ? sql.id(column.column.name) : sql.id(alias, column.column.name)
  const read = (column: BoundColumn, alias?: string) => {
    const isDate = column.kind === 'date' || (column.kind === undefined && dialect.isDate(column.column))
    return isDate ? dialect.readDate(reference(column, alias), column.column) : reference(column, alias)
  }
  const requireColumn = (member: string) => {
    const column = columns.get(member)
    if (column) return column
    const remedy = MODELS[model].fields[member]?.added ? ` ${howToAdd(model, member)}` : ''
    throw new AdapterError(`The table "${tableName(model, names)}" has no column for ${member}.${remedy}`)
  }
  const isLeftOut = (member: string, value: unknown) => {
    const field = value === null ? MODELS[model].fields[member] : undefined
    return field !== undefined && (omitsNull || field.added === true)
  }

  return {
    reference: qualifiedName(sql, { schema: names.schema, table: tableName(model, names) }),
    columns,

    matching(lookup, alias) {
      const conditions: RawBuilder<boolean>[] = []
      for (const [member, value] of Object.entries(lookup)) {
        const column = requireColumn(member)
        const text = lookupText(value, column.column)
        if (text === null) return null
        conditions.push(dialect.equals(reference(column, alias), text))
      }
      return sql<boolean>`${sql.join(conditions, sql` and `)}`
    },

    holding(members) {
      const conditions: RawBuilder<boolean>[] = []
      for (const [member, value] of Object.entries(members)) {
        const column = columns.get(member)
        if (column && value === null) {
          conditions.push(sql<boolean>`${reference(column)} is null`)
        } else if (column && typeof value === 'number') {
          conditions.push(sql<boolean>`${reference(column)} = ${encode(value, column, dialect)}`)
        } else if (value !== null) {
          const text = column ? (value === '' ? value : lookupText(value, column.column)) : null
          if (!column || text === null) return null
          conditions.push(dialect.equals(reference(column), text))
        }
      }
      return conditions.length > 0 ? sql<boolean>`${sql.join(conditions, sql` and `)}` : sql<boolean>`1 = 1`
    },

    column: (member, alias) => reference(requireColumn(member), alias),

    selection: (alias, prefix = '') =>
      sql.join(
        [...columns].map(([member, column]) => sql`${read(column, alias)} as ${sql.id(prefix + member)}`),
        sql`, `,
      ),

    read: (row, prefix = '') =>
      Object.fromEntries(
        [...columns]
          .map(([member, column]) => [member, decode(row[prefix + member], column, dialect)] as const)
          .filter(([member, value]) => !isLeftOut(member, value)),
      ),

    write: (members) =>
      Object.entries(members).flatMap(([member, value]) => {
        const column = columns.get(member)
        if (value === undefined || !column?.column.writable) return []
        return [[reference(column), encode(value, column, dialect)] satisfies [RawBuilder<unknown>, unknown]]
      }),
  }
}

/** The name of a table with its schema, as part of a statement. */
export const qualifiedName = (sql: SqlTag, { schema, table }: TablePlace): RawBuilder<unknown> =>
  schema === undefined ? sql.id(table) : sql.id(schema, table)
