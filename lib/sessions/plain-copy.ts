import { isPlainObject } from '../shapes/describe-value.js'

/** A copy that shares nothing with a value of plain data: texts, numbers, dates, lists, and objects of those. Undefined for anything else in it. */
export function copyOf(value: unknown): unknown {
  try {
    return copied(value)
  } catch (error) {
    if (error === NOT_PLAIN) return undefined
    throw error
  }
}

const NOT_PLAIN = new TypeError('This is no plain data.')

function copied(value: unknown): unknown {
  if (typeof value === 'function') throw NOT_PLAIN
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copied)
  if (value instanceof Date && Object.getPrototypeOf(value) === Date.prototype) return new Date(value)
  if (!isPlainObject(value)) throw NOT_PLAIN
  const copy = Object.create(Object.getPrototypeOf(value)) as Record<string, unknown>
  for (const [name, { get, value: member }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (get) throw NOT_PLAIN
    // Defined, and not assigned: a member may be called __proto__.
    Object.defineProperty(copy, name, { value: copied(member), writable: true, enumerable: true, configurable: true })
  }
  return copy
}
