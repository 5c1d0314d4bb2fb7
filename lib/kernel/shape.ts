import { types } from 'node:util'
import { describeValue, inDays, isPlainObject, remedyFor } from './describe-value.js'
import { type AuthError, InvalidConfiguration } from './errors.js'
import { namesIn } from './inherited.js'
import { nearestName } from './nearest-name.js'

/** Something that is wrong at one place in a value. */
export interface Problem {
  /** The place: names of members and indexes of lists, as in `cookies.state.name` and `providers[0]`. */
  readonly path: string
  /** Sentences that say what was found, what is expected, and the fix. They begin with the path in backticks. */
  readonly message: string
  /**
   * `value`: the value has the wrong type, so no code may use it. `name`: the member is unknown; the other members can be
   * used.
   */
  readonly kind: 'value' | 'name'
}

/**
 * Describes the values that are allowed at one place. `T` is their type: a table of shapes for a type does not compile if a
 * member of the type is missing in the table, or has a shape of another type.
 */
// biome-ignore lint/suspicious/noExplicitAny: the shape of a value of any type; `unknown` cannot stand for it, because `T` is invariant
export interface Shape<in out T = any> {
  /** Completes "it must be …": `a function`. */
  readonly expected: string
  /** Whether a value has the right type. Its members are checked by `inside`. */
  readonly fits: (value: unknown) => boolean
  /** What is wrong with the members of a value that fits. Absent: the members are not checked. */
  readonly inside?: (value: unknown, path: string) => readonly Problem[]
  /** How to correct a value that does not fit; begins with a blank, or is empty. */
  readonly remedy?: (value: unknown) => string
  /** Whether the value is never secret: then a message may have it, if it is a number or a short word. */
  readonly isPublic?: true
  /**
   * Whether the absence of the value means that there is no limit, or that nothing is required. A member with such a shape that is present,
   * and undefined or null, is refused: a variable that is not set must not switch a limit off.
   */
  readonly isLimit?: true
  /** The shapes of the members, for an object whose members are known. */
  readonly members?: Readonly<Record<string, Shape>>
  /** The shape of every other member, for an object whose members may have any name. */
  readonly each?: Shape
  /** Never set. It only makes the compiler compare `T`. */
  readonly type?: (value: T) => T
}

type AnyFunction = (...args: never) => unknown
/** Parameters and results of functions cannot be checked before the call, and `readonly` makes no difference. */
type Leaf<T> = T extends AnyFunction ? AnyFunction : T extends readonly (infer Item)[] ? Item[] : T
/** Names of members. Symbols and index signatures are left out. */
type Named<Name> = Name extends string ? (string extends Name ? never : Name) : never

/** A shape for every member of a type, the optional ones too. */
export type ShapesOf<T> = { readonly [Name in keyof T as Named<Name>]-?: Shape<Leaf<Exclude<T[Name], undefined>>> }

/** Everything that is wrong with a value. Undefined counts as absent, which is always allowed. */
export function problemsOf(value: unknown, shape: Shape, path: string): readonly Problem[] {
  if (value === undefined) return []
  if (shape.fits(value)) return shape.inside?.(value, path) ?? []
  const remedy = remedyFor(value) || (shape.remedy?.(value) ?? '')
  return [
    {
      kind: 'value',
      path,
      message: `${quoted(path)} is ${describe(value, shape)}; it must be ${shape.expected}.${remedy}`,
    },
  ]
}

/**
 * Everything that is wrong with a member of an object. Undefined counts as absent, except where absence means no limit.
 */
export function memberProblems(owner: object, name: string, shape: Shape, path: string): readonly Problem[] {
  const value = (owner as Record<string, unknown>)[name]
  const isMissing = (value === undefined || value === null) && !shape.fits(value)
  if (!isMissing || !shape.isLimit || !(name in owner)) return problemsOf(value, shape, path)
  const message = `${quoted(path)} is ${value}, which would be no limit; it must be ${shape.expected}. Leave it out if there is none.`
  return [{ kind: 'value', path, message }]
}

/** A path in backticks, as messages have it. */
export const quoted = (path: string): string => `\`${path}\``

function describe(value: unknown, { isPublic }: Shape): string {
  if (isPublic && typeof value === 'number') return String(value)
  return isPublic && isText(value) && /^[\w-]{1,20}$/.test(value) ? `"${value}"` : describeValue(value)
}

/** Any value: data of the application, or something that other code checks. */
export const anything: Shape = { expected: 'anything', fits: () => true }

const isText = (value: unknown): value is string => typeof value === 'string'

export const text: Shape<string> = { expected: 'a string', fits: isText }

export const call: Shape<AnyFunction> = {
  expected: 'a function',
  fits: (value) => typeof value === 'function',
}

/** `false`, in place of options: the feature is off. */
export const off: Shape<false> = { expected: 'false', fits: (value) => value === false }

export const flag: Shape<boolean> = {
  expected: 'a boolean, true or false',
  fits: (value) => typeof value === 'boolean',
  remedy: (value) =>
    isText(value) && /^(?:true|false|yes|no|on|off|[01]?)$/i.test(value.trim())
      ? " A variable of the environment is a string: compare it, as in x === 'true'."
      : '',
}

