import { types } from 'node:util'

/** Whether a value is an object literal. An array, an instance of a class, a key and a function are not. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === null || isObjectPrototype(prototype)
}

/** Not compared with Object.prototype: test runners and plugins run code in other realms, which have their own. */
export const isObjectPrototype = (value: object): boolean =>
  Object.getPrototypeOf(value) === null && Object.hasOwn(value, 'isPrototypeOf')

/** Also for errors of other realms, as those of Node in test runners. In Node 20 a DOMException is no native error. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || types.isNativeError(value) || value instanceof DOMException

/** Whether a value is a promise, of Node or of a library. */
export const isPromise = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** Whether a value is the namespace object of a module, as from `import * as`, or what a bundler makes of one. */
export const isModule = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ('__esModule' in value || Object.prototype.toString.call(value) === '[object Module]')

/**
 * Says what kind of value it is. The text has no string, no number and no member of the value, which may be secret.
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

/**
 * The name of a class of the platform, such as `Date`, `Response` or `Error`, also for an instance of a class derived from
 * it. Null for an object literal, and for a class that the application declares.
 */
function platformName(value: object): string | null {
  const name = isError(value) ? 'Error' : Object.prototype.toString.call(value).slice('[object '.length, -1)
  return name === 'Object' ? null : name
}

/** Whether a value is an object with members. An array, and an instance of a class of the platform, such as Date, is not. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  (isPlainObject(value) || platformName(value) === null)

/** How to correct a value that comes from a frequent mistake; begins with a blank. Empty for other values. */
export function remedyFor(value: unknown): string {
  if (isPromise(value)) return ' Await it.'
  if (isModule(value)) return ' Give what it exports, such as its default.'
  if (value === null) return ' Leave it out, or write undefined.'
  return ''
}

const HOUR = 60 * 60
const DAY = 24 * HOUR

/**
 * Says how long a number of seconds is, and what to write if it was meant as milliseconds: `86400000 seconds, which is 1000
 * days. It is in seconds, not in milliseconds: 1 day is 86400.`
 */
export const inDays = (seconds: number): string =>
  `${seconds} seconds, which is ${inWords(seconds)}. It is in seconds, not in milliseconds: ${inWords(seconds / 1000)} ${isOne(seconds / 1000) ? 'is' : 'are'} ${Math.round(seconds / 1000)}.`

function inWords(seconds: number): string {
  const [length, unit] = unitOf(seconds)
  return `${rounded(seconds / length)} ${unit}${isOne(seconds) ? '' : 's'}`
}

const unitOf = (seconds: number): [length: number, unit: string] =>
  seconds >= DAY ? [DAY, 'day'] : seconds >= HOUR ? [HOUR, 'hour'] : seconds >= 60 ? [60, 'minute'] : [1, 'second']

/** One digit after the point for small numbers, and none for large ones. */
const rounded = (count: number) => (count < 10 ? Math.round(count * 10) / 10 : Math.round(count))

const isOne = (seconds: number) => rounded(seconds / unitOf(seconds)[0]) === 1
