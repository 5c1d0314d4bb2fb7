import type { ServerMetadata } from 'openid-client'
import { onceFor } from '../kernel/awaitable.js'
import { isProtected } from '../kernel/back-channel.js'
import { parseUrl } from '../kernel/urls.js'
import type { ResolvedOAuthProvider } from '../providers/provider.js'
import { withParameters } from '../providers/resolve-endpoints.js'
import { endpointFetch } from './endpoint-fetch.js'
import { cleanError, faultOf, ProviderFault } from './faults.js'
import { AnotherIssuer, agreeOnIssuer } from './issuer.js'
import { type Allowance, createAllowance, type KeySets } from './key-sets.js'
import { type CopyTimes, createLastGood, type LastGood, type Outage } from './last-good.js'

/** What is known of a provider's server. */
export interface ProviderMetadata {
  /** What its ID tokens and answers name; null for plain OAuth that names none. May be a tenant template. */
  readonly issuer: string | null
  /** Endpoints and abilities, the configured ones over the discovered ones. */
  readonly server: ServerMetadata
  /** Whether the server was asked; otherwise nothing is known of its abilities. */
  readonly isDiscovered: boolean
  /**
   * Fetches them once more, for an answer that contradicts them. Null if that was done too often a moment ago. Absent where there
   * is nothing to fetch.
   */
  readonly renew?: () => Promise<ProviderMetadata | null>
}

/** Gives the metadata of a provider, from memory where they were fetched before. */
export type MetadataSource = (provider: ResolvedOAuthProvider) => Promise<ProviderMetadata>

/**
 * Fetched again after an hour, as before an outage; used for a week at most, which leaves an operator time to see the
 * warning.
 */
const TIMES: CopyTimes = { freshMs: 60 * 60 * 1000, waitFromMs: 2 * 60 * 60 * 1000, limitMs: 7 * 24 * 60 * 60 * 1000 }
const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
  'pushed_authorization_request_endpoint',
] as const
/** Without one of these members, nobody could sign in. A new document that lacks one which the copy has is refused. */
const LASTING = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'id_token_signing_alg_values_supported',
] as const
/** Members that are lists of texts, and that this package or the library uses. */
const LISTS = [
  'code_challenge_methods_supported',
  'id_token_signing_alg_values_supported',
  'token_endpoint_auth_methods_supported',
  'userinfo_signing_alg_values_supported',
  'authorization_signing_alg_values_supported',
] as const
/** Members that announce an ability by `true`. */
const FLAGS = [
  'authorization_response_iss_parameter_supported',
  'require_pushed_authorization_requests',
  'require_signed_request_object',
] as const

/**
 * A source of metadata that asks each provider about once an hour. Concurrent calls share one request. While a provider
 * cannot be asked, its last metadata stay in use; where it says that it is another issuer, they do not.
 *
 * @param channelOf gives the `fetch` for calls to a provider
 * @param report called when an outage begins, when the copy is given up, and when the outage ends
 * @param found called with every document that was fetched and may be used
 */
export function createMetadataSource(
  channelOf: (provider: ResolvedOAuthProvider) => typeof fetch,
  now: () => number,
  report: (provider: ResolvedOAuthProvider, outage: Outage) => void,
  found: (provider: ResolvedOAuthProvider, metadata: ProviderMetadata) => void = () => {},
): MetadataSource {
  const copyOf = onceFor((provider: ResolvedOAuthProvider): LastGood<ProviderMetadata> => {
    const allowance = createAllowance(now)
    const made = createLastGood({
      fetch: async (held: ProviderMetadata | null) => {
        const document = requireLasting(provider, held, await discover(provider, channelOf(provider)))
        const metadata: ProviderMetadata = document.isDiscovered
          ? Object.freeze({ ...document, renew: () => renewed(made, metadata, allowance) })
          : document
        found(provider, metadata)
        return metadata
      },
      endsCopy: (error) => error instanceof AnotherIssuer,
      times: TIMES,
      now,
      report: (outage) => report(provider, outage),
    })
    return made
  })
  return (provider) => copyOf(provider).get()
}

/** What others have fetched since, or else what is fetched now. As with unknown keys, nobody can flood a provider by it. */
async function renewed(
  copies: LastGood<ProviderMetadata>,
  before: ProviderMetadata,
  allowance: Allowance,
): Promise<ProviderMetadata | null> {
  if (copies.current && copies.current !== before) return copies.current
  return copies.isFetching || allowance.take() ? copies.refetch() : null
}

/**
 * Refuses a document that has lost a member without which nobody can sign in: it is faulty, and does not replace the
 * last one.
 */
function requireLasting(
  { id }: ResolvedOAuthProvider,
  held: ProviderMetadata | null,
  found: ProviderMetadata,
): ProviderMetadata {
  const lost = LASTING.filter((name) => held?.server[name] !== undefined && found.server[name] === undefined)
  if (lost.length > 0) throw new ProviderFault(`Provider "${id}": its metadata have no ${lost.join(', ')} any more.`)
  return found
}

