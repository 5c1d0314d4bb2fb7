import { AdapterError } from '../../kernel/errors.js'
import { membersOf } from '../../kernel/objects.js'

/**
 * Encodes a row as the fields of a Redis hash. Each member is JSON, except dates, which are `@` and the date in ISO
 * 8601. JSON never begins with `@`. Undefined members are left out. Dates inside other values are read as text.
 */
export function encodeRow(row: object): string[] {
  return Object.entries(membersOf(row)).flatMap(([name, value]) =>
    value === undefined ? [] : [name, encodeValue(value)],
  )
}

/** One member of a row, as {@link encodeRow} writes it. */
export const encodeValue = (value: unknown): string =>
  value instanceof Date ? `@${value.toISOString()}` : JSON.stringify(typeof value === 'bigint' ? String(value) : value)

/** The row of a hash; null if there is no hash. Redis has no hashes without fields. */
export function decodeRow<Row>(fields: Record<string, string>): Row | null {
  const entries = Object.entries(fields)
  if (entries.length === 0) return null
  return Object.fromEntries(entries.map(([name, text]) => [name, decodeValue(text)])) as Row
}

/** Decodes a row, as {@link decodeRow}, from the flat list of names and values that a script gives. */
export function decodeReply<Row>(reply: unknown): Row | null {
  const list = (reply ?? []) as string[]
  const fields = Object.fromEntries(list.flatMap((name, index) => (index % 2 ? [] : [[name, list[index + 1] ?? '']])))
  return decodeRow<Row>(fields)
}

const decodeValue = (text: string): unknown => (text.startsWith('@') ? new Date(text.slice(1)) : JSON.parse(text))

/** The command and the time that set no expiry. */
export const NO_EXPIRY = ['', ''] as const

/** The command and the time that set an expiry, for the scripts that write rows. */
export const expiryOf = (expires: Date | undefined) =>
  expires ? (['PEXPIREAT', String(expires.getTime())] as const) : NO_EXPIRY

/** The row as a later read gives it. */
export const stored = <Row extends object>(row: Row): Row =>
  required(decodeReply<Row>(encodeRow(row)), 'The row is empty.')

/** @throws {AdapterError} when there is no row */
export function required<Row>(row: Row | null, otherwise: string): Row {
  if (row === null) throw new AdapterError(otherwise)
  return row
}
