import { isPlainObject } from './describe-value.js'

/**
 * A deep copy of plain data: strings, numbers, booleans, dates, arrays, and object literals of those. Undefined if the
 * value has anything else in it.
 */
export const copyOf = (value: unknown): unknown => (isPlainData(value) ? structuredClone(value) : undefined)

function isPlainData(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function' && typeof value !== 'symbol'
  if (Array.isArray(value)) return value.every(isPlainData)
  if (value instanceof Date) return Object.getPrototypeOf(value) === Date.prototype
  if (!isPlainObject(value)) return false
  const members = Object.values(Object.getOwnPropertyDescriptors(value))
  return members.every(({ get, value: member }) => !get && isPlainData(member))
}
