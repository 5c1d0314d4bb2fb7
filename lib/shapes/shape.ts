import { describeValue, isPlainObject, remedyFor } from './describe-value.js'
import { nearestName } from './nearest-name.js'

/** Something that is wrong with a value, at one place in it. */
export interface Problem {
  /** Where: names of members with dots between, and places in lists, `cookies.state.name`, `providers[0]`. */
  readonly path: string
  /** Whole sentences: what was found, what belongs there, and the fix. They begin with the place, in backticks. */
  readonly message: string
  /**
   * `value`: no code may rely on what stands there. `name`: a member that nobody knows, beside others that are sound. `unused`: one that has no effect and
   * does no harm.
   */
  readonly kind: 'value' | 'name' | 'unused'
}

/**
 * What a value must look like. `T` is the type that it stands for: a table of shapes for a type does not compile when a member of
 * the type is missing in it, or has another type there.
 */
// biome-ignore lint/suspicious/noExplicitAny: a shape of whatever type
export interface Shape<in out T = any> {
  /** Completes "it must be …": `a function`. */
  readonly expected: string
  /** Whether a value is of this kind at all, so that its members are worth looking at. */
  readonly fits: (value: unknown) => boolean
  /** What is wrong inside of a value that fits; nothing inside is looked at when absent. */
  readonly inside?: (value: unknown, path: string) => readonly Problem[]
  /** What to do about a value that does not fit; begins with a blank where there is something to say. */
  readonly remedy?: (value: unknown) => string
  /** A short word or a number that stands here is no secret, and may be repeated in a message. */
  readonly isPublic?: true
  /** The shapes of the members, for an object whose members are known. */
  readonly members?: Readonly<Record<string, Shape>>
  /** Never there: it holds the type. */
  readonly type?: (value: T) => T
}

// biome-ignore lint/suspicious/noExplicitAny: any function
type AnyFunction = (...args: any) => unknown
/** What a function is given and gives shows only when it is called, and nobody writes to a list. */
type Leaf<T> = T extends AnyFunction ? AnyFunction : T extends readonly (infer Item)[] ? Item[] : T
/** Members with a name; not those under symbols, and not "any other". */
type Named<Name> = Name extends string ? (string extends Name ? never : Name) : never

/** A shape for every member of a type, the optional ones too. */
export type ShapesOf<T> = { readonly [Name in keyof T as Named<Name>]-?: Shape<Leaf<Exclude<T[Name], undefined>>> }

/** Everything that is wrong with a value. Undefined counts as absent, and nothing is wrong with that. */
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

/** A place in a value, as messages name it. */
export const quoted = (path: string): string => `\`${path}\``

function describe(value: unknown, { isPublic }: Shape): string {
  if (isPublic && typeof value === 'number') return String(value)
  return isPublic && isText(value) && /^[\w-]{1,20}$/.test(value) ? `"${value}"` : describeValue(value)
}

/** Whatever stands there: an application's own, or something that is checked elsewhere. */
export const anything: Shape = { expected: 'anything', fits: () => true }

const isText = (value: unknown): value is string => typeof value === 'string'

export const text: Shape<string> = { expected: 'a string', fits: isText }

export const call: Shape<AnyFunction> = {
  expected: 'a function',
  fits: (value) => typeof value === 'function',
}

export const flag: Shape<boolean> = {
  expected: 'a boolean, true or false',
  fits: (value) => typeof value === 'boolean',
  remedy: (value) => (isText(value) ? " What the environment holds is a string: compare it, as in x === 'true'." : ''),
}

/** A date that is one. */
export const date: Shape<Date> = {
  expected: 'a valid Date',
  fits: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
}

const A_HUNDRED_YEARS = 100 * 365 * 24 * 60 * 60

/** A number of seconds. Beyond a century it is one of milliseconds, or no date can hold what it leads to. */
export function seconds(least: number, { orInfinity = false, most = A_HUNDRED_YEARS } = {}): Shape<number> {
  return {
    expected: `a number of seconds, at least ${least}${orInfinity ? ', or Infinity' : ''}`,
    fits: (value) =>
      typeof value === 'number' &&
      ((value >= least && value <= most) || (orInfinity && value === Number.POSITIVE_INFINITY)),
    isPublic: true,
    remedy: (value) => (typeof value === 'number' && value > most ? ` At most ${most}, ${inWords(most)}.` : ''),
  }
}

const inWords = (most: number) => (most === A_HUNDRED_YEARS ? 'a hundred years' : 'not milliseconds')

/** How long a call of a store may take. Nobody waits for ten minutes: who writes more than that means milliseconds. */
export const timeLimit: Shape<number> = seconds(0.001, { orInfinity: true, most: 600 })

/** A whole number, not below zero. */
export const count: Shape<number> = {
  expected: 'a number, whole and at least 0',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  isPublic: true,
}

/** One value that nothing else can stand for. */
export const marker = <T extends symbol>(symbol: T, name: string): Shape<T> => ({
  expected: `the marker ${quoted(name)} that this package exports`,
  fits: (value) => value === symbol,
})

/** Any of several values. */
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

/** A shape for texts in whatever case. */
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
 * A list of values that have one shape.
 *
 * @param items what it is a list of: `strings`
 */
export function listOf<T>(item: Shape<T>, items: string): Shape<T[]> {
  return {
    expected: `a list of ${items}`,
    fits: Array.isArray,
    inside: (value, path) =>
      Array.from(value as unknown[], (each, index) => itemProblems(each, item, `${path}[${index}]`)).flat(),
  }
}

/** A list has no optional members: what is undefined in it was meant to be something. */
const itemProblems = (value: unknown, item: Shape, path: string): readonly Problem[] =>
  value === undefined && item !== anything
    ? [{ kind: 'value', path, message: `${quoted(path)} is undefined; it must be ${item.expected}.` }]
    : problemsOf(value, item, path)

/** An object literal with members of any name and one shape. */
export function recordOf<T>(member: Shape<T>): Shape<Record<string, T>> {
  return {
    expected: 'an object',
    fits: isPlainObject,
    inside: (value, path) =>
      Object.entries(value as object).flatMap(([name, each]) => problemsOf(each, member, `${path}.${name}`)),
  }
}
