import { isPlainObject, isRecord } from './describe-value.js'
import type { Shape } from './shape.js'

/**
 * The names of the members of an object. A member of an object literal that is undefined is left out. Members of an
 * instance of a class are not read, because that could call a getter.
 */
export function namesIn(value: object): readonly string[] {
  if (isPlainObject(value)) return Object.keys(value).filter((name) => value[name] !== undefined)
  const names = new Set(Object.keys(value))
  for (
    let from = value, next = Object.getPrototypeOf(from);
    next !== null;
    from = next, next = Object.getPrototypeOf(from)
  ) {
    for (const name of Object.getOwnPropertyNames(from)) if (name !== 'constructor') names.add(name)
  }
  return [...names]
}

/**
 * A value with what it inherits as members of its own, down to the members of members that have a shape. A spread, and code that
 * goes through all members, leave out the getters of an instance of a class.
 */
export function withInherited<T>(value: T, { members }: Pick<Shape, 'members'> = { members: {} }): T {
  if (!members || !isRecord(value)) return value
  const all = namesIn(value).map((name) => [name, withInherited(value[name as keyof T], members[name] ?? {})])
  return { ...value, ...Object.fromEntries(all) }
}
