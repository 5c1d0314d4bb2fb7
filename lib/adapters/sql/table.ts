import { types } from 'node:util'
import type { RawBuilder } from 'kysely'
import { AdapterError } from '../../kernel/errors.js'
import type { Connection } from './connect.js'
import type { Column, Dialect, SqlTag, TablePlace } from './dialects/dialect.js'
import type { Field } from './migrations/released.js'
import { columnName, MODELS, type ModelName, memberName, type RowOf, type SqlNames, tableName } from './models.js'

export type Row = Record<string, unknown>

/** Values that a row is looked up by, by member. */
export type Lookup = Readonly<Record<string, unknown>>

/** One table as it is in the database: which members it has, and how they are written and read. */
export type Table<Name extends ModelName = ModelName> = ReturnType<typeof bindTable<Name>>

/** The error of a table that is not in the database. */
export class MissingTable extends AdapterError {}

/**
 * Reads a table's columns from the database.
 *
 * @throws {MissingTable}
 * @throws {AdapterError} when a column is missing or too short
 */
export async function openTable<Name extends ModelName>(
  { sql, db, dialect }: Connection,
  model: Name,
  names: SqlNames,
): Promise<Table<Name>> {
  const name = tableName(model, names)
  const found = await dialect.columnsOf(db, { schema: names.schema, table: name })
  if (found.length === 0)
    throw new MissingTable(`There is no table "${name}". ${howToMakeIt(model)}`, { unsupported: true })
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

function bindTable<Name extends ModelName>(
  sql: SqlTag,
  dialect: Dialect,
  model: Name,
  names: SqlNames,
  columns: ReadonlyMap<string, BoundColumn>,
) {
  const { key, omitsNull } = MODELS[model]
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
    return field !== undefined && (omitsNull === true || field.added === true)
  }

  return {
    reference: qualifiedName(sql, { schema: names.schema, table: tableName(model, names) }),
    columns,
    /** The members that identify a row. */
    key,

    /** `a = ? and b = ?`; null when no row can match. */
    matching(lookup: Lookup, alias?: string): RawBuilder<boolean> | null {
      const conditions: RawBuilder<boolean>[] = []
      for (const [member, value] of Object.entries(lookup)) {
        const column = requireColumn(member)
        const text = lookupText(value, column.column)
        if (text === null) return null
        conditions.push(dialect.equals(reference(column, alias), text))
      }
      return sql<boolean>`${sql.join(conditions, sql` and `)}`
    },

    /**
     * Whether members have exactly these values: texts, numbers, or null for none. A member without a column has none.
     * Null when no row can match.
     */
    holding(members: Row): RawBuilder<boolean> | null {
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

    column: (member: string, alias?: string) => reference(requireColumn(member), alias),

    /** Every column, under the name of its member with a prefix. */
    selection: (alias?: string, prefix = '') =>
      sql.join(
        [...columns].map(([member, column]) => sql`${read(column, alias)} as ${sql.id(prefix + member)}`),
        sql`, `,
      ),

    /** The members of the contract are there, because {@link openTable} has checked their columns. */
    read: (row: Row, prefix = ''): RowOf[Name] & Row =>
      Object.fromEntries(
        [...columns]
          .map(([member, column]) => [member, decode(row[prefix + member], column, dialect)] as const)
          .filter(([member, value]) => !isLeftOut(member, value)),
      ) as RowOf[Name] & Row,

    /** Names and values to write, of the given members that the table has. */
    write: (members: Row): [RawBuilder<unknown>, unknown][] =>
      Object.entries(members).flatMap(([member, value]) => {
        const column = columns.get(member)
        if (value === undefined || !column?.column.writable) return []
        return [[reference(column), encode(value, column, dialect)]]
      }),
  }
}

/** The name of a table with its schema, as part of a statement. */
export const qualifiedName = (sql: SqlTag, { schema, table }: TablePlace): RawBuilder<unknown> =>
  schema === undefined ? sql.id(table) : sql.id(schema, table)

/** A member of a model and the column that holds it. */
export interface BoundColumn {
  readonly member: string
  readonly column: Column
  /** Undefined for columns that the application added. */
  readonly kind: Field['kind'] | undefined
}

/** Converts the value of a member for a statement: to a value that a driver can bind, or to an expression. */
export function encode(value: unknown, { member, column, kind }: BoundColumn, dialect: Dialect): unknown {
  if (value === null) return null
  if (kind === 'date') return dialect.writeDate(toDate(value, member), column)
  if (kind === 'integer') return toInteger(value)
  if (kind === 'boolean') return dialect.writeBoolean(Boolean(value))
  if (/^jsonb?$/.test(column.type)) return JSON.stringify(value)
  if (types.isDate(value)) return dialect.writeDate(value, column)
  if (typeof value === 'boolean') return kind === undefined ? dialect.writeBoolean(value) : String(value)
  // A NUL in a name of a provider must keep nobody out, and PostgreSQL refuses it. A key with one is refused as it is.
  if (typeof value === 'string') return kind === undefined || kind === 'text' ? value.replaceAll('\0', '') : value
  // As text: libsql would store the number 42 as "42.0" in a column of texts.
  if (typeof value === 'number' || typeof value === 'bigint') return kind === undefined ? value : String(value)
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value) && column.type.endsWith('[]')) return value
  // Never an object as it is: mysql2 writes those into the statement as `key` = value.
  return JSON.stringify(value) ?? null
}

