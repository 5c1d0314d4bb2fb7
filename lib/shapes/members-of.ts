import { memberOf } from '../errors.js'
import { isPlainObject } from './describe-value.js'

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

/** For `JSON.stringify`, which refuses a BigInt: stores that number their users may give one. */
export const bigIntAsText = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value
