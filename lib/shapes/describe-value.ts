/** Whether a value is an object literal: not an array, a class instance, a key or a function. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Not by comparison with Object.prototype: test runners and plugins have realms with one of their own.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Whether a value is a promise, of whatever library. */
export const isPromise = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** Whether a value is what `import * as` gives, or what a bundler makes of it. */
export const isModule = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ('__esModule' in value || Object.prototype.toString.call(value) === '[object Module]')

/**
 * What a value is, in words that never hold what may be secret: no string, no number, nothing of an object's members.
 */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string'
  if (typeof value !== 'object') return `a ${typeof value}`
  if (Array.isArray(value)) return 'a list'
  if (isPromise(value)) return 'a promise'
  if (isModule(value)) return 'a module'
  if (isPlainObject(value)) return 'an object'
  const { constructor: made } = value
  return typeof made === 'function' && made.name !== '' ? `an instance of ${made.name}` : 'an object'
}

/** [object Date], [object Response]: what is named so is no record of members, however it was derived. Null for a class that the application declares. */
function platformName(value: object): string | null {
  const name = value instanceof Error ? 'Error' : Object.prototype.toString.call(value).slice('[object '.length, -1)
  return name === 'Object' ? null : name
}

/** Whether a value is an object with members: no array, and no Error, Date, Response, Map or other object that is something else. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  (isBare(value) || platformName(value) === null)

/** An object literal of this realm, whatever it calls itself. */
function isBare(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** What to do about values that come up by one mistake or another; begins with a blank where there is something to say. */
export function remedyFor(value: unknown): string {
  if (isPromise(value)) return ' Await it.'
  if (isModule(value)) return ' Give what it exports, such as its default.'
  if (value === null) return ' Leave it out, or write undefined.'
  return ''
}
