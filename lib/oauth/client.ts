import type {
  ClientAuth,
  ClientMetadata,
  Configuration,
  CustomFetch,
  DecryptionKey,
  DPoPHandle,
  ServerMetadata,
} from 'openid-client'
import { loadOnce } from '../kernel/awaitable.js'
import type { ClientKey } from '../providers/client-keys.js'
import type { ResolvedOAuthProvider } from '../providers/provider.js'
import { clientAssertion, clientSecretBasic, guardedFetch } from './client-authentication.js'
import { announcedName, changedAssertion, clientKeyId, importPrivateKey, type Library } from './client-keys.js'
import type { ProviderMetadata } from './metadata.js'
import { PROVIDER_CLOCK_TOLERANCE_SECONDS } from './times.js'

/** An `import()` of what is loaded already still goes through the loader of modules, at each step of each sign-in. */
const loadLibrary = loadOnce(() => import('openid-client'))

/** The protocol library, set up for one provider. */
export interface ProtocolClient {
  readonly library: Library
  readonly configuration: Configuration
  /** What the client was made of. The configuration would give a copy of it. */
  readonly server: ServerMetadata
}

/** What a client is made of. */
interface ClientSettings {
  readonly provider: ResolvedOAuthProvider
  readonly metadata: ProviderMetadata
  /** Carries out the library's calls; it alone decides on schemes and limits. */
  readonly fetch: typeof fetch
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A client for the calls of one provider. The library is loaded when the first is made. */
export async function openClient({ provider, metadata, fetch, now }: ClientSettings): Promise<ProtocolClient> {
  const library = await loadLibrary()
  const { userinfo_signed_response_alg } = provider.client
  const client: Partial<ClientMetadata> = {
    ...(userinfo_signed_response_alg !== undefined && { userinfo_signed_response_alg }),
    use_mtls_endpoint_aliases: provider.usesMutualTls,
    [library.clockSkew]: clockSkewOf(now),
    [library.clockTolerance]: PROVIDER_CLOCK_TOLERANCE_SECONDS,
  }
  // Made only when a call needs it: most steps do not authenticate, and making a secret or a key may take time.
  const authenticate: ClientAuth = async (...request) => (await clientAuth(library, provider, metadata))(...request)
  const configuration = new library.Configuration(metadata.server, provider.clientId, client, authenticate)
  const { decryption } = provider.keys
  if (decryption.length > 0) {
    const keys = await Promise.all(decryption.map(decryptionKey))
    library.enableDecryptingResponses(configuration, undefined, ...keys)
  }
  configuration[library.customFetch] = guardedFetch(provider, metadata.server, fetch as CustomFetch)
  // No second timer and signal for each call: the back channel has a shorter time limit.
  configuration.timeout = 0
  // The library must allow plain http, for loopback. The back channel refuses it where it is not allowed.
  library.allowInsecureRequests(configuration)
  return { library, configuration, server: metadata.server }
}

/** Seconds by which the clock of the configuration is ahead of the one that the library reads. */
export const clockSkewOf = (now: () => number): number => Math.round((now() - Date.now()) / 1000)

/** How the client authenticates: as configured, or else by a secret in the way that the server announces. */
async function clientAuth(
  library: Library,
  provider: ResolvedOAuthProvider,
  { server }: ProviderMetadata,
): Promise<ClientAuth> {
  const secret = provider.makeClientSecret
    ? await provider.makeClientSecret({ clientId: provider.clientId })
    : provider.clientSecret
  switch (provider.client.token_endpoint_auth_method ?? announcedMethod(server.token_endpoint_auth_methods_supported)) {
    case 'none':
      return library.None()
    case 'private_key_jwt':
      return clientAssertion(library, provider, server)
    case 'tls_client_auth':
    case 'self_signed_tls_client_auth':
      // The certificate of the connection proves who calls; the request only names the client.
      return library.TlsClientAuth()
    case 'client_secret_jwt':
      return clientAssertion(library, provider, server, { text: secret })
    case 'client_secret_post':
      return library.ClientSecretPost(secret)
    default:
      // A provider with a token hook may have no secret.
      return secret === undefined ? library.None() : clientSecretBasic(secret)
  }
}

async function decryptionKey(key: ClientKey): Promise<DecryptionKey> {
  const kid = await clientKeyId(key)
  return { key: await importPrivateKey(key), ...(kid !== undefined && { kid }) }
}

const announcedMethod = (methods: readonly string[] | undefined) =>
  methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
    ? 'client_secret_post'
    : 'client_secret_basic'

/** A client that one code exchange has for itself. */
interface ExchangeClient extends ProtocolClient {
  /** Seconds from the clock of this machine to that of the configuration, as the client was made with them. */
  readonly clockSkew: number
}

/** Clients that no exchange has at the moment. The metadata of each provider of a configuration are an object of their own. */
const idle = new WeakMap<ProviderMetadata, ExchangeClient[]>()

/** More than so many exchanges at the same time make clients that are not kept. */
const MOST_IDLE = 8

/**
 * A client for one code exchange. Only {@link giveBack} lets another exchange have it: the library reads its `fetch`
 * again when it repeats a call, so that two exchanges with one client could get the answers of each other.
 */
export async function takeExchangeClient(settings: ClientSettings): Promise<ExchangeClient> {
  const { metadata, fetch, now } = settings
  const clockSkew = clockSkewOf(now)
  const kept = idle.get(metadata)?.pop()
  if (kept?.clockSkew === clockSkew) {
    kept.configuration[kept.library.customFetch] = fetch as CustomFetch
    return kept
  }
  // `iss` of the answer is compared before the exchange, and the library is not shown it.
  const server = { ...metadata.server, authorization_response_iss_parameter_supported: false }
  return { ...(await openClient({ ...settings, metadata: { ...metadata, server } })), clockSkew }
}

/** Keeps a client for a later exchange. After a failure it is not given back. */
export function giveBack(client: ExchangeClient, metadata: ProviderMetadata): void {
  // Its `fetch` holds the code and the tokens of the exchange.
  client.configuration[client.library.customFetch] = refuseCalls
  const kept = idle.get(metadata)
  if (!kept) idle.set(metadata, [client])
  else if (kept.length < MOST_IDLE) kept.push(client)
}

const refuseCalls: CustomFetch = () => Promise.reject(new Error('No code exchange has this client.'))

/** What calls to a provider get as their options: with the key that tokens are bound to, if there is one. */
export interface BoundCalls {
  readonly DPoP?: DPoPHandle
}

const handles = new WeakMap<ResolvedOAuthProvider, Promise<DPoPHandle>>()
/** The newest names of algorithms that a provider lists: a handle outlives the metadata that it was made with. */
const announced = new WeakMap<ResolvedOAuthProvider, unknown>()

/**
 * The options for every call of the protocol library that gets or shows an access token: the code exchange, the refresh,
 * userinfo, and pushed authorization requests. All calls of a provider share what the library remembers, the nonces of the
 * servers (RFC 9449 §8).
 *
 * @returns an empty object if the provider has no key for it
 */
export async function dpopOf(provider: ResolvedOAuthProvider, client: ProtocolClient): Promise<BoundCalls> {
  if (!provider.keys.dpop) return {}
  announced.set(provider, client.server['dpop_signing_alg_values_supported'])
  const known = handles.get(provider)
  if (known) return { DPoP: await known }
  const made = makeHandle(provider, client)
  handles.set(provider, made)
  return { DPoP: await made }
}

async function makeHandle(
  provider: ResolvedOAuthProvider,
  { library, configuration }: ProtocolClient,
): Promise<DPoPHandle> {
  const { dpop } = provider.keys
  if (!dpop?.publicKey) throw new TypeError('dpop needs a key whose public part is known')
  const { importJWK } = await import('jose')
  const publicKey = await importJWK({ ...dpop.publicKey.export({ format: 'jwk' }), ext: true }, dpop.alg)
  const keyPair = { privateKey: await importPrivateKey(dpop), publicKey }
  const named = changedAssertion(library, () => announcedName(dpop.alg, announced.get(provider)))
  return library.getDPoPHandle(configuration, keyPair as Parameters<typeof library.getDPoPHandle>[1], named)
}

/** The redirect URI of a provider under a mount: the URL of the callback, exactly as it is sent to the provider. */
export const redirectUriAt = (mountUrl: string, { id }: ResolvedOAuthProvider): string =>
  new URL(`${mountUrl.replace(/\/+$/, '')}/callback/${id}`).href

/** The redirect URI of the mount itself, and the one that a provider is sent: that of the redirect proxy if there is one. */
export function redirectUrisOf(mountUrl: string, provider: ResolvedOAuthProvider): RedirectUris {
  const own = redirectUriAt(mountUrl, provider)
  const { redirectProxyUrl } = provider
  return { own, sent: redirectProxyUrl === undefined ? own : redirectUriAt(redirectProxyUrl, provider) }
}

export interface RedirectUris {
  readonly own: string
  readonly sent: string
}
