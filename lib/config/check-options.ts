import { type CookieOption, isForOtherSites, serializeCookie } from '../kernel/cookies.js'
import { describeValue, isError, remedyFor } from '../kernel/describe-value.js'
import type { AuthError } from '../kernel/errors.js'
import { nearestName } from '../kernel/nearest-name.js'
import { invalid, problemsOf } from '../kernel/shape.js'
import { OPTION_NAMES, OPTIONS } from './option-shapes.js'
import type { AuthConfig, CookiesOptions } from './options.js'

const NO_PROVIDERS =
  '`providers` is missing. List the ways to sign in: providers: [GitHub]. If nobody signs in, write providers: [].'

/**
 * Checks the names and types of all options, down to the members of members. In `sound` are those that have no wrong value in them, and
 * so their types; in `faulty` the names of the others.
 */
export function checkOptions(options: AuthConfig) {
  if (!OPTIONS.fits(options)) {
    const message = `The configuration is ${describeValue(options)}; it must be an object.${remedyFor(options)}`
    return { findings: [invalid(message)], sound: { providers: [] }, faulty: new Set(OPTION_NAMES) }
  }
  const problems = problemsOf(options, OPTIONS, '')
  const faulty = new Set(problems.filter(({ kind }) => kind === 'value').map(({ path }) => outermost(path)))
  const sound = OPTION_NAMES.filter((name) => !faulty.has(name)).map((name) => [name, options[name]])
  return {
    findings: [
      ...problems.map(({ message }) => invalid(message)),
      ...(options.providers === undefined && !isProvidersMisspelt(options) ? [invalid(NO_PROVIDERS)] : []),
    ],
    sound: faulty.size === 0 ? options : Object.fromEntries(sound),
    faulty,
  }
}

const outermost = (path: string) => path.split(/[.[]/, 1)[0] ?? ''

/** Whether the name was misspelt. The misspelling is a finding already, so there is no finding that providers are missing. */
const isProvidersMisspelt = (options: object) =>
  Object.keys(options).some((name) => nearestName(name, ['providers']) !== undefined)

/** What is wrong with the names and attributes that the application gives to cookies. */
export function checkCookies(cookies: Partial<CookiesOptions>): AuthError[] {
  return Object.entries(cookies).flatMap(([key, cookie]): AuthError[] => {
    const problem = typeof cookie === 'object' ? (cookieProblem(cookie) ?? ownHostProblem(key, cookie)) : null
    return problem === null ? [] : [invalid(`\`cookies.${key}\` ${problem}`)]
  })
}

/** That nobody adds to another's user depends on `ownSignIn`: with the prefix `__Host-`, no other host of the domain can set it. */
const ownHostProblem = (
  key: string,
  { options: { domain, path = '/', secure } = {} }: Partial<CookieOption>,
): string | null =>
  key === 'ownSignIn' && (domain || path !== '/' || secure === false)
    ? 'must have the path / and no domain, and not be `secure: false`, so that no other host of the domain can set it.'
    : null

function cookieProblem({ name, options = {} }: Partial<CookieOption>): string | null {
  if (name !== undefined && !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) {
    return 'has a name with a character that no cookie name may have.'
  }
  const { domain, path = '/', secure } = options
  if (isForOtherSites(options) && secure === false) {
    return 'has sameSite "none", with which browsers take only secure cookies. Set secure: true, or another sameSite.'
  }
  if (name?.startsWith('__Host-') && (domain || path !== '/' || secure === false)) {
    return 'begins with __Host-, so it must be secure, with path / and no domain.'
  }
  if (name?.startsWith('__Secure-') && secure === false) return 'begins with __Secure-, so it must be secure.'
  try {
    serializeCookie({ name: 'name', value: '', options })
    return null
  } catch (error) {
    return `cannot be sent: ${isError(error) ? error.message : 'an option is invalid'}.`
  }
}

/** One error for all findings. Its class is that of the first. */
export function configurationError(findings: readonly AuthError[]): AuthError {
  const [first = invalid('nothing')] = findings
  if (findings.length === 1) return first
  const Kind = first.constructor as new (message: string) => AuthError
  return new Kind(
    `The configuration cannot work, for ${findings.length} reasons:\n${findings.map(({ message }) => `- ${message}`).join('\n')}`,
  )
}
