import type {
  ClientAuth,
  ClientMetadata,
  Configuration,
  CustomFetch,
  DecryptionKey,
  ServerMetadata,
} from 'openid-client'
import { loadOnce } from '../../awaitable.js'
import type { ClientKey } from '../../providers/client-keys.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { clientAssertion, guardedFetch } from './client-assertion.js'
import { importPrivateKey, keyIdOf, type Library } from './client-keys.js'
import { clientSecretBasic } from './client-secret-basic.js'
import type { ProviderMetadata } from './metadata.js'
import { PROVIDER_CLOCK_TOLERANCE_SECONDS } from './times.js'

/** An `import()` of what is loaded already still goes through the loader of modules, at each step of each sign-in. */
const loadLibrary = loadOnce(() => import('openid-client'))

/** The protocol library, set up for one provider. */
export interface OAuthClient {
  readonly library: Library
  readonly configuration: Configuration
  /** What the client was made of. The configuration would give a copy of it. */
  readonly server: ServerMetadata
}

/** What a client is made of. */
export interface ClientSettings {
  readonly provider: ResolvedOAuthProvider
  readonly metadata: ProviderMetadata
  /** Carries out the library's calls; it alone decides on schemes and limits. */
  readonly fetch: typeof fetch
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A client for the calls of one provider. The library is loaded when the first is made. */
export async function openClient({ provider, metadata, fetch, now }: ClientSettings): Promise<OAuthClient> {
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
  const kid = await keyIdOf(key)
  return { key: await importPrivateKey(key), ...(kid !== undefined && { kid }) }
}

const announcedMethod = (methods: readonly string[] | undefined) =>
  methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
    ? 'client_secret_post'
    : 'client_secret_basic'
