import { OAuthCallbackError } from '../../errors.js'
import type { TokenSet } from '../../providers/provider.js'
import { openClient } from './client.js'
import { clockHint } from './clock-hint.js'
import { cleanError, ProviderFault, printableCode } from './faults.js'
import type { Finishing } from './finish-sign-in.js'
import { isTenantTemplate } from './issuer.js'

/**
 * The tokens for the code of an answer.
 *
 * @returns the whole token response, `token_type` in lower case, `expires_at` computed
 * @throws {OAuthCallbackError} when the code is not (any longer) good
 * @throws {ProviderFault} for every other answer that is not tokens
 */
export async function exchangeCode(finishing: Finishing): Promise<TokenSet> {
  const { answer, parts } = finishing
  const tokens = answer.provider.token.request ? await askHook(finishing) : await askEndpoint(finishing)
  if (typeof tokens.access_token !== 'string' || tokens.access_token === '') {
    throw new ProviderFault(`Provider "${answer.provider.id}": the token answer has no access_token.`)
  }
  const { token_type, expires_in } = tokens
  const lifetime = expires_in === undefined || expires_in === null ? Number.NaN : Number(expires_in)
  return {
    ...tokens,
    ...(typeof token_type === 'string' ? { token_type: token_type.toLowerCase() as Lowercase<string> } : {}),
    ...(Number.isFinite(lifetime) ? { expires_at: Math.floor(parts.now() / 1000) + Math.floor(lifetime) } : {}),
  }
}

/** Lets the provider's own hook do the whole request. */
async function askHook({ answer, attempt, parts, hookProvider, params, secrets }: Finishing): Promise<TokenSet> {
  const { provider } = answer
  const { pkce, state, nonce } = attempt.values
  const checks = {
    ...(pkce === undefined ? {} : { code_verifier: pkce }),
    ...(state === undefined ? {} : { state }),
    ...(nonce === undefined ? {} : { nonce }),
  }
  let tokens: TokenSet | undefined
  try {
    tokens = (
      await provider.token.request?.({ params, checks, provider: hookProvider, fetch: parts.channelOf(provider) })
    )?.tokens
  } catch (error) {
    throw new ProviderFault(
      `Provider "${provider.id}": its token.request failed. ${cleanError(error, secrets).message}`,
    )
  }
  if (typeof tokens !== 'object' || tokens === null) {
    throw new ProviderFault(
      `Provider "${provider.id}": its token.request gave no tokens. It must give { tokens: { access_token, … } }.`,
    )
  }
  return tokens
}

/** A token endpoint's answer, as it came and as the library is shown it. */
interface Received {
  status: number
  body: Record<string, unknown> | null
}

async function askEndpoint(finishing: Finishing): Promise<TokenSet> {
  const { answer, attempt, metadata, parts, secrets } = finishing
  const { provider } = answer
  // An ID token nobody asked for has no issuer to be checked against; one of a shared endpoint has its tenant's. Ours checks both.
  const isHidden = provider.type === 'oauth' || isTenantTemplate(metadata.issuer ?? '')
  const received: Received = { status: 0, body: null }
  const { library, configuration } = await openClient({
    provider,
    metadata: { ...metadata, server: { ...metadata.server, authorization_response_iss_parameter_supported: false } },
    fetch: observe(finishing, received, isHidden),
    now: parts.now,
  })
  try {
    const tokens = await library.authorizationCodeGrant(
      configuration,
      // `state` and `iss` have been compared; the library sees what it needs for the token request.
      callbackWith(attempt.redirectUri, answer.params.get('code') ?? ''),
      {
        ...(attempt.values.pkce === undefined ? {} : { pkceCodeVerifier: attempt.values.pkce }),
        ...(attempt.values.nonce === undefined || isHidden ? {} : { expectedNonce: attempt.values.nonce }),
        ...(attempt.maxAge === undefined || isHidden ? {} : { maxAge: attempt.maxAge }),
        idTokenExpected: !isHidden,
      },
      tokenParameters(finishing),
    )
    return { ...received.body, ...tokens } as TokenSet
  } catch (error) {
    if (error instanceof library.ResponseBodyError) {
      const code = printableCode(error.error)
      if (error.error === 'invalid_grant') {
        throw new OAuthCallbackError(
          `Provider "${provider.id}" refused the code (invalid_grant): it was used, has expired, or was issued for another redirect_uri.`,
          { provider: provider.id },
        )
      }
      throw new ProviderFault(
        `Provider "${provider.id}": the token endpoint answered with the error ${code} (status ${received.status}). ${hint(error.error)}`,
      )
    }
    const fault = cleanError(error, secrets)
    const status = received.status === 0 ? '' : ` The token endpoint answered with the status ${received.status}.`
    const advice = received.status === 401 ? ` ${hint('invalid_client')}` : ''
    throw new ProviderFault(
      `Provider "${provider.id}": the token answer is refused: ${fault.message}.${clockHint(error, parts.now())}${status}${advice}`,
    )
  }
}

const hint = (code: string): string =>
  code === 'invalid_client' || code === 'unauthorized_client'
    ? 'Check clientId, clientSecret and client.token_endpoint_auth_method.'
    : ''

const callbackWith = (redirectUri: string, code: string): URL => {
  const url = new URL(redirectUri)
  url.searchParams.set('code', code)
  return url
}

/** Configured members of the token request; a function computes its own from the callback. */
function tokenParameters({ answer, params, attempt, hookProvider }: Finishing): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(answer.provider.token.params)) {
    const context = { params, checks: { ...attempt.values }, provider: hookProvider }
    const given: unknown = typeof value === 'function' ? value(context) : value
    if (given !== undefined && given !== null) parameters.set(name, String(given))
  }
  return parameters
}

/** The headers of a call with the provider's own over them, whatever case either is written in. */
export function withHeaders(init: RequestInit | undefined, own: Readonly<Record<string, string>> | undefined): Headers {
  const headers = new Headers(init?.headers)
  for (const [name, value] of Object.entries(own ?? {})) headers.set(name, value)
  return headers
}

/** The call to the token endpoint, with the provider's headers and `conform`, its answer kept as it came. */
function observe({ answer: { provider }, parts }: Finishing, received: Received, isHidden: boolean): typeof fetch {
  const channel = parts.channelOf(provider)
  return async (input, init) => {
    const headers = withHeaders(init, provider.token.headers)
    const answer = await channel(input, { ...init, headers })
    const response = (await provider.token.conform?.(answer.clone())) ?? answer
    received.status = response.status
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => null)
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return response
    received.body = body as Record<string, unknown>
    const { id_token, ...shown } = received.body
    // Some providers report errors with the status 200; the library looks for them under 4xx.
    const isError = response.ok && typeof shown['error'] === 'string' && shown['access_token'] === undefined
    const json = isHidden || id_token === undefined ? shown : { ...shown, id_token }
    return Response.json(json, { status: isError ? 400 : response.status })
  }
}
