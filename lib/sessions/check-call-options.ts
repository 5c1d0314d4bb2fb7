import { describeValue, isPromise, remedyFor } from '../kernel/describe-value.js'
import { InvalidConfiguration } from '../kernel/errors.js'
import { object } from '../kernel/object-shape.js'
import { anything, problemsOf, type Shape, seconds } from '../kernel/shape.js'
import { usableId } from '../providers/profile-mapping.js'
import { scopeShape } from './session.js'
import type { TokenRequest } from './session-manager.js'

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

const TOKEN_REQUEST = object<TokenRequest & { readonly csrfToken?: unknown }>({
  maxAge,
  scope: scopeShape,
  name,
  csrfToken: anything,
})

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

/**
 * Refuses a value that is neither a configuration nor a function that returns one. If an application gives `requireAuth`
 * to Express without calling it, Express calls it with a request. A request would pass for a configuration in which all
 * options are missing.
 *
 * @param call how the function is called: `requireAuth(config)`
 * @throws {InvalidConfiguration}
 */
export function checkSource(source: unknown, call: string): void {
  const given = wrongSource(source)
  if (given !== null) throw new InvalidConfiguration(`${given}; call it: ${call}.`)
}

function wrongSource(source: unknown): string | null {
  if (source === undefined || source === null) return 'No configuration was given'
  // A function that makes a configuration has one parameter, the request. A middleware has more.
  if (typeof source === 'function') return source.length > 2 ? inPlace('A middleware') : null
  if (typeof source !== 'object') return inPlace(`A ${typeof source}`)
  if (Array.isArray(source)) return inPlace('A list')
  if ('setHeader' in source || ('headers' in source && 'status' in source)) return inPlace('A response')
  return 'headers' in source && 'method' in source ? inPlace('A request') : null
}

const inPlace = (what: string) => `${what} was given in place of the configuration`

/**
 * The id of a user as text, by which what is kept for them is found. A value that is no id, such as a promise or the text of
 * `undefined`, would change nothing, and the caller would not notice.
 *
 * @param call how the function is called: `deleteUser()`
 * @throws {InvalidConfiguration}
 */
export function requireUserId(userId: unknown, call: string): string {
  const id = usableId(userId)
  if (id !== null) return id
  const isWord = typeof userId === 'string' || typeof userId === 'number'
  const what = `${describeValue(userId)}${isWord ? ' that names nobody' : ''}`
  const remedy = isPromise(userId) ? remedyFor(userId) : ''
  throw new InvalidConfiguration(`${call} got ${what}. It needs the id of a user, a text or a whole number.${remedy}`)
}
