import { InvalidConfiguration } from '../errors.js'
import { isPageAddress } from '../http/callback-url.js'
import { describeValue, remedyFor } from '../shapes/describe-value.js'
import type { ForeignMember } from '../shapes/object-shape.js'
import { problemsOf, type Shape } from '../shapes/shape.js'
import type { Nothing } from './middleware.js'

/** The address of a page, as in `pages` of the configuration. */
export const pageAddress: Shape<string> = {
  expected: 'a path that begins with one /, or an http(s) URL',
  fits: (value) => typeof value === 'string' && isPageAddress(value),
}

/**
 * The name that stands for the age of a session in the configuration, and for nothing in options that are about the age
 * of a sign-in.
 */
export const MAX_AGE: ForeignMember = {
  message:
    'is unknown here. Did you mean `maxAuthAge`? How long a session lasts is `session.maxAge` of the configuration.',
}

/**
 * Refuses options of a call that are unknown or of a wrong type: Latchkey would ignore them, and would not do what they
 * ask for.
 *
 * @param call how the function is called that was handed the options
 * @throws {InvalidConfiguration}
 */
export function checkCallOptions(options: unknown, shape: Shape, call: string): void {
  if (!shape.fits(options)) {
    throw new InvalidConfiguration(
      `The options are ${describeValue(options)}; they must be an object.${remedyFor(options)} Call it: ${call}.`,
    )
  }
  const problems = problemsOf(options, shape, '').filter(({ kind }) => kind !== 'unused')
  if (problems.length === 0) return
  throw new InvalidConfiguration(`${problems.map(({ message }) => message).join(' ')} Call it: ${call}.`)
}

/**
 * Refuses options where there are none, as those of a guard that were handed to something that guards nothing.
 *
 * @throws {InvalidConfiguration}
 */
export function checkNothing(given: Nothing, call: string): void {
  if (given.every((each) => each === undefined)) return
  throw new InvalidConfiguration(
    `${call} takes nothing beside the configuration. A guard has options: requireAuth(config, options).`,
  )
}
