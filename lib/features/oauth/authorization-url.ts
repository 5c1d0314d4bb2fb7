import { sha256Base64url } from '../../kernel/digest.js'
import { RequestRefused } from '../../kernel/errors.js'
import type { BoundCalls, ProtocolClient } from '../../oauth/client.js'
import { changedAssertion, type PrivateKey } from '../../oauth/client-keys.js'
import { ProviderFault } from '../../oauth/faults.js'
import { COMPUTED, isMaxAge, isPassedOn, isReserved } from '../../providers/authorization-parameters.js'
import type { ClientFacts, ResolvedOAuthProvider } from '../../providers/provider.js'
import type { FurtherAccess } from '../../sign-in/flow.js'
import type { CheckName } from './dependencies.js'

/** What an authorization request is made of. */
interface AuthorizationRequest {
  readonly provider: ResolvedOAuthProvider
  readonly redirectUri: string
  /** Null when the provider's checks are switched off altogether. */
  readonly state: string | null
  readonly values: Readonly<Partial<Record<CheckName, string>>>
  /** Parameters of the sign-in request. */
  readonly requested: URLSearchParams
  /** Thumbprint of the key that the code is bound to (RFC 9449 §10). */
  readonly boundTo?: string | undefined
  /** Values of `prompt` that the provider's metadata name; undefined if they name none. */
  readonly prompts?: readonly string[] | undefined
  /** Undefined for nothing. */
  readonly further: FurtherAccess | undefined
}

/**
 * The parameters of the authorization request, in order: the configured URL's own, the protocol's, the provider's,
 * those of the sign-in request that may be passed on and are not configured, further scopes, and the checks.
 *
 * @throws {RequestRefused} 400 when the sign-in request has a `max_age` that is no number of seconds: without it,
 *   nobody would sign in again
 * @param ownQuery the query of the configured URL
 */
export function authorizationParameters(request: AuthorizationRequest, ownQuery: URLSearchParams): URLSearchParams {
  const { provider, redirectUri, state, values, requested, boundTo, further } = request
  const params = new URLSearchParams([...ownQuery].filter(([name]) => !COMPUTED.has(name)))
  params.set('response_type', 'code')
  params.set('client_id', provider.clientId)
  params.set('redirect_uri', redirectUri)
  for (const [name, value] of Object.entries(provider.authorization.params)) {
    const text = parameterText(value, provider)
    if (text !== '' && !COMPUTED.has(name)) params.set(name, text)
  }
  for (const [name, values] of passedOn(requested, provider, ownQuery)) {
    params.delete(name)
    for (const value of values) params.append(name, value)
  }
  if (provider.requiredAcr.length > 0 && !asksForAcr(params)) params.set('acr_values', provider.requiredAcr.join(' '))
  if (further) addFurtherAccess(params, further, provider)
  if (further?.choosesAccount) askForChoice(params, request.prompts)
  if (state !== null) params.set('state', state)
  if (values.pkce !== undefined) {
    // Always S256: with "plain", anybody who sees the request knows the verifier (RFC 7636 §7.2).
    params.set('code_challenge', sha256Base64url(values.pkce))
    params.set('code_challenge_method', 'S256')
  }
  if (values.nonce !== undefined) params.set('nonce', values.nonce)
  if (boundTo !== undefined) params.set('dpop_jkt', boundTo)
  return params
}

/** The configured scope stays: the sign-in with this account needs it too. So do configured parameters. */
function addFurtherAccess(
  params: URLSearchParams,
  { scope, offline }: FurtherAccess,
  { client, tokenFacts }: ResolvedOAuthProvider,
): void {
  const refresh = offline && typeof tokenFacts.refresh === 'object' ? tokenFacts.refresh : {}
  const configured = params.get('scope') ?? (client['default_scope'] as string | undefined) ?? ''
  const words = new Set([configured, scope ?? '', refresh.scope ?? ''].join(' ').split(' ').filter(Boolean))
  if (words.size > 0) params.set('scope', [...words].join(' '))
  if (scope !== null)
    for (const [name, value] of Object.entries(tokenFacts.incrementalParams ?? {})) params.set(name, value)
  for (const [name, value] of Object.entries(refresh.params ?? {})) if (!params.has(name)) params.set(name, value)
}

/**
 * Beside another value of `prompt`, such as the `consent` that a refresh token needs. A provider that cannot let people
 * choose asks them to sign in, where they can choose as well.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1; Initiating User Registration via OpenID Connect 1.0 §4 for the metadata
 */
function askForChoice(params: URLSearchParams, prompts: readonly string[] = ['select_account']): void {
  const choice = ['select_account', 'login'].find((each) => prompts.includes(each))
  if (choice === undefined) return
  const words = new Set([choice, ...(params.get('prompt') ?? '').split(' ').filter(Boolean)])
  params.set('prompt', [...words].join(' '))
}

/**
 * The parameters of a sign-in request that are passed on to the provider. The visitor cannot change what the
 * application configured, such as a recent sign-in, a second factor, or an organisation.
 */
