import type { RefreshAnswer } from '../../account-tokens/token-calls.js'
import { equalInConstantTime } from '../../crypto/digest.js'
import { isWithoutAnswer } from '../../http/back-channel.js'
import type { ResolvedOAuthProvider, TokenSet } from '../../providers/provider.js'
import { openClient } from './client.js'
import type { OAuthDependencies } from './dependencies.js'
import { observe, type Received } from './exchange-code.js'
import { cleanError, ProviderFault, printableCode } from './faults.js'
import { verifyIdToken } from './id-token.js'
import { isTenantTemplate } from './issuer.js'
import type { ProviderMetadata } from './metadata.js'

/** What is refreshed. */
export interface RefreshGrant {
  readonly refreshToken: string
  /** The stored ID token; null if there is none. */
  readonly idToken: string | null
}

/** Errors that say that a refresh token does not count any more: that of RFC 6749 §5.2, and that of GitHub. */
const REFUSALS: ReadonlySet<string> = new Set(['invalid_grant', 'bad_refresh_token'])

/** The longest wait that a provider may ask for, seconds. */
const MOST_RETRY_AFTER = 24 * 60 * 60

/**
 * Refreshes tokens at a provider. It does not reject.
 *
 * @see RFC 6749 §6, OpenID Connect Core 1.0 §12
 */
export async function refreshAtProvider(
  provider: ResolvedOAuthProvider,
  grant: RefreshGrant,
  dependencies: OAuthDependencies,
): Promise<RefreshAnswer> {
  const secrets = new Set([provider.clientSecret ?? '', grant.refreshToken, grant.idToken ?? ''])
  const received: Received & { retryAfter?: string | null } = { status: 0, body: null }
  const failed = (error: unknown, isLost = false): RefreshAnswer => {
    const retryAfterSeconds = received.status === 429 || received.status === 503 ? secondsOf(received.retryAfter) : null
    const fault = cleanError(error, secrets)
    return { kind: 'failed', isLost, fault, ...(retryAfterSeconds !== null && { retryAfterSeconds }) }
  }
  try {
    const metadata = await dependencies.metadataOf(provider)
    // As at the sign-in: such ID tokens are verified here and not by the library.
    const isHidden = provider.type === 'oauth' || isTenantTemplate(metadata.issuer ?? '')
    const channel = dependencies.channelOf(provider)
    const noting: typeof fetch = async (input, init) => {
      const answer = await channel(input, init)
      received.retryAfter = answer.headers.get('retry-after')
      return answer
    }
    const { library, configuration } = await openClient({
      provider,
      metadata,
      now: dependencies.now,
      fetch: observe({ provider, fetch: noting }, received, isHidden),
    })
    try {
      const found = await library.refreshTokenGrant(configuration, grant.refreshToken, parametersOf(provider))
      const tokens = tokensOf({ ...received.body, ...found } as TokenSet, dependencies.now())
      secrets.add(tokens.access_token)
      await checkIdToken(provider, metadata, tokens, grant.idToken, dependencies)
      return { kind: 'tokens', tokens }
    } catch (error) {
      if (error instanceof library.ResponseBodyError) {
        if (REFUSALS.has(error.error)) return { kind: 'refused' }
        const advice =
          error.error === 'invalid_client' || error.error === 'unauthorized_client'
            ? ' Check clientId, clientSecret and client.token_endpoint_auth_method.'
            : ''
        const code = printableCode(error.error)
        return failed(
          new ProviderFault(`The token endpoint answered with the error ${code} (status ${received.status}).${advice}`),
        )
      }
      if (error instanceof ProviderFault) return failed(error)
      const fault = cleanError(error, secrets)
      const isLost = isWithoutAnswer(fault)
      const status = received.status === 0 ? '' : ` The token endpoint answered with the status ${received.status}.`
      return failed(new ProviderFault(`${fault.message}.${status}`), isLost)
    }
  } catch (error) {
    return failed(error)
  }
}

/** Configured members of the token request. A function that needs the parameters of a callback has none here. */
function parametersOf(provider: ResolvedOAuthProvider): URLSearchParams {
  const parameters = new URLSearchParams()
  const hookProvider = { ...provider.source, callbackUrl: '', signinUrl: '' }
  for (const [name, value] of Object.entries(provider.token.params)) {
    const given: unknown =
      typeof value === 'function' ? value({ params: {}, checks: {}, provider: hookProvider }) : value
    if (given !== undefined && given !== null) parameters.set(name, String(given))
  }
  return parameters
}

/** The answer with the time at which the access token expires, and without members of an account that it must not set. */
function tokensOf(
  { userId: _, provider: __, providerAccountId: ___, ...answer }: TokenSet,
  now: number,
): TokenSet & { readonly access_token: string } {
  const { access_token, expires_in, expires_at: _given, ...others } = answer
  if (typeof access_token !== 'string' || access_token === '') {
    throw new ProviderFault('The answer has no access_token.')
  }
  const lifetime = expires_in === undefined || expires_in === null ? Number.NaN : Number(expires_in)
  const { token_type } = others
  return {
    ...others,
    access_token,
    ...(typeof token_type === 'string' ? { token_type: token_type.toLowerCase() as Lowercase<string> } : {}),
    ...(Number.isFinite(lifetime) ? { expires_at: Math.floor(now / 1000) + Math.floor(lifetime) } : {}),
  }
}

/**
 * Verifies a new ID token, which must be of the same issuer and subject as the one before.
 *
 * @throws {ProviderFault} for a token that is wrong, or of somebody else
 * @see OpenID Connect Core 1.0 §12.2
 */
async function checkIdToken(
  provider: ResolvedOAuthProvider,
  metadata: ProviderMetadata,
  tokens: TokenSet & { readonly access_token: string },
  before: string | null,
  { keySets, now }: OAuthDependencies,
): Promise<void> {
  if (provider.type !== 'oidc' || typeof tokens.id_token !== 'string') return
  const claims = await verifyIdToken(tokens.id_token, {
    provider,
    metadata,
    keySets,
    nonce: undefined,
    acceptsAnyNonce: true,
    maxAge: undefined,
    accessToken: tokens.access_token,
    now,
  })
  const known = before === null ? null : await claimsOf(before)
  if (known === null) return
  for (const name of ['iss', 'sub'] as const) {
    if (!equalInConstantTime(String(claims[name]), String(known[name]))) {
      throw new ProviderFault(`Provider "${provider.id}": its new ID token has another ${name} than the one before.`)
    }
  }
}

/** The claims of the stored ID token, which was verified when it came. */
async function claimsOf(idToken: string): Promise<{ readonly iss?: unknown; readonly sub?: unknown } | null> {
  const { decodeJwt } = await import('jose')
  try {
    return decodeJwt(idToken)
  } catch {
    return null
  }
}

/** Seconds of a `Retry-After` header; null for a date, or for anything else. */
function secondsOf(header: string | null | undefined): number | null {
  const seconds = /^\d{1,9}$/.test(header ?? '') ? Number(header) : Number.NaN
  return Number.isFinite(seconds) ? Math.min(seconds, MOST_RETRY_AFTER) : null
}
