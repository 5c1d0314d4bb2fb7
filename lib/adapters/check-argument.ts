import { describeValue, remedyFor } from '../shapes/describe-value.js'
import { problemsOf, type Shape } from '../shapes/shape.js'

/** An argument of a function that makes an adapter. */
export interface Argument {
  /** How the function is called, which ends what is said: `redisAdapter({ url }, { prefix })`. */
  readonly call: string
  /** What stands there, with its verb: `The options are`. */
  readonly subject: string
}

/**
 * What is wrong with an argument, in sentences, by name and type. An option that nobody knows would be passed over, and what it asks for would not be done:
 * two applications would share the rows that a prefix was to keep apart.
 *
 * @returns null when all is well
 */
export function argumentProblems(value: unknown, shape: Shape, { call, subject }: Argument): string | null {
  const found = shape.fits(value)
    ? problemsOf(value, shape, '').map(({ message }) => message)
    : [`${subject} ${describeValue(value)}; what belongs there is ${shape.expected}.${remedyFor(value)}`]
  return found.length === 0 ? null : `${found.join(' ')} Call it: ${call}.`
}
