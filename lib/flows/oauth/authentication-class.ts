import type { ResolvedOAuthProvider } from '../../providers/provider.js'

/** The request for `acr` in the parameter `claims`, for ID tokens (OpenID Connect Core 1.0 §5.5.1). */
interface AcrRequest {
  readonly essential?: unknown
  readonly value?: unknown
  readonly values?: unknown
}

/** Whether the parameters ask for a way of signing in, with `acr_values` or with `claims`. */
export const asksForAcr = (params: URLSearchParams): boolean => params.has('acr_values') || acrRequest(params) !== null

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

function acrRequest(params: URLSearchParams): AcrRequest | null {
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
