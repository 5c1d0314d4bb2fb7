import type { HookProvider } from '../../providers/oauth-config.js'
import type { ResolvedOAuthProvider, TokenSet } from '../../providers/provider.js'
import { decryptIdToken } from './decrypt-token.js'
import { ProviderFault } from './faults.js'
import { isTenantTemplate } from './issuer.js'
import type { ProviderMetadata } from './metadata.js'

/*
 * What the requests for a code and for a refresh have in common. An answer to a refresh is checked as strictly as the
 * answer at the sign-in.
 */

/** An answer of the token endpoint that was read. */
export type AnsweredTokens = TokenSet & { readonly access_token: string }

/**
 * Whether the protocol library must not see the ID token of an answer. Plain OAuth has no issuer that an ID token could be
 * checked against, and the ID token of a shared endpoint names the issuer of a tenant. The library knows neither case.
 * An encrypted one is decrypted afterwards. `verifyIdToken` checks all of them.
 */
export const hidesIdToken = ({ type, keys }: ResolvedOAuthProvider, { issuer }: ProviderMetadata): boolean =>
  type === 'oauth' || isTenantTemplate(issuer ?? '') || keys.decryption.length > 0

/** What a function among the configured members of the token request gets. */
interface ParameterContext {
  /** Parameters of the callback; empty for a refresh. */
  readonly params: Readonly<Record<string, string>>
  readonly checks: object
  // biome-ignore lint/suspicious/noExplicitAny: the profile is of no interest here
  readonly provider: HookProvider<any>
}

/** Configured members of the token request; a function computes its own. */
export function tokenParameters({ token }: ResolvedOAuthProvider, context: ParameterContext): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(token.params)) {
    const given: unknown = typeof value === 'function' ? value(context) : value
    if (given !== undefined && given !== null) parameters.set(name, String(given))
  }
  return parameters
}

/**
 * The tokens of an answer: `token_type` in lower case, `expires_at` in seconds since the epoch, the ID token decrypted but
 * not verified yet.
 *
 * @param now milliseconds since the epoch
 * @throws {ProviderFault} when there is no access token, when it is not bound to the key of `dpop`, when a token has a
 *   line break or another character that RFC 6749 appendix A.12 excludes, or when the ID token cannot be decrypted
 */
export async function readTokenAnswer(
  provider: ResolvedOAuthProvider,
  answer: TokenSet,
  now: number,
): Promise<AnsweredTokens> {
  const { access_token, refresh_token, token_type, expires_in, id_token } = answer
  if (typeof access_token !== 'string' || access_token === '') {
    throw new ProviderFault(`Provider "${provider.id}": the token answer has no access_token.`)
  }
  // A provider without DPoP ignores the proof. Its tokens could be used by whoever gets hold of them (RFC 9449 §5).
  if (provider.keys.dpop && String(token_type).toLowerCase() !== 'dpop') {
    throw new ProviderFault(`Provider "${provider.id}": it gave tokens that are not bound to the key of dpop.`)
  }
  if (!provider.keys.dpop && String(token_type).toLowerCase() === 'dpop') {
    throw new ProviderFault(
      `Provider "${provider.id}": it gave tokens that are bound to a key, and dpop is not configured.`,
    )
  }
  if (![access_token, refresh_token].every((token) => typeof token !== 'string' || VISIBLE.test(token))) {
    throw new ProviderFault(`Provider "${provider.id}": it gave tokens with characters that no token has.`)
  }
  const lifetime = expires_in === undefined || expires_in === null ? Number.NaN : Number(expires_in)
  return {
    ...answer,
    access_token,
    ...(provider.type === 'oidc' && typeof id_token === 'string'
      ? { id_token: await decryptIdToken(provider, id_token) }
      : {}),
    ...(typeof token_type === 'string' ? { token_type: token_type.toLowerCase() as Lowercase<string> } : {}),
    ...(Number.isFinite(lifetime) ? { expires_at: Math.floor(now / 1000) + Math.floor(lifetime) } : {}),
  }
}

/** VSCHAR of RFC 6749 appendix A. An empty refresh token is none. */
const VISIBLE = /^[\x20-\x7e]*$/

/** What to look at if the token endpoint answers with this error; empty for errors that say enough. */
export const adviceFor = (code: string): string =>
  code === 'invalid_client' || code === 'unauthorized_client'
    ? ' Check clientId, clientSecret and client.token_endpoint_auth_method.'
    : ''
