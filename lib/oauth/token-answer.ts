import type { HookProvider } from '../providers/oauth-config.js'
import type { ResolvedOAuthProvider, TokenSet } from '../providers/provider.js'
import { decryptIdToken } from './decrypt-token.js'
import { ProviderFault } from './faults.js'

/*
 * What the requests for a code and for a refresh have in common. An answer to a refresh is checked as strictly as the
 * answer at the sign-in.
 */

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
 * @throws {ProviderFault} when there is neither an access token nor an ID token, when they are not bound to the key of
 *   `dpop`, when a token has a line break or another character that RFC 6749 appendix A.12 excludes, or when the ID token
 *   cannot be decrypted
 */
export async function readTokenAnswer(
  provider: ResolvedOAuthProvider,
  answer: TokenSet,
  now: number,
): Promise<TokenSet> {
  const { access_token, refresh_token, token_type, expires_in, id_token } = answer
  if (!(typeof access_token === 'string' || isWholeAnswer(provider, answer))) {
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
  return {
    ...answer,
    ...(provider.type === 'oidc' && typeof id_token === 'string'
      ? { id_token: await decryptIdToken(provider, id_token) }
      : {}),
    ...(typeof token_type === 'string' ? { token_type: token_type.toLowerCase() as Lowercase<string> } : {}),
    ...(expires_in !== undefined ? { expires_at: Math.floor(now / 1000) + Math.floor(expires_in) } : {}),
  }
}

/**
 * Whether an answer without an access token is enough. An ID token says who somebody is, and a provider that was asked for
 * nothing else may give nothing else, as Azure AD B2C does.
 */
export const isWholeAnswer = ({ type }: ResolvedOAuthProvider, { access_token, id_token }: TokenSet): boolean =>
  type === 'oidc' && access_token === undefined && typeof id_token === 'string'

/** VSCHAR of RFC 6749 appendix A. An empty refresh token is none. */
const VISIBLE = /^[\x20-\x7e]*$/
