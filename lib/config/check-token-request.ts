import { InvalidConfiguration } from '../errors.js'
import { scopeShape } from '../sessions/scope.js'
import type { TokenRequest } from '../sessions/session.js'
import { object } from '../shapes/object-shape.js'
import { type Shape, seconds } from '../shapes/shape.js'
import { checkCallOptions } from './check-call-options.js'

const SECONDS = seconds(1)

const maxAge: Shape<number> = {
  ...SECONDS,
  expected: 'a whole number of seconds, at least 1',
  fits: (value) => SECONDS.fits(value) && Number.isInteger(value),
}

/** The list of sessions shows it. */
const name: Shape<string> = {
  expected: 'a text of 1 to 100 characters, without control characters',
  fits: (value) => typeof value === 'string' && /^\P{C}{1,100}$/u.test(value) && value.trim() !== '',
}

const TOKEN_REQUEST = object<TokenRequest>({ maxAge, scope: scopeShape, name })

/**
 * Refuses what an application asks for wrongly when it issues a token. Nothing is assumed in place of a missing `maxAge`: a
 * variable that is not set must not make a token that lasts.
 *
 * @param call the call that has the options, for the message
 * @throws {InvalidConfiguration}
 */
export function checkTokenRequest(wanted: TokenRequest, call: string): void {
  checkCallOptions(wanted, TOKEN_REQUEST, call)
  if (wanted.maxAge !== undefined) return
  throw new InvalidConfiguration(`\`maxAge\` is missing; it must be ${maxAge.expected}. Call it: ${call}.`)
}
