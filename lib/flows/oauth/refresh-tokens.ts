import type { RefreshAnswer } from '../../account-tokens/token-calls.js'
import { equalInConstantTime } from '../../crypto/digest.js'
import { isServerOutage, isWithoutAnswer } from '../../http/back-channel.js'
import type { ResolvedOAuthProvider, TokenSet } from '../../providers/provider.js'
import { openClient } from './client.js'
import type { OAuthDependencies } from './dependencies.js'
import { dpopOf } from './dpop.js'
import { observe, type Received } from './exchange-code.js'
import { cleanError, ProviderFault, printableCode } from './faults.js'
import { verifyIdToken } from './id-token.js'
import type { ProviderMetadata } from './metadata.js'
import { adviceFor, readTokenAnswer, tokenParameters } from './token-answer.js'

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
    const channel = dependencies.channelOf(provider)
    const noting: typeof fetch = async (input, init) => {
      const answer = await channel(input, init)
      received.retryAfter = answer.headers.get('retry-after')
      return answer
    }
    const client = await openClient({
      provider,
      metadata,
      now: dependencies.now,
      fetch: observe({ provider, fetch: noting }, received),
    })
    const { library, configuration } = client
    try {
      await library.refreshTokenGrant(
        configuration,
        grant.refreshToken,
        // A function that needs the parameters of a callback has none here.
        tokenParameters(provider, {
          params: {},
          checks: {},
          provider: { ...provider.source, callbackUrl: '', signinUrl: '' },
        }),
        await dpopOf(provider, client),
      )
      const answer = withoutAccount(received.body as TokenSet)
      const tokens = await readTokenAnswer(provider, answer, dependencies.now())
      const { access_token } = tokens
      if (access_token === undefined) throw new ProviderFault('The answer to a refresh has no access_token.')
      secrets.add(access_token)
      await checkIdToken(provider, metadata, tokens, grant.idToken, dependencies)
      return { kind: 'tokens', tokens: { ...tokens, access_token } }
    } catch (error) {
      if (error instanceof library.ResponseBodyError) {
        if (REFUSALS.has(error.error)) return { kind: 'refused' }
        const code = printableCode(error.error)
        return failed(
          new ProviderFault(
            `The token endpoint answered with the error ${code} (status ${received.status}).${adviceFor(error.error)}`,
          ),
        )
      }
      if (error instanceof ProviderFault) return failed(error)
      const fault = cleanError(error, secrets)
      const isLost = isWithoutAnswer(fault)
      const status =
        received.status === 0 || isServerOutage(fault)
          ? ''
          : ` The token endpoint answered with the status ${received.status}.`
      // Some messages are whole sentences already.
      return failed(new ProviderFault(`${fault.message.replace(/\.?$/, '.')}${status}`), isLost)
    }
  } catch (error) {
    return failed(error)
  }
}

/** An answer without members of an account that it must not set. */
const withoutAccount = ({
  userId: _,
  provider: __,
  providerAccountId: ___,
  expires_at: ____,
  ...answer
}: TokenSet): TokenSet => answer

/**
 * Verifies a new ID token, which must be of the same issuer and subject as the one before.
 *
 * @throws {ProviderFault} for a token that is wrong, or of somebody else
 * @see OpenID Connect Core 1.0 §12.2
 */
async function checkIdToken(
  provider: ResolvedOAuthProvider,
  metadata: ProviderMetadata,
  tokens: TokenSet,
  before: string | null,
  { keySets, now }: OAuthDependencies,
): Promise<void> {
  if (provider.type !== 'oidc' || typeof tokens.id_token !== 'string') return
  const claims = await verifyIdToken(tokens.id_token, {
    provider,
    metadata,
    keySets,
    nonce: undefined,
    isRefresh: true,
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
