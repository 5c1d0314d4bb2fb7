import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { splitEndpoint } from './authorization-url.js'
import { clockSkewOf, type OAuthClient, openClient } from './client.js'
import type { OAuthDependencies } from './dependencies.js'
import { endpointFetch } from './endpoint-fetch.js'
import type { ProviderMetadata } from './metadata.js'

/** What makes authorization requests to one provider. */
export interface AuthorizationClient {
  readonly client: OAuthClient
  /** The query of the configured authorization endpoint. The client knows the endpoint without it. */
  readonly query: URLSearchParams
}

/** The metadata of each provider of a configuration are an object of their own, until they are fetched again. */
const known = new WeakMap<ProviderMetadata, AuthorizationClient & { readonly clockSkew: number }>()

/**
 * The client for the authorization requests of a provider. It is made once for the provider's metadata, because the
 * library copies all of them, and again when the clock was changed.
 *
 * @throws {ProviderFault} when the metadata have no authorization endpoint
 */
export async function authorizationClient(
  provider: ResolvedOAuthProvider,
  metadata: ProviderMetadata,
  { channelOf, now }: Pick<OAuthDependencies, 'channelOf' | 'now'>,
): Promise<AuthorizationClient> {
  const clockSkew = clockSkewOf(now)
  const before = known.get(metadata)
  if (before?.clockSkew === clockSkew) return before
  const { url, query } = splitEndpoint(provider, metadata.server.authorization_endpoint)
  const server = { ...metadata.server, authorization_endpoint: url }
  // Its only call is the pushed request.
  const name = 'pushed_authorization_request_endpoint'
  const fetch = endpointFetch(channelOf(provider), { name, secrets: [provider.clientSecret] })
  const client = await openClient({ provider, metadata: { ...metadata, server }, fetch, now })
  const made = { client, query, clockSkew }
  known.set(metadata, made)
  return made
}
