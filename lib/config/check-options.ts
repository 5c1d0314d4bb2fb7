import type { Finding } from '../providers/provider.js'
import { describeValue, remedyFor } from '../shapes/describe-value.js'
import { nearestName } from '../shapes/nearest-name.js'
import { problemsOf } from '../shapes/shape.js'
import { invalid } from './configuration-error.js'
import { OPTION_NAMES, OPTIONS } from './option-shapes.js'
import type { AuthConfig } from './options.js'

/** The result of a check of the names and types of all options. */
export interface CheckedOptions {
  readonly findings: readonly Finding[]
  /** The configuration, without the options that have a wrong value in them. The remaining options have their types. */
  readonly sound: AuthConfig
  /** The names of the options that were removed. */
  readonly faulty: ReadonlySet<string>
}

const NO_PROVIDERS =
  '`providers` is missing. List the ways to sign in: providers: [GitHub]. If nobody signs in, write providers: [].'

/** Checks the names and types of all options, down to the members of members. */
export function checkOptions(options: AuthConfig): CheckedOptions {
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
