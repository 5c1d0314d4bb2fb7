import { withInherited } from '../kernel/inherited.js'
import type {
  AuthorizationEndpoint,
  OAuth2Config,
  OAuthUserConfig,
  OIDCConfig,
  OIDCUserConfig,
} from './provider-object.js'

/** Members that an entry may have beside those of the provider object. */
interface EntryMembers {
  /** Scopes of the authorization request; an empty list sends no `scope`. The default is `openid profile email`. */
  scopes?: readonly string[]
  /** The separator of scopes: a blank by default, a comma for some providers. */
  scopeSeparator?: ' ' | ','
  /** The values of required options, by name. */
  requires?: Readonly<Record<string, unknown>>
}

type Entry<C> = Omit<C, 'type' | 'options' | 'missingOptions'> & EntryMembers

/** A plain OAuth 2.0 provider as data: endpoints, scopes, a profile mapping, and hooks where it differs from the standard. */
export type OAuthEntry<P> = Entry<OAuth2Config<P>>

/** An OpenID Connect provider as data. Most entries need only an issuer and a profile mapping. */
export type OIDCEntry<P> = Entry<OIDCConfig<P>>

/** Options that every provider function takes beside the members of the provider object. */
export interface ScopeOption {
  /** Replaces the scopes of the provider. It is sent unchanged: `'openid profile'`. */
  scope?: string
}

/** The option of providers at which each customer has another URL: that of a server, a realm or a tenant. */
export interface IssuerOption {
  /**
   * URL of the server, realm or tenant. It may be undefined, so that it can be read from `process.env`; then the
   * configuration is refused.
   */
  issuer: string | undefined
}

/** The function of a provider. `config.providers` may have the function itself, or the result of a call with options. */
export type ProviderFunction<Options extends object, Config> =
  Record<never, never> extends Options ? (options?: Options) => Config : (options: Options) => Config

type OAuthOptions<P, Own> = OAuthUserConfig<P> & ScopeOption & Own
type OIDCOptions<P, Own> = OIDCUserConfig<P> & ScopeOption & Own

/**
 * The function of an OAuth 2.0 provider. Its checks are `pkce` and `state` unless the entry says others.
 *
 * @typeParam P the provider's profile
 * @typeParam Own options that only this provider has; members without a question mark are required
 * @param entry the provider, or a function that makes it of options. The function is also called without options, to find
 *   out the id, so every option may be absent
 */
export function oauthProvider<P, Own extends object = Record<never, never>>(
  entry: OAuthEntry<P> | ((options: Partial<OAuthOptions<P, Own>>) => OAuthEntry<P>),
): ProviderFunction<OAuthOptions<P, Own>, OAuth2Config<P>> {
  const make = (options: Partial<OAuthOptions<P, Own>> = {}): OAuth2Config<P> => ({
    type: 'oauth',
    checks: ['pkce', 'state'],
    ...build(entry, withInherited(options)),
  })
  return make as ProviderFunction<OAuthOptions<P, Own>, OAuth2Config<P>>
}

/**
 * The function of an OpenID Connect provider. Its checks are `pkce`, `state` and `nonce` unless the entry says others.
 *
 * @typeParam P the provider's profile
 * @typeParam Own options that only this provider has; members without a question mark are required
 * @param entry as for {@link oauthProvider}
 */
export function oidcProvider<P, Own extends object = Record<never, never>>(
  entry: OIDCEntry<P> | ((options: Partial<OIDCOptions<P, Own>>) => OIDCEntry<P>),
): ProviderFunction<OIDCOptions<P, Own>, OIDCConfig<P>> {
  const make = (options: Partial<OIDCOptions<P, Own>> = {}): OIDCConfig<P> => ({
    type: 'oidc',
    checks: ['pkce', 'state', 'nonce'],
    ...build(entry, withInherited(options)),
  })
  return make as ProviderFunction<OIDCOptions<P, Own>, OIDCConfig<P>>
}

