import type { ClientAuth, ClientMetadata, Configuration, CustomFetch } from 'openid-client'
import type { ClientPrivateKey, ResolvedOAuthProvider } from '../../providers/provider.js'
import { clientSecretBasic } from './client-secret-basic.js'
import type { ProviderMetadata } from './metadata.js'
import { PROVIDER_CLOCK_TOLERANCE_SECONDS } from './times.js'

type Library = typeof import('openid-client')

/** The protocol library, set up for one provider. */
export interface OAuthClient {
  readonly library: Library
  readonly configuration: Configuration
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

/** A client for one step of one sign-in. The library is loaded when the first is made. */
export async function openClient({ provider, metadata, fetch, now }: ClientSettings): Promise<OAuthClient> {
  const library = await import('openid-client')
  const client: Partial<ClientMetadata> = {
    ...overrides(provider),
    [library.clockSkew]: Math.round((now() - Date.now()) / 1000),
    [library.clockTolerance]: PROVIDER_CLOCK_TOLERANCE_SECONDS,
  }
  // Made only when a call needs it: most steps do not authenticate, and making a secret or a key may take time.
  const authenticate: ClientAuth = async (...request) => (await clientAuth(library, provider, metadata))(...request)
  const configuration = new library.Configuration(metadata.server, provider.clientId, client, authenticate)
  configuration[library.customFetch] = fetch as CustomFetch
  // The library must allow plain http, for loopback. The back channel refuses it where it is not allowed.
  library.allowInsecureRequests(configuration)
  return { library, configuration }
}

/** Members of the client metadata that the library acts on. */
function overrides({ client }: ResolvedOAuthProvider): Partial<ClientMetadata> {
  const names = ['id_token_signed_response_alg', 'userinfo_signed_response_alg', 'require_auth_time', 'default_max_age']
  return Object.fromEntries(
    names.filter((name) => client[name] !== undefined).map((name) => [name, client[name]]),
  ) as Partial<ClientMetadata>
}

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
      return library.PrivateKeyJwt(await importKey(provider))
    case 'client_secret_jwt':
      return library.ClientSecretJwt(secret)
    case 'client_secret_post':
      return library.ClientSecretPost(secret)
    default:
      // A provider with a token hook may have no secret.
      return secret === undefined ? library.None() : clientSecretBasic(secret)
  }
}

const announcedMethod = (methods: readonly string[] | undefined) =>
  methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
    ? 'client_secret_post'
    : 'client_secret_basic'

type ImportedKey = Parameters<Library['PrivateKeyJwt']>[0]

const importedKeys = new WeakMap<object, Promise<ImportedKey>>()

/** The key that signs client assertions, imported once. */
function importKey({ token, client }: ResolvedOAuthProvider): Promise<ImportedKey> {
  const given = token.clientPrivateKey
  if (given === undefined) throw new TypeError('private_key_jwt needs token.clientPrivateKey')
  const known = importedKeys.get(given)
  if (known) return known
  const imported = readKey(given, client.token_endpoint_auth_signing_alg)
  importedKeys.set(given, imported)
  return imported
}

async function readKey(given: ClientPrivateKey, algorithm: string | undefined): Promise<ImportedKey> {
  const { key, kid }: { key: object; kid?: string } = 'key' in given ? given : { key: given }
  if (!('kty' in key)) return { key: key as CryptoKeyLike, ...(kid === undefined ? {} : { kid }) }
  const jwk = key as import('jose').JWK
  const { importJWK } = await import('jose')
  const keyId = kid ?? jwk.kid
  return {
    key: (await importJWK(jwk, algorithm ?? jwk.alg ?? usualAlgorithm(jwk))) as CryptoKeyLike,
    ...(keyId === undefined ? {} : { kid: keyId }),
  }
}

type CryptoKeyLike = import('openid-client').CryptoKey

const EC_ALGORITHMS: Record<string, string> = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' }

const usualAlgorithm = ({ kty, crv }: import('jose').JWK): string =>
  kty === 'EC' ? (EC_ALGORITHMS[crv ?? ''] ?? 'ES256') : kty === 'OKP' ? 'EdDSA' : 'RS256'