function passedOn(
  requested: URLSearchParams,
  provider: ResolvedOAuthProvider,
  ownQuery: URLSearchParams,
): [name: string, values: readonly string[]][] {
  const { forwardedParams } = provider
  const isFixed = (name: string) =>
    isConfigured(provider, name, ownQuery) || (name === 'acr_values' && provider.requiredAcr.length > 0)
  const names = [...new Set(requested.keys())].filter(
    (name) => (isPassedOn(name) || forwardedParams.has(name)) && !isReserved(name) && !isFixed(name),
  )
  const maxAges = names.includes('max_age') ? requested.getAll('max_age') : []
  if (!maxAges.every(isMaxAge) || maxAges.length > 1) {
    throw new RequestRefused(400, 'max_age is not one whole number of seconds.')
  }
  // A parameter that the application adds may have several values, as `resource` does (RFC 8707 §2).
  return names.map((name) => [name, isPassedOn(name) ? requested.getAll(name).slice(-1) : requested.getAll(name)])
}

/** Whether the application says what a parameter of the authorization request is. */
export const isConfigured = (
  { authorization, client }: ResolvedOAuthProvider,
  name: string,
  ownQuery = authorization.url?.searchParams,
): boolean => ownQuery?.has(name) || (authorization.params[name] ?? client[`default_${name}`] ?? null) !== null

/**
 * The seconds that may have passed since the person proved who they are: those that were asked for, else those of the
 * registration; undefined when there are none.
 *
 * @throws {ProviderFault} when a function of the configuration gave something else
 */
export function maxAgeOf(params: URLSearchParams, { id, client }: ResolvedOAuthProvider): number | undefined {
  const text = params.get('max_age') ?? client['default_max_age']
  if (text === undefined || isMaxAge(String(text))) return text === undefined ? undefined : Number(text)
  throw new ProviderFault(`Provider "${id}": max_age is computed, and is not a whole number of seconds.`)
}

/** A configured parameter as text; an object, such as `claims`, as JSON; empty when it is not to be sent. */
function parameterText(value: unknown, { clientId, clientSecret }: ResolvedOAuthProvider): string {
  if (typeof value === 'function') {
    const compute = value as (client: ClientFacts) => unknown
    return String(compute({ clientId, clientSecret }) ?? '')
  }
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The configured authorization endpoint, with its query separated from it. */
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

/** How an authorization request gets to the provider. */
interface RequestDelivery {
  /** Signs the request; null if it is not signed. */
  readonly key: PrivateKey | null
  /** Whether the back channel takes it to the provider, so that the browser only names it. */
  readonly isPushed: boolean
  readonly bound: BoundCalls
}

/**
 * The URL to send the browser to. Where requests are signed, the parameters are in a JWT (RFC 9101). Where they are pushed,
 * the parameters or the JWT are sent to the provider first, over the back channel (RFC 9126).
 */
export async function authorizationUrl(
  { library, configuration }: ProtocolClient,
  params: URLSearchParams,
  { key, isPushed, bound }: RequestDelivery,
): Promise<URL> {
  const url = key
    ? await library.buildAuthorizationUrlWithJAR(
        configuration,
        params,
        key,
        changedAssertion(library, () => key.alg),
      )
    : library.buildAuthorizationUrl(configuration, params)
  // OAuth itself needs these two outside of the JWT (OpenID Connect Core 1.0 §6.1). A pushed request is the JWT alone.
  for (const name of key && !isPushed ? ['response_type', 'scope'] : []) {
    const value = params.get(name)
    if (value !== null) url.searchParams.set(name, value)
  }
  return isPushed ? library.buildAuthorizationUrlWithPAR(configuration, url.searchParams, bound) : url
}

/** Whether the parameters ask for a way of signing in, with `acr_values` or with `claims`. */
const asksForAcr = (params: URLSearchParams): boolean => params.has('acr_values') || acrRequest(params) !== null

/**
 * The ways of signing in, one of which the request demands: those of an essential `acr` in `claims`. Empty if the ID token
 * must name a way, whichever it is; undefined if the request demands none. `acr_values` alone is a wish.
 *
 * @see OpenID Connect Core 1.0 §5.5.1.1
 */
export function essentialAcr(params: URLSearchParams, { type }: ResolvedOAuthProvider): readonly string[] | undefined {
  const request = type === 'oidc' ? acrRequest(params) : null
  if (request?.essential !== true) return undefined
  const named = Array.isArray(request.values) ? request.values : [request.value]
  return named.filter((value) => typeof value === 'string')
}

/** The request for `acr` in the parameter `claims`, for ID tokens (OpenID Connect Core 1.0 §5.5.1). */
function acrRequest(params: URLSearchParams): { essential?: unknown; value?: unknown; values?: unknown } | null {
  const text = params.get('claims')
  if (text === null) return null
  try {
    const { id_token: idToken } = JSON.parse(text) as { id_token?: { acr?: unknown } }
    const acr = idToken?.acr
    return typeof acr === 'object' && acr !== null ? acr : null
  } catch {
    // The provider refuses it; a request object cannot even be made of it.
    return null
  }
}