async function discover(provider: ResolvedOAuthProvider, channel: typeof fetch): Promise<ProviderMetadata> {
  const isDiscovered = provider.discoveryUrl !== null
  const found = provider.discoveryUrl ? await fetchDocument(provider, provider.discoveryUrl, channel) : {}
  const issuer = isDiscovered ? agreeOnIssuer(provider, found.issuer) : (provider.issuer ?? null)
  const configured = present({
    authorization_endpoint: provider.authorization.url?.href,
    token_endpoint: provider.token.url?.href,
    userinfo_endpoint: provider.userinfo.url && withParameters(provider.userinfo).href,
    jwks_uri: provider.jwksUrl?.href,
  })
  // The library needs an issuer. Plain OAuth may name no issuer, and then gets a name that no server can have.
  const server: ServerMetadata = {
    ...found,
    issuer: issuer ?? `https://${provider.id}.invalid`,
    ...configured,
    mtls_endpoint_aliases: provider.usesMutualTls ? aliasesIn(found.mtls_endpoint_aliases, configured) : undefined,
  }
  const isOverHttps = provider.discoveryUrl?.protocol === 'https:'
  for (const name of ENDPOINTS) requireUsable(provider, name, server[name], isOverHttps && !(name in configured))
  for (const [name, url] of Object.entries(server.mtls_endpoint_aliases ?? {}))
    requireUsable(provider, `mtls_endpoint_aliases.${name}`, url, isOverHttps)
  const { end_session_endpoint, ...others } = server
  // An ID token goes there. Sign-ins do not need it, so one that cannot be used only counts as absent.
  const isUsable = usableEndpoint(provider, end_session_endpoint, isOverHttps) !== null
  const checked = isUsable ? { ...others, end_session_endpoint } : others
  return Object.freeze({ issuer, server: Object.freeze(checked as ServerMetadata), isDiscovered })
}

/** Endpoints for mutual TLS (RFC 8705 §5), without those that the application configured: these it wants to be called. */
function aliasesIn(
  found: unknown,
  configured: Readonly<Record<string, string>>,
): ServerMetadata['mtls_endpoint_aliases'] {
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined
  return Object.fromEntries(
    Object.entries(withoutEmpty(found)).filter(([name]) => !(name in configured)),
  ) as ServerMetadata['mtls_endpoint_aliases']
}

async function fetchDocument(
  provider: ResolvedOAuthProvider,
  url: URL,
  channel: typeof fetch,
): Promise<Partial<ServerMetadata>> {
  const name = `${url.origin}${url.pathname}`
  const ask = endpointFetch(channel, { name, secrets: [provider.clientSecret] })
  let answer: Response
  try {
    answer = await ask(url.href, { headers: { accept: 'application/json' } })
  } catch (error) {
    throw faultOf(error, `Provider "${provider.id}": its metadata could not be fetched. ${cleanError(error).message}`)
  }
  const document: unknown = await answer.json().catch(() => null)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new ProviderFault(`Provider "${provider.id}": ${name} answered with something that is not a JSON object.`)
  }
  return requireShape(provider, document)
}

/** A document whose lists are lists. */
function requireShape({ id }: ResolvedOAuthProvider, document: object): Partial<ServerMetadata> {
  const found = withoutEmpty(document)
  const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string')
  const wrong = [
    ...LISTS.filter((name) => found[name] !== undefined && !isTexts(found[name])),
    ...FLAGS.filter((name) => found[name] !== undefined && typeof found[name] !== 'boolean'),
  ]
  if (wrong.length === 0) return found as Partial<ServerMetadata>
  throw new ProviderFault(`Provider "${id}": its metadata have a value of a wrong type: ${wrong.join(', ')}.`)
}

function requireUsable(provider: ResolvedOAuthProvider, name: string, value: unknown, isForeign: boolean): void {
  if (value === undefined || usableEndpoint(provider, value, isForeign) !== null) return
  throw new ProviderFault(
    `Provider "${provider.id}": ${name} in its metadata is not an https URL, or it has a user name. For a test network set allowInsecureHttp: true.`,
  )
}

/**
 * An endpoint of the metadata, if it may be called; else null.
 *
 * @param isForeign whether a server that is reached over https names the endpoint. Plain http on this machine is for a
 *   provider that is developed beside the application. A real provider that names such an endpoint could make us call
 *   services of this machine that nobody else can reach.
 */
export function usableEndpoint(
  { allowInsecureHttp }: ResolvedOAuthProvider,
  value: unknown,
  isForeign: boolean,
): URL | null {
  const url = typeof value === 'string' ? parseUrl(value) : null
  // A user name could hide the host from whoever reads the URL.
  if (url?.username !== '' || url.password !== '') return null
  const mayBeHttp = allowInsecureHttp || !isForeign
  return isProtected(url, allowInsecureHttp) && (url.protocol === 'https:' || mayBeHttp) ? url : null
}

/** Members that are null or empty should have been left out (RFC 8414 §3.2), and count as absent. */
const withoutEmpty = (document: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(document).filter(
      ([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )

const present = (members: Record<string, string | null | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(members).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))

/** What calls to providers work with; made once per configuration. */
export interface OAuthClient {
  readonly metadataOf: MetadataSource
  readonly keySets: KeySets
  /** The `fetch` for calls to a provider, within its limits. */
  channelOf(provider: ResolvedOAuthProvider): typeof fetch
  /** Milliseconds since the epoch. */
  readonly now: () => number
}
