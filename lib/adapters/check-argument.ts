import { describeValue, remedyFor } from '../kernel/describe-value.js'
import { problemsOf, type Shape } from '../kernel/shape.js'
import { serverUrlProblem } from '../kernel/urls.js'

/** How messages describe an argument. */
export interface Argument {
  /** The beginning of a sentence, with its verb: `The options are`. */
  readonly subject: string
  /** The last sentence of the message, which shows a correct call. */
  readonly form?: string
}

/**
 * What is wrong with an argument of a function that makes an adapter, in sentences. An unknown option is refused,
 * because otherwise it would have no effect: with a misspelt prefix, two applications would share their rows.
 *
 * @returns null if the argument is correct
 */
export function argumentProblems(value: unknown, shape: Shape, { subject, form }: Argument): string | null {
  const found = shape.fits(value)
    ? problemsOf(value, shape, '').map(({ message }) => message)
    : [`${subject} ${describeValue(value)}; what belongs there is ${shape.expected}.${remedyFor(value)}`]
  return found.length === 0 ? null : [...found, ...(form === undefined ? [] : [form])].join(' ')
}

/**
 * What is wrong with a member that says where the store is. In most cases it comes from a variable of the environment
 * that nobody has set.
 *
 * @returns null if it is a text and not empty, and as a URL it is whole
 */
export function placeProblem(name: string, value: unknown): string | null {
  if (typeof value === 'string' && value !== '') {
    const problem = name === 'url' ? serverUrlProblem(value) : null
    return problem === null ? null : `\`url\` ${problem}`
  }
  return `\`${name}\` is ${describeValue(value)}. Is the variable set that it comes from?`
}
