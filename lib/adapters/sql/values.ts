import { AdapterError } from '../../kernel/errors.js'
import type { Column, Dialect } from './dialects/dialect.js'
import type { Field } from './models.js'

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
  if (value instanceof Date) return dialect.writeDate(value, column)
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
export function lookupText(value: unknown, column: Column): string | null {
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
