import { isError } from '../kernel/describe-value.js'
import { type AuthError, InvalidProvider } from '../kernel/errors.js'
import { withInherited } from '../kernel/inherited.js'
import { nearestName } from '../kernel/nearest-name.js'
import { withoutUndefined } from '../kernel/objects.js'
import {
  catalogueHint,
  checkMembers,
  isProviderLike,
  type Members,
  mergeProvider,
  missingId,
  type NamedMembers,
  notAProvider,
  symbolMember,
} from './check-provider.js'
import type { MadeByEntry } from './oauth-provider.js'
import type { Provider, ProviderEnvironment, ProviderSettings, ProviderType, ResolvedProvider } from './provider.js'
import { resolveCredentialsProvider, resolveEmailProvider, resolveWebAuthnProvider } from './resolve-local-provider.js'
import { resolveOAuthProvider } from './resolve-oauth-provider.js'

const PROVIDER_TYPES = ['oidc', 'oauth', 'email', 'credentials', 'webauthn'] satisfies ProviderType[]
const isProviderType = (type: unknown): type is ProviderType => (PROVIDER_TYPES as unknown[]).includes(type)

/** Characters that need no encoding in a URL path or in the name of a cookie. */
const PROVIDER_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** A resolved provider without findings, or null with at least one finding. */
interface Resolution {
  readonly provider: ResolvedProvider | null
  readonly findings: readonly AuthError[]
}

/**
 * Resolves a provider: merges its options, adds values of the environment and defaults, checks everything, and freezes the
 * result. The provider may be made by `@auth/core/providers/*`. The given object is only read.
 *
 * @param entry the name of the provider in messages, until its id is known
 */
export function resolveProvider(input: Provider, settings: ProviderSettings, entry = 'A provider'): Resolution {
  const made = typeof input === 'function' ? callProvider(input, settings) : withEnvironment(input, settings)
  if (isError(made)) {
    // A function that says by the name of its error what is wrong needs no further words.
    if (made.name === 'InvalidProvider') return refused(made.message)
    return refused(`${entry} is a function that threw: ${made.message} Call it yourself with the options it needs.`)
  }
  if (!isProviderLike(made)) {
    return refused(notAProvider(made, entry, made !== input))
  }
  const members = mergeProvider(made)
  const id = members.id
  if (typeof id !== 'string' || !PROVIDER_ID.test(id) || id === 'undefined') {
    return refused(
      (id === undefined && missingId(made, entry)) ||
        `${entry} has the id ${describe(id)}. An id is part of URLs: letters, digits, dots, dashes and underscores, beginning with a letter or digit.`,
    )
  }
  const { type } = members
  if (!isProviderType(type)) {
    return refused(
      `Provider "${id}" has ${type === undefined ? 'no type' : `the type ${describe(type)}`}. The types are ${PROVIDER_TYPES.join(', ')}.${typeHint(type) || catalogueHint(id)}`,
    )
  }
  const { findings, isSound } = checkMembers(made as Members, type, { ...members, id })
  if (!isSound) return { provider: null, findings }
  // The name is a text, as all that is not of its type was found.
  const resolved = resolveOfType(made, { name: id, ...members, id } as NamedMembers, type, settings)
  if (Array.isArray(resolved)) return { provider: null, findings: [...findings, ...resolved] }
  return findings.length === 0 ? { provider: resolved as ResolvedProvider, findings } : { provider: null, findings }
}

function resolveOfType(
  made: object,
  members: NamedMembers,
  type: ProviderType,
  settings: ProviderSettings,
): ResolvedProvider | readonly AuthError[] {
  switch (type) {
    case 'oauth':
    case 'oidc':
      return resolveOAuthProvider(made, { ...members, type }, settings)
    case 'credentials':
      return resolveCredentialsProvider(members)
    case 'email':
      return resolveEmailProvider(made, members, settings)
    case 'webauthn':
      return resolveWebAuthnProvider(made, members)
  }
}

/** Resolves all providers of a configuration. A provider with findings is not in the result. */
export function resolveProviders(
  inputs: readonly Provider[],
  settings: ProviderSettings,
): { readonly providers: readonly ResolvedProvider[]; readonly findings: readonly AuthError[] } {
  const providers = new Map<string, ResolvedProvider>()
  const findings: AuthError[] = []
  for (const [index, input] of inputs.entries()) {
    const { provider, findings: own } = resolveProvider(input, settings, `\`providers[${index}]\``)
    findings.push(...own)
    if (!provider) continue
    if (providers.has(provider.id)) {
      const message = `Two providers have the id "${provider.id}". Give one of them another: ids are part of the URLs that the provider knows.`
      findings.push(new InvalidProvider(message))
    }
    providers.set(provider.id, provider)
  }
  return { providers: [...providers.values()], findings }
}

function callProvider(make: (options: ProviderEnvironment) => unknown, settings: ProviderSettings): unknown {
  try {
    return calledWithEnvironment(make, settings.environment)
  } catch (error) {
    return isError(error) ? error : new Error('something that is not an error.')
  }
}

/**
 * Calls a provider function with what the environment has for its provider. What its entry says itself, such as the `clientId` of
 * `oidcProvider({ clientId })`, wins; an entry that is a function reads the environment as options.
 */
export function calledWithEnvironment<Made>(
  make: (options: ProviderEnvironment) => Made,
  environmentOf: (id: string) => ProviderEnvironment,
): Made {
  // First without options, to find out the id, which is in the names of its environment variables.
  const first = make({})
  if (!isProviderLike(first)) return first
  const own = first as Members
  const environment = typeof own['id'] === 'string' ? environmentOf(own['id']) : {}
  const isComputed = symbolMember(own, 'latchkey-entry') !== undefined
  const missing = Object.entries(environment).filter(([name, value]) => value && (isComputed || !own[name]))
  return make(Object.fromEntries(missing))
}

/**
 * A provider whose entry computes members of options, made again with what the environment has beside its options: the issuer
 * of the environment is then read as that of an option is. What was changed on the object since stays.
 */
function withEnvironment(made: object, settings: ProviderSettings): unknown {
  const first = isProviderLike(made) ? (symbolMember(made, 'latchkey-entry') as MadeByEntry | undefined) : undefined
  if (!first) return made
  const { issuer, apiKey } = settings.environment(String((made as Members)['id']))
  const again = first.make(withoutUndefined({ issuer, apiKey }))
  const names = Object.keys({ ...first.members, ...again }).filter(
    (name) => (made as Members)[name] === first.members[name],
  )
  return { ...withInherited(made), ...Object.fromEntries(names.map((name) => [name, again[name]])) }
}

/** The type that was probably meant; begins with a blank, or is empty. */
function typeHint(type: unknown): string {
  const near = typeof type === 'string' ? nearestName(type, PROVIDER_TYPES) : undefined
  return near === undefined ? '' : ` Did you mean "${near}"?`
}

const refused = (message: string): Resolution => ({ provider: null, findings: [new InvalidProvider(message)] })

const describe = (value: unknown): string =>
  typeof value === 'string'
    ? `"${value}"`
    : value === undefined || value === null
      ? 'none'
      : `a value of type ${typeof value}`
