import { sha256Base64url } from '../../crypto/digest.js'
import type { ClientFacts, ResolvedOAuthProvider } from '../../providers/provider.js'
import type { CheckName } from './attempt-cookies.js'
import type { OAuthClient } from './client.js'
import { ProviderFault } from './faults.js'
import { COMPUTED, isReserved } from './reserved-parameters.js'

/** What an authorization request is made of. */
export interface AuthorizationRequest {
  readonly provider: ResolvedOAuthProvider
  readonly redirectUri: string
  /** Null when the provider's checks are switched off altogether. */
  readonly state: string | null
  readonly values: Readonly<Partial<Record<CheckName, string>>>
  /** Parameters of the sign-in request. */
  readonly requested: URLSearchParams
}

/**
 * The parameters of the authorization request, in order: the configured URL's own, the protocol's, the provider's, those of
 * the sign-in request that are not reserved, and the checks.
 *
 * @param ownQuery the query of the configured URL
 */
export function authorizationParameters(request: AuthorizationRequest, ownQuery: URLSearchParams): URLSearchParams {
  const { provider, redirectUri, state, values, requested } = request
  const params = new URLSearchParams([...ownQuery].filter(([name]) => !COMPUTED.has(name)))
  params.set('response_type', 'code')
  params.set('client_id', provider.clientId)
  params.set('redirect_uri', redirectUri)
  for (const [name, value] of Object.entries(provider.authorization.params)) {
    const text = parameterText(value, provider)
    if (text !== '' && !COMPUTED.has(name)) params.set(name, text)
  }
  for (const [name, value] of requested) {
    if (!isReserved(name)) params.set(name, value)
  }
  if (state !== null) params.set('state', state)
  if (values.pkce !== undefined) {
    // S256 always: with "plain" whoever sees the request has the verifier (RFC 7636 §7.2).
    params.set('code_challenge', sha256Base64url(values.pkce))
    params.set('code_challenge_method', 'S256')
  }
  if (values.nonce !== undefined) params.set('nonce', values.nonce)
  return params
}

/** A configured parameter as text; an object, such as `claims`, as JSON; empty text for one that is not to be sent. */
function parameterText(value: unknown, { clientId, clientSecret }: ResolvedOAuthProvider): string {
  if (typeof value === 'function') {
    const compute = value as (client: ClientFacts) => unknown
    return String(compute({ clientId, clientSecret }) ?? '')
  }
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The configured authorization endpoint, its query apart. */
export function splitEndpoint(
  provider: ResolvedOAuthProvider,
  endpoint: string | undefined,
): { url: string; query: URLSearchParams } {
  if (endpoint === undefined) {
    throw new ProviderFault(
      `Provider "${provider.id}": its metadata has no authorization_endpoint. Set the authorization option.`,
    )
  }
  const url = new URL(endpoint)
  const query = new URLSearchParams(url.search)
  url.search = ''
  return { url: url.href, query }
}

/** Where to send the browser. The request itself goes ahead over the back channel where the provider demands that (RFC 9126). */
export async function authorizationUrl(
  { library, configuration }: OAuthClient,
  params: URLSearchParams,
  isPushed: boolean,
): Promise<URL> {
  if (!isPushed) return library.buildAuthorizationUrl(configuration, params)
  return library.buildAuthorizationUrlWithPAR(configuration, params)
}
