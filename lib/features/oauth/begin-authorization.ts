import { randomToken } from '../../kernel/random.js'
import { clockSkewOf, dpopOf, openClient, type ProtocolClient, redirectUrisOf } from '../../oauth/client.js'
import { type PrivateKey, signingKey } from '../../oauth/client-keys.js'
import { endpointFetch } from '../../oauth/endpoint-fetch.js'
import { asAuthError, ProviderFault } from '../../oauth/faults.js'
import type { ProviderMetadata } from '../../oauth/metadata.js'
import { isRemembered } from '../../pages/form-field.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { FlowStart, LinkStart } from '../../sign-in/flow.js'
import type { Visit } from '../../sign-in/visit.js'
import { saveTransaction } from './authorization-transaction.js'
import {
  authorizationParameters,
  authorizationUrl,
  essentialAcr,
  maxAgeOf,
  splitEndpoint,
} from './authorization-url.js'
import type { CheckName, OAuthDependencies } from './dependencies.js'
import { OAuthSignInError } from './errors.js'

/** A link passes nothing of its request on: whoever wrote its URL chooses nothing about it. */
const NOTHING_REQUESTED = new URLSearchParams()

/**
 * Where to send the browser for a sign-in or a link, and the cookies that bind the answer to it.
 *
 * @param initiator who is signed in, as in `Identity.initiator`
 * @param link undefined for a sign-in
 * @throws {OAuthSignInError} when the provider cannot be reached or its metadata is unusable
 */
export async function beginAuthorization(
  request: Visit,
  provider: ResolvedOAuthProvider,
  initiator: string | null,
  link: LinkStart | undefined,
  dependencies: OAuthDependencies,
): Promise<FlowStart> {
  try {
    const metadata = await dependencies.metadataOf(provider)
    const checks = dependencies.checksOf(provider, metadata)
    const { own, sent: redirectUri } = redirectUrisOf(request.mountUrl, provider)
    const state = makeState(provider, checks, own, dependencies)
    const values: Partial<Record<CheckName, string>> = {
      ...(checks.has('state') && state !== null ? { state } : {}),
      ...(checks.has('pkce') ? { pkce: randomToken() } : {}),
      ...(checks.has('nonce') ? { nonce: randomToken() } : {}),
    }
    const { client, query } = await authorizationClient(provider, metadata, dependencies)
    const bound = await dpopOf(provider, client)
    const boundTo = await bound.DPoP?.calculateThumbprint()
    const requested = link ? NOTHING_REQUESTED : request.query
    const prompts = promptsOf(metadata)
    const wanted = { provider, redirectUri, state, values, requested, boundTo, prompts, further: link }
    const params = authorizationParameters(wanted, query)
    const maxAge = maxAgeOf(params, provider)
    const isPushed =
      provider.pushedAuthorizationRequests || metadata.server.require_pushed_authorization_requests === true
    const key = await requestKey(provider, metadata)
    const url = await authorizationUrl(client, params, { key, isPushed, bound })
    const started = { provider: provider.id, checks: [...checks], isPushed, redirectUri }
    dependencies.logger.debug('oauth-started', started, request.incoming.source)
    if (state === null) return { url: url.href, cookies: [] }
    const transaction = {
      values,
      redirectUri,
      issuer: metadata.issuer,
      maxAge,
      acr: essentialAcr(params, provider),
      returnTarget: await request.returnTarget(),
      initiator,
      linkSessionDigest: link?.sessionDigest ?? null,
      linkRequest: link?.request,
      isRemembered: dependencies.asksToRemember && isRemembered(request.fields),
    }
    return { url: url.href, cookies: saveTransaction(request, provider, state, transaction, dependencies) }
  } catch (error) {
    throw asAuthError(OAuthSignInError, error, provider.id, [provider.clientSecret ?? ''])
  }
}

function promptsOf({ server }: ProviderMetadata): readonly string[] | undefined {
  const { prompt_values_supported: values } = server as { readonly prompt_values_supported?: unknown }
  return Array.isArray(values) ? values : undefined
}

/** The key that signs the request; null if it is not signed. */
function requestKey(provider: ResolvedOAuthProvider, { server }: ProviderMetadata): Promise<PrivateKey> | null {
  const isDemanded = server.require_signed_request_object === true
  if (!provider.signsRequests && !isDemanded) return null
  const { requestObject } = provider.keys
  if (requestObject) return signingKey(provider, requestObject, server['request_object_signing_alg_values_supported'])
  throw new ProviderFault(
    `Provider "${provider.id}": it requires signed requests, and there is no key. Set requestObjects: { signingKey }.`,
  )
}

/**
 * The state, by which the transaction is found again. It is sent with every choice of checks; null if all checks are
 * switched off.
 */
function makeState(
  provider: ResolvedOAuthProvider,
  checks: ReadonlySet<CheckName>,
  ownRedirectUri: string,
  { proxy }: OAuthDependencies,
): string | null {
  if (checks.size === 0) return null
  return provider.redirectProxyUrl ? proxy.makeState(provider, ownRedirectUri) : randomToken()
}

/** What makes authorization requests to one provider. */
interface AuthorizationClient {
  readonly client: ProtocolClient
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
async function authorizationClient(
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
