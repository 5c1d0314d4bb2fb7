import type { ErrorType } from '../errors.js'
import { isPlainObject, type Members, mergeProvider } from './merge-provider.js'
import type {
  Finding,
  Provider,
  ProviderEnvironment,
  ProviderSettings,
  ResolvedCredentialsProvider,
  ResolvedProvider,
} from './provider.js'
import { resolveEmailProvider } from './resolve-email-provider.js'
import { resolveOAuthProvider } from './resolve-oauth-provider.js'
import { resolveWebAuthnProvider } from './resolve-webauthn-provider.js'

/** What the resolution of one provider gives: null with at least one finding, or a provider and none. */
export interface ProviderResolution {
  readonly provider: ResolvedProvider | null
  readonly findings: readonly Finding[]
}

/** Letters that stand in a URL path and in a cookie as they are. */
const PROVIDER_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/**
 * A provider ready for use: its options merged in, values of the environment filled in where it has none, defaults added,
 * everything checked, frozen. Objects made by `@auth/core/providers/*` are understood. The object given is only read.
 */
export function resolveProvider(input: Provider, settings: ProviderSettings): ProviderResolution {
  const made = typeof input === 'function' ? callProvider(input, settings) : input
  if (made instanceof Error) {
    return refused(
      'InvalidProvider',
      `A provider function threw: ${made.message} Call it yourself with the options it needs.`,
    )
  }
  if (typeof made !== 'object' || made === null) {
    return refused('InvalidProvider', `A provider is an object or a function that makes one, not ${describe(made)}.`)
  }
  const members = mergeProvider(made)
  const id = members.id
  if (typeof id !== 'string' || !PROVIDER_ID.test(id) || id === 'undefined') {
    return refused(
      'InvalidProvider',
      `A provider has the id ${describe(id)}. An id is part of URLs: letters, digits, dots, dashes and underscores, beginning with a letter or digit.`,
    )
  }
  switch (members.type) {
    case 'oauth':
    case 'oidc':
      return resolveOAuthProvider(made, { ...members, id, type: members.type }, settings)
    case 'credentials':
      return resolveCredentials(id, members)
    case 'email':
      return resolveEmailProvider(made, { ...members, id }, settings)
    case 'webauthn':
      return resolveWebAuthnProvider(made, { ...members, id })
    default:
      return refused(
        'InvalidProvider',
        `Provider "${id}" has the type ${describe(members.type)}. The types are oidc, oauth, email, credentials and webauthn.`,
      )
  }
}

/**
 * All providers of a configuration, and everything that is wrong with them. A provider with findings is left out.
 */
export function resolveProviders(
  inputs: readonly Provider[],
  settings: ProviderSettings,
): { readonly providers: readonly ResolvedProvider[]; readonly findings: readonly Finding[] } {
  const providers = new Map<string, ResolvedProvider>()
  const findings: Finding[] = []
  for (const input of inputs) {
    const { provider, findings: own } = resolveProvider(input, settings)
    findings.push(...own)
    if (!provider) continue
    if (providers.has(provider.id)) {
      findings.push({
        type: 'InvalidProvider',
        message: `Two providers have the id "${provider.id}". Give one of them another: ids are part of the URLs that the provider knows.`,
      })
    }
    providers.set(provider.id, provider)
  }
  return { providers: [...providers.values()], findings }
}

function callProvider(make: (options: ProviderEnvironment) => object, settings: ProviderSettings): object | Error {
  try {
    // First without anything, to learn the id under which the environment has its values.
    const { id } = make({}) as { id?: unknown }
    const environment = typeof id === 'string' ? settings.environment(id) : {}
    return make(Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined)))
  } catch (error) {
    return error instanceof Error ? error : new Error('something that is not an error.')
  }
}

function resolveCredentials(id: string, members: Members): ProviderResolution {
  const { name, authorize, credentials } = members
  if (typeof authorize !== 'function') {
    return refused(
      'MissingAuthorize',
      `Credentials provider "${id}" has no authorize function, so nobody could sign in. Add authorize(credentials, request).`,
    )
  }
  const provider: ResolvedCredentialsProvider = Object.freeze({
    id,
    name: typeof name === 'string' ? name : id,
    type: 'credentials',
    fields: isPlainObject(credentials) ? (Object.freeze(credentials) as ResolvedCredentialsProvider['fields']) : null,
    authorize: authorize as ResolvedCredentialsProvider['authorize'],
  })
  return { provider, findings: [] }
}

const refused = (type: ErrorType, message: string): ProviderResolution => ({
  provider: null,
  findings: [{ type, message }],
})

const describe = (value: unknown): string =>
  typeof value === 'string'
    ? `"${value}"`
    : value === undefined || value === null
      ? 'none'
      : `a value of type ${typeof value}`
