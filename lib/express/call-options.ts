import { InvalidConfiguration } from '../errors.js'
import { isPageAddress } from '../http/return-target.js'
import type { Shape } from '../shapes/shape.js'
import type { Nothing } from './middleware.js'

/** The address of a page, as in `pages` of the configuration. */
export const pageAddress: Shape<string> = {
  expected: 'a path that begins with one /, or an http(s) URL',
  fits: (value) => typeof value === 'string' && isPageAddress(value),
}

/**
 * The name of an option of sessions. It is sometimes written by mistake in options of a call, which have the age of a
 * sign-in under another name.
 */
export const MAX_AGE =
  'is unknown here. Did you mean `maxAuthAge`? How long a session lasts is `session.maxAge` of the configuration.'

/**
 * Refuses options of a function that has none, such as options of a guard that are given to a function that guards nothing.
 *
 * @throws {InvalidConfiguration}
 */
export function checkNothing(given: Nothing, call: string): void {
  if (given.every((each) => each === undefined)) return
  throw new InvalidConfiguration(
    `${call} takes nothing beside the configuration. A guard has options: requireAuth(config, options).`,
  )
}
