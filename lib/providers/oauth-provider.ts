import type {
  AuthorizationEndpoint,
  OAuth2Config,
  OAuthUserConfig,
  OIDCConfig,
  OIDCUserConfig,
  TokenEndpoint,
  UserinfoEndpoint,
} from './provider.js'

/** What every entry may say beside the members of the provider object. */
interface EntryMembers<P> {
  authorization?: string | AuthorizationEndpoint
  token?: string | TokenEndpoint<P>
  userinfo?: string | UserinfoEndpoint<P>
  /** Scopes that are asked for; an empty list sends no scope parameter. The default is `openid profile email`. */
  scopes?: readonly string[]
  /** What stands between scopes; a blank, unless the provider wants commas. */
  scopeSeparator?: ' ' | ','
  /** Values of options without which there is no provider to sign in at, by the option's name. */
  requires?: Readonly<Record<string, unknown>>
}

type Entry<C, P> = Omit<C, 'type' | 'options' | 'missingOptions' | 'authorization' | 'token' | 'userinfo'> &
  EntryMembers<P>

/** A plain OAuth 2.0 provider as data: endpoints, scopes, a profile mapping, and hooks for what breaks the rules. */
export type OAuthEntry<P> = Entry<OAuth2Config<P>, P>

/** An OpenID Connect provider as data. Usually an issuer and a mapping are all there is to say. */
export type OIDCEntry<P> = Entry<OIDCConfig<P>, P>

/** Options that every provider function takes beside the members of the provider object. */
export interface ScopeOption {
  /** Replaces the provider's scopes, written as the provider wants them: `'openid profile'`. */
  scope?: string
}

/** The option of providers that each customer has an address of their own at: a server, a realm, a tenant. */
export interface IssuerOption {
  /**
   * URL of the server, realm or tenant. It is written out wherever the function is called, and may come straight from
   * `process.env`: a value that is not there is reported when the application starts.
   */
  issuer: string | undefined
}

/** The function of a provider: stands in `config.providers` as it is, or called with options. */
export type ProviderFunction<Options extends object, Config> =
  Record<never, never> extends Options ? (options?: Options) => Config : (options: Options) => Config

type OAuthOptions<P, Own> = OAuthUserConfig<P> & ScopeOption & Own
type OIDCOptions<P, Own> = OIDCUserConfig<P> & ScopeOption & Own

/**
 * The function of an OAuth 2.0 provider.
 *
 * @typeParam P the provider's profile
 * @typeParam Own options of this provider alone; members without a question mark must be given
 * @param entry the provider; a function when endpoints depend on options. It is called without options as well, to learn the
 * id, so each option may be absent there.
 */
export function oauthProvider<P, Own extends object = Record<never, never>>(
  entry: OAuthEntry<P> | ((options: Partial<OAuthOptions<P, Own>>) => OAuthEntry<P>),
): ProviderFunction<OAuthOptions<P, Own>, OAuth2Config<P>> {
  const make = (options: Partial<OAuthOptions<P, Own>> = {}): OAuth2Config<P> => ({
    type: 'oauth',
    ...build<OAuthEntry<P>, P>(entry, options),
  })
  return make as ProviderFunction<OAuthOptions<P, Own>, OAuth2Config<P>>
}

/**
 * The function of an OpenID Connect provider.
 *
 * @typeParam P the provider's profile
 * @typeParam Own options of this provider alone; members without a question mark must be given
 * @param entry as for {@link oauthProvider}
 */
export function oidcProvider<P, Own extends object = Record<never, never>>(
  entry: OIDCEntry<P> | ((options: Partial<OIDCOptions<P, Own>>) => OIDCEntry<P>),
): ProviderFunction<OIDCOptions<P, Own>, OIDCConfig<P>> {
  const make = (options: Partial<OIDCOptions<P, Own>> = {}): OIDCConfig<P> => ({
    type: 'oidc',
    ...build<OIDCEntry<P>, P>(entry, options),
  })
  return make as ProviderFunction<OIDCOptions<P, Own>, OIDCConfig<P>>
}

/** Makes URLs under a base that an option gives; undefined while there is none. */
export const under = (base: string | undefined) => {
  const start = base?.replace(/\/+$/, '')
  return (path: string): string | undefined => (start ? `${start}${path}` : undefined)
}

/** The parts of an object that are there, for parameters that options may set. */
export const present = (params: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined))

/** Names of the options that an entry cannot do without, and that it was not given. */
const missingOptions = (requires: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(requires).filter((name) => requires[name] === undefined || requires[name] === '')

/** An entry as a provider object: scopes in its authorization parameters, the application's options under `options`. */
function build<E extends EntryMembers<P> & { id: string; issuer?: string }, P>(
  entry: E | ((options: never) => E),
  given: object & ScopeOption & { authorization?: string | AuthorizationEndpoint; issuer?: string },
) {
  const { made, knownOptions } = readEntry(entry, given)
  const { scopes, scopeSeparator = ' ', authorization, requires = {}, ...members } = made
  const missing = missingOptions(requires)
  const { scope, ...options } = given
  const endpoint = asEndpoint(authorization)
  if (scope !== undefined) {
    const chosen = asEndpoint(options.authorization)
    options.authorization = { ...chosen, params: { ...chosen.params, scope } }
  }
  // An entry that computes its issuer has read the option already, and may have completed it.
  if (typeof entry === 'function' && members.issuer !== undefined) delete options.issuer
  return {
    ...members,
    knownOptions,
    ...(missing.length > 0 ? { missingOptions: missing } : {}),
    ...(scopes || authorization !== undefined
      ? {
          authorization: {
            ...endpoint,
            ...(scopes ? { params: { scope: scopes.join(scopeSeparator), ...endpoint.params } } : {}),
          },
        }
      : {}),
    options,
  }
}

/** An entry with the options it was given, and the names of those that it looks at: they are what the provider's function takes. */
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

const asEndpoint = (endpoint: string | AuthorizationEndpoint | undefined): AuthorizationEndpoint =>
  typeof endpoint === 'string' ? { url: endpoint } : { ...endpoint }