/** Makes URLs under a base URL that is an option; undefined if the option is missing. */
export const under = (base: string | undefined) => {
  const start = base?.replace(/\/+$/, '')
  return (path: string): string | undefined => (start ? `${start}${path}` : undefined)
}

/** A host that an option names, without the scheme and the slash that people write with it. */
export const hostOf = (host: string | undefined): string | undefined =>
  host?.replace(/^https?:\/\//i, '').replace(/\/.*$/, '') || undefined

/** The members that are not undefined, for parameters that options may set. */
export const present = (params: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined))

/**
 * The symbol by which a provider object keeps how it was made. An entry that computes its members of options is made again
 * when the values of the environment are known, which may be such an option.
 */
const entryOf = Symbol('latchkey-entry')

/** How a provider object was made. */
export interface MadeByEntry {
  readonly members: Readonly<Record<string, unknown>>
  make(environment: object): Readonly<Record<string, unknown>>
}

/** Makes a provider object of an entry: the scopes become an authorization parameter, and the options go into `options`. */
function build<
  E extends EntryMembers & { id: string; issuer?: string; authorization?: string | AuthorizationEndpoint },
>(
  entry: E | ((options: never) => E),
  given: object & ScopeOption & { authorization?: string | AuthorizationEndpoint; issuer?: string },
) {
  const { made, knownOptions } = readEntry(entry, given)
  const { scopes, scopeSeparator = ' ', authorization, requires = {}, ...own } = made
  if (scopes !== undefined && !Array.isArray(scopes)) {
    const message = `Provider "${made.id}": scopes is a ${typeof scopes}; it must be a list of strings. Write scopes: ["openid", "email"].`
    // Not the class of that name, because it would be loaded with every provider.
    throw Object.assign(new TypeError(message), { name: 'InvalidProvider' })
  }
  const missing = Object.keys(requires).filter((name) => requires[name] === undefined || requires[name] === '')
  const { scope, ...options } = given
  const endpoint = asEndpoint(authorization)
  if (scope !== undefined) {
    const chosen = asEndpoint(options.authorization)
    options.authorization = { ...chosen, params: { ...chosen.params, scope } }
  }
  // An entry that computes its issuer has read the option already, and may have changed it.
  if (typeof entry === 'function' && own.issuer !== undefined) delete options.issuer
  const members = {
    ...own,
    knownOptions,
    ...(missing.length > 0 && { missingOptions: missing }),
    ...((scopes || authorization !== undefined) && {
      authorization: {
        ...endpoint,
        ...(scopes && { params: { scope: scopes.join(scopeSeparator), ...endpoint.params } }),
      },
    }),
    options,
  }
  if (typeof entry !== 'function') return members
  const make = (environment: object): MadeByEntry['members'] =>
    build(entry, { ...given, ...withoutThose(environment, given) })
  return { ...members, [entryOf]: { members, make } }
}

/** The members of an object that another one has not, or has as undefined. */
const withoutThose = (members: object, others: object): object =>
  Object.fromEntries(Object.entries(members).filter(([name]) => Reflect.get(others, name) === undefined))

/** Makes an entry with options, and records which options it reads: those are the options that the provider has. */
function readEntry<E>(entry: E | ((options: never) => E), given: object): { made: E; knownOptions: readonly string[] } {
  if (typeof entry !== 'function') return { made: entry, knownOptions: [] }
  const names = new Set<string>()
  const watched = new Proxy(given, {
    get(options, name) {
      if (typeof name === 'string') names.add(name)
      return Reflect.get(options, name)
    },
  })
  return { made: (entry as (options: object) => E)(watched), knownOptions: [...names] }
}

const asEndpoint = (endpoint: string | URL | AuthorizationEndpoint = {}): AuthorizationEndpoint =>
  typeof endpoint === 'string' || endpoint instanceof URL
    ? { url: String(endpoint) }
    : withInherited(endpoint, { members: { params: { members: {} } } })
