import { isModule, isPlainObject, isPromise } from '../shapes/describe-value.js'
import { anything, call, type Problem, problemsOf, recordOf } from '../shapes/shape.js'
import { type Members, symbolMember } from './merge-provider.js'
import type { Finding, ProviderEnvironment, ProviderType } from './provider.js'
import { providerShape } from './provider-shapes.js'

/** What is wrong with the names and types of a provider's members. */
export interface CheckedMembers {
  readonly findings: readonly Finding[]
  /** Whether every value has its type, so that further checks may read the values. */
  readonly isSound: boolean
}

/** Options with which every provider function is called that is in the list uncalled, even if the function ignores them. */
const FROM_ENVIRONMENT = ['clientId', 'clientSecret', 'issuer', 'apiKey'] satisfies (keyof ProviderEnvironment)[]

/** What the entry of FACEIT in Auth.js has where neither Auth.js nor this package reads it. */
const OF_AUTHJS = ['headers']

/**
 * Checks the names and types of a provider's members, down to the members of members.
 *
 * @param made the object as the application or the provider's function gave it
 * @param members the same, merged with its options
 */
export function checkMembers(made: Members, type: ProviderType, members: Members & { id: string }): CheckedMembers {
  const { knownOptions, options } = made
  const taken = Array.isArray(knownOptions) ? knownOptions.map(String) : []
  // Functions of Auth.js do not list their options. So any option passes, unless its name is nearly that of a known member.
  const theirs = knownOptions === undefined && isPlainObject(options) ? options : null
  const problems = [
    ...inheritedMembers(made, type),
    ...problemsOf(options, recordOf(anything), 'options'),
    ...problemsOf(
      members,
      providerShape(type, [...FROM_ENVIRONMENT, ...taken, ...(theirs ? [...OF_AUTHJS, ...Object.keys(theirs)] : [])]),
      '',
    ),
    ...(theirs ? problemsOf(theirs, providerShape(type, 'unless-near'), '') : []).filter(({ kind }) => kind === 'name'),
    ...[made, options].flatMap((object) => problemsOf(fetchIn(object), call, '[customFetch]')),
  ]
  const at = (message: string) => `Provider "${members.id}": ${message}`
  return {
    findings: problems.map(({ message }): Finding => ({ type: 'InvalidProvider', message: at(message) })),
    isSound: problems.every(({ kind }) => kind !== 'value'),
  }
}

/** Members that are inherited from a class or another object. They would be ignored, because only own members are merged. */
function inheritedMembers(made: Members, type: ProviderType): Problem[] {
  if (isPlainObject(made)) return []
  const names = Object.keys(providerShape(type).members ?? {})
  const message =
    'is inherited, and only members of the object itself are read. Write the provider as an object literal.'
  return names
    .filter((name) => name in made && !Object.hasOwn(made, name))
    .map((name) => ({ kind: 'value', path: name, message: `\`${name}\` ${message}` }))
}

const fetchIn = (object: unknown): unknown =>
  typeof object === 'object' && object !== null ? symbolMember(object, 'custom-fetch') : undefined

/** Whether a value may be the object of a provider. */
export const isProviderLike = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isPromise(value) && !isModule(value)
