import { isObjectPrototype, isPlainObject } from './describe-value.js'

/** A part of a shape. */
interface Nested {
  readonly members?: Readonly<Record<string, Nested>>
  readonly each?: Nested
  readonly fits?: (value: unknown) => boolean
}

/**
 * The names of all members, also inherited and hidden ones, but for members of an object literal that are undefined. Those of an
 * instance of a class are not read: that could call a getter.
 */
export function namesIn(value: object): readonly string[] {
  const names = new Set<string>()
  for (let from: object | null = value; from && !isObjectPrototype(from); from = Object.getPrototypeOf(from))
    for (const name of Object.getOwnPropertyNames(from)) if (from === value || name !== 'constructor') names.add(name)
  // Compilers put it on modules.
  names.delete('__esModule')
  return [...names].filter((name) => !isPlainObject(value) || value[name] !== undefined)
}

/** A value with {@link namesIn} as members of its own, as deep as the shape goes. */
export function withInherited<T>(value: T, { members, each, fits }: Nested = { members: {} }): T {
  if (!(members || each) || typeof value !== 'object' || !value || Array.isArray(value) || fits?.(value) === false)
    return value
  const all = namesIn(value).map((name) => [name, withInherited(value[name as keyof T], members?.[name] ?? each ?? {})])
  return { ...value, ...Object.fromEntries(all) }
}