/** Converts the value of a column to the member that the adapter contract describes. */
export function decode(value: unknown, { column, kind }: BoundColumn, dialect: Dialect): unknown {
  if (value === null || value === undefined) return null
  if (kind === 'id' && !(value instanceof Uint8Array)) return String(value)
  if (kind === 'integer') return Number(value)
  if (kind === 'boolean') return value === true || value === 't' || Number(value) === 1
  if (kind === 'date' || (kind === undefined && dialect.isDate(column))) return parseDate(value)
  // MySQL gives the values of binary columns as bytes.
  return kind !== undefined && value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value
}

/**
 * Converts the value of a look-up to a text that the column can be compared with; null if no row can match. Then the
 * database is not asked: it would find the integer 5 for "5 apples", or fail because of a NUL.
 */
function lookupText(value: unknown, column: Column): string | null {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
  if (typeof text !== 'string' || text === '' || !isStorable(text)) return null
  if (/^uuid/.test(column.type)) return /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text) ? text : null
  const limit = integerLimit(column.type)
  if (limit === null) return text
  return /^-?(?:0|[1-9]\d{0,18})$/.test(text) && absolute(BigInt(text)) <= limit ? text : null
}

/**
 * Whether a text has no NUL, which PostgreSQL refuses, and no half of a surrogate pair, which every database replaces.
 */
const isStorable = (text: string) => !text.includes('\0') && !/\p{Surrogate}/u.test(text)

const absolute = (value: bigint) => (value < 0n ? -value : value)

function integerLimit(type: string): bigint | null {
  if (/^(?:bigint|int8|numeric|decimal)/.test(type)) return 2n ** 63n - 1n
  if (/^smallint|^int2/.test(type)) return 2n ** 15n - 1n
  return /^(?:int|mediumint|serial)/.test(type) ? 2n ** 31n - 1n : null
}

function toDate(value: unknown, member: string): Date {
  const date = value instanceof Date ? value : parseDate(value)
  if (Number.isNaN(date.getTime())) throw new AdapterError(`${member} is not a valid date`)
  return date
}

/** A token endpoint may give `expires_in` as text, or as a fraction. */
function toInteger(value: unknown): number | null {
  const number = Math.trunc(Number(value))
  return Number.isSafeInteger(number) ? number : null
}

function parseDate(value: unknown): Date {
  if (value instanceof Date) return value
  if (typeof value === 'number' || typeof value === 'bigint') return new Date(Math.round(Number(value)))
  // Applications have drivers give dates of libraries: Day.js and Moment have this method, others a text in ISO 8601.
  const { toISOString } = value as { toISOString?: () => string }
  const text = typeof toISOString === 'function' ? toISOString.call(value) : String(value).trim()
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return new Date(Math.round(Number(text)))
  // A text without a time zone is in UTC. JavaScript would read it as local time.
  return new Date(/(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(text.slice(10)) ? text : `${text.replace(' ', 'T')}Z`)
}
