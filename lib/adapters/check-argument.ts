import { describeValue, remedyFor } from '../shapes/describe-value.js'
import type { ForeignMember } from '../shapes/object-shape.js'
import { problemsOf, type Shape } from '../shapes/shape.js'

/** How messages speak of an argument. */
export interface Argument {
  /** What stands there, with its verb: `The options are`. */
  readonly subject: string
  /** A sentence that shows what belongs there, to end with. */
  readonly form?: string
}

/**
 * What is wrong with an argument of a function that makes an adapter, in sentences. An option that nobody knows would be passed over,
 * and what it asks for would not be done: two applications would share the rows that a prefix was to keep apart.
 *
 * @returns null when all is well
 */
export function argumentProblems(value: unknown, shape: Shape, { subject, form }: Argument): string | null {
  const found = shape.fits(value)
    ? problemsOf(value, shape, '').map(({ message }) => message)
    : [`${subject} ${describeValue(value)}; what belongs there is ${shape.expected}.${remedyFor(value)}`]
  return found.length === 0 ? null : [...found, ...(form === undefined ? [] : [form])].join(' ')
}

/** The same advice for several names. */
export const allForeign = (names: readonly string[], message: string): Readonly<Record<string, ForeignMember>> =>
  Object.fromEntries(names.map((name) => [name, { message }]))

/**
 * What is wrong with a member that says where the store is: mostly, it comes from a variable of the environment that nobody set.
 *
 * @returns null when it is a text
 */
export function placeProblem(name: string, value: unknown): string | null {
  if (typeof value === 'string' && value !== '') return null
  return `\`${name}\` is ${describeValue(value)}. Is the variable set that it comes from?`
}
