import { InvalidConfiguration } from '../errors.js'
import { describeValue, remedyFor } from '../shapes/describe-value.js'
import { problemsOf, type Shape } from '../shapes/shape.js'

/**
 * Refuses options of a call that are unknown or have a wrong type. Otherwise Latchkey would ignore them silently.
 *
 * @param call the call that has the options, for the message
 * @throws {InvalidConfiguration}
 */
export function checkCallOptions(options: unknown, shape: Shape, call: string): void {
  if (!shape.fits(options)) {
    throw new InvalidConfiguration(
      `The options are ${describeValue(options)}; they must be an object.${remedyFor(options)} Call it: ${call}.`,
    )
  }
  const problems = problemsOf(options, shape, '')
  if (problems.length === 0) return
  throw new InvalidConfiguration(`${problems.map(({ message }) => message).join(' ')} Call it: ${call}.`)
}
