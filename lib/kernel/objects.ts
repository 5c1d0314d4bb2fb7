import { isPlainObject } from './describe-value.js'
import { memberOf } from './errors.js'

/**
 * An object that the application or an adapter gave, with its members where a spread and JSON find them. Classes of ORMs,
 * such as those of Mongoose and Sequelize, have members as getters, which both leave out.
 *
 * @returns a copy with the same class; the object itself if it has no getters
 */
export function membersOf<Value extends object>(value: Value): Value {
  const found: Record<string, unknown> = {}
  for (let at = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at)) {
    // The last one is Object.prototype, perhaps that of another realm.
    if (Object.getPrototypeOf(at) === null) break
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (!get || name.startsWith('$') || Object.hasOwn(found, name)) continue
      const member = memberOf(value, name)
      if (isData(member)) found[name] = member
    }
  }
  if (Object.keys(found).length === 0) return value
  const own = Object.getOwnPropertyDescriptors({ ...found, ...value })
  return Object.create(Object.getPrototypeOf(value), own) as Value
}

/** Not a connection, a schema or a function, which such classes have beside the members of a row. */
const isData = (member: unknown): boolean =>
  typeof member === 'object' && member !== null
    ? Array.isArray(member) || isPlainObject(member) || 'toJSON' in member
    : member !== undefined && typeof member !== 'function'

/** What a table has under a name that anybody may have made up; undefined for nothing, also for what every object inherits. */
export const ownMember = <T>(table: Readonly<Record<string, T>> | undefined, name: string | null | undefined) =>
  table && typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined

/** For `JSON.stringify`, which refuses a BigInt: stores that number their users may give one. */
export const bigIntAsText = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

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

/**
 * A copy of an object without the members that are undefined. An option that is undefined, for example because a variable
 * is unset, counts as absent. If it were spread over a default, it would replace the default.
 */
export const withoutUndefined = <T extends object>(value: T | undefined): T =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, member]) => member !== undefined)) as T

/** An object with the same value under each name, such as one shape for several members. */
export const underEach = <const Name extends string, Value>(names: readonly Name[], value: Value) =>
  Object.fromEntries(names.map((name) => [name, value])) as Readonly<Record<Name, Value>>