/** A Date whose time is a number. */
export const date: Shape<Date> = {
  expected: 'a valid Date',
  fits: (value) => types.isDate(value) && !Number.isNaN(value.getTime()),
}

const A_HUNDRED_YEARS = 100 * 365 * 24 * 60 * 60

/**
 * A number of seconds. A number of more than a hundred years is refused: it was probably meant as milliseconds, and a date
 * that is computed with it may be invalid.
 */
export function seconds(least: number, { orInfinity = false, most = A_HUNDRED_YEARS } = {}): Shape<number> {
  return {
    expected: `a number of seconds, at least ${least}${orInfinity ? ', or Infinity' : ''}`,
    fits: (value) =>
      typeof value === 'number' &&
      ((value >= least && value <= most) || (orInfinity && value === Number.POSITIVE_INFINITY)),
    isPublic: true,
    remedy: (value) => (typeof value === 'number' && value > most ? tooLong(value, most) : ''),
  }
}

/** The length in days, which shows at once that milliseconds were written. */
const tooLong = (value: number, most: number) =>
  ` At most ${most === A_HUNDRED_YEARS ? 'a hundred years' : most}.${Number.isFinite(value) ? ` It was given ${inDays(value)}` : ''}`

/** A number of seconds that limits something, which has no limit without it; `Infinity` says so. */
export const secondsLimit = (least: number): Shape<number> => limit(seconds(least, { orInfinity: true }))

/** A shape for an option whose absence means that there is no limit, or that nothing is required. */
export const limit = <T>(shape: Shape<T>): Shape<T> => ({ ...shape, isLimit: true })

/** How long a call of a store may take, in seconds. A number over ten minutes was probably meant as milliseconds. */
export const timeLimit: Shape<number> = seconds(0.001, { orInfinity: true, most: 600 })

/** A whole number, at least 0. */
export const count: Shape<number> = {
  expected: 'a number, whole and at least 0',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  isPublic: true,
}

/** One symbol, which the package exports under a name. */
export const marker = <T extends symbol>(symbol: T, name: string): Shape<T> => ({
  expected: `the marker ${quoted(name)} that this package exports`,
  fits: (value) => value === symbol,
})

/** One of several strings. */
export function oneOf<const T extends string>(...choices: T[]): Shape<T> {
  return {
    expected: choices.map((choice) => `"${choice}"`).join(' or '),
    fits: (value) => (choices as readonly unknown[]).includes(value),
    isPublic: true,
    remedy(value) {
      const meant = isText(value) ? nearestName(value, choices) : undefined
      return meant === undefined ? '' : ` Did you mean "${meant}"?`
    },
  }
}

/** A shape for which the case of a string makes no difference. */
export const caseless = <T>(shape: Shape<T>): Shape<T> => ({
  ...shape,
  fits: (value) => shape.fits(isText(value) ? value.toLowerCase() : value),
})

/** A value of either shape. */
export function either<A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> {
  return {
    expected: `${one.expected}, or ${other.expected}`,
    fits: (value) => one.fits(value) || other.fits(value),
    inside: (value, path) => (one.fits(value) ? one : other).inside?.(value, path) ?? [],
    remedy: (value) => one.remedy?.(value) || (other.remedy?.(value) ?? ''),
    ...((one.isPublic || other.isPublic) && { isPublic: true as const }),
    ...((other.members ?? one.members) && { members: other.members ?? one.members }),
  }
}

/**
 * A list of values of one shape.
 *
 * @param items the plural that messages have: `strings`
 */
export function listOf<T>(item: Shape<T>, items: string): Shape<T[]> {
  return {
    expected: `a list of ${items}`,
    fits: Array.isArray,
    inside: (value, path) =>
      Array.from(value as unknown[], (each, index) => itemProblems(each, item, `${path}[${index}]`)).flat(),
  }
}

/** An item of a list is not optional: if it is undefined, something was forgotten. */
const itemProblems = (value: unknown, item: Shape, path: string): readonly Problem[] =>
  value === undefined && item !== anything
    ? [{ kind: 'value', path, message: `${quoted(path)} is undefined; it must be ${item.expected}.` }]
    : problemsOf(value, item, path)

/** An object literal whose members may have any name, and all have one shape. */
export function recordOf<T>(member: Shape<T>): Shape<Record<string, T>> {
  return {
    expected: 'an object',
    fits: isPlainObject,
    each: member,
    inside: (value, path) =>
      namesIn(value as object).flatMap((name) =>
        problemsOf((value as Record<string, unknown>)[name], member, `${path}.${name}`),
      ),
    remedy: (value) =>
      typeof value === 'object' && !Array.isArray(value)
        ? ' Write it as an object literal: what an object inherits is not read here.'
        : '',
  }
}

/** A finding about an option of the configuration: an error whose message also says how to correct it. */
export const invalid = (message: string): AuthError => new InvalidConfiguration(message)

/** What may be wrong, each as a sentence; nothing in its place where it is right. */
export type Problems = readonly (string | false | null | undefined)[]

/** The errors for what is wrong. */
export const findingsOf = (problems: Problems, make: (problem: string) => AuthError = invalid): AuthError[] =>
  problems.flatMap((problem) => (problem ? [make(problem)] : []))
