import type { LogSource } from '../../kernel/logger.js'
import { dpopOf, giveBack, takeExchangeClient } from '../../oauth/client.js'
import { cleanError, faultOf, ProviderFault, ProviderOutage } from '../../oauth/faults.js'
import type { ProviderMetadata } from '../../oauth/metadata.js'
import { clockHint } from '../../oauth/times.js'
import { observe, type Received, readTokenAnswer, tokenParameters } from '../../oauth/token-answer.js'
import type { HookProvider, ResolvedOAuthProvider, TokenSet } from '../../providers/provider.js'
import { usableMembers } from '../../providers/request-hooks.js'
import type { AuthorizationTransaction } from './authorization-transaction.js'
import type { OAuthDependencies } from './dependencies.js'

/** A callback whose answer was checked and whose transaction was used up: what the steps to an identity work with. */
export interface AcceptedCallback {
  readonly provider: ResolvedOAuthProvider
  readonly transaction: AuthorizationTransaction
  readonly metadata: ProviderMetadata
  /** The authorization code. */
  readonly code: string
  /** Parameters of the answer, as hooks see them. */
  readonly params: Readonly<Record<string, string>>
  /** The provider as its hooks see it. */
  // biome-ignore lint/suspicious/noExplicitAny: the profile's type is known to the provider's own hooks only
  readonly hookProvider: HookProvider<any>
  /** Calls the provider, within the limits of {@link OAuthDependencies.channelOf}. */
  readonly fetch: typeof fetch
  /** Texts that must not appear in any error. Grows with what the provider sends. */
  readonly secrets: Set<string>
  readonly dependencies: OAuthDependencies
  /** The request as it came, which lines of the log are about. */
  readonly source: LogSource | undefined
}

/**
 * The tokens for the code of an answer.
 *
 * @param received is filled with what the endpoint answered
 * @returns the whole token response, `token_type` in lower case, `expires_at` computed
 * @throws {ProviderFault} for every answer that has no tokens; it is the visitor's doing where the provider refuses the code
 */
export async function exchangeCode(
  callback: AcceptedCallback,
  received: Received = { status: 0, body: null },
): Promise<TokenSet> {
  const { provider, dependencies } = callback
  const tokens = provider.token.request ? await askHook(callback) : await askEndpoint(callback, received)
  return readTokenAnswer(provider, tokens, dependencies.now())
}

/** Lets the provider's own hook do the whole request. */
async function askHook(callback: AcceptedCallback): Promise<TokenSet> {
  const { provider, transaction, fetch, hookProvider, params, secrets } = callback
  const { pkce, state, nonce } = transaction.values
  const checks = {
    ...(pkce === undefined ? {} : { code_verifier: pkce }),
    ...(state === undefined ? {} : { state }),
    ...(nonce === undefined ? {} : { nonce }),
  }
  let tokens: TokenSet | undefined
  try {
    tokens = (await provider.token.request?.({ params, checks, provider: hookProvider, fetch }))?.tokens
  } catch (error) {
    throw faultOf(error, `Provider "${provider.id}": its token.request failed. ${cleanError(error, secrets).message}`)
  }
  if (typeof tokens !== 'object' || tokens === null) {
    throw new ProviderFault(
      `Provider "${provider.id}": its token.request gave no tokens. It must give { tokens: { access_token, … } }.`,
    )
  }
  return usableMembers(tokens)
}

async function askEndpoint(callback: AcceptedCallback, received: Received): Promise<TokenSet> {
  const { provider, transaction, metadata, code, params, hookProvider, dependencies, secrets } = callback
  const fetch = observe(callback, received)
  const client = await takeExchangeClient({ provider, metadata, fetch, now: dependencies.now })
  const { library, configuration } = client
  try {
    await library.authorizationCodeGrant(
      configuration,
      // `state` and `iss` have been compared; the library sees what it needs for the token request.
      callbackWith(transaction.redirectUri, code),
      transaction.values.pkce === undefined ? {} : { pkceCodeVerifier: transaction.values.pkce },
      tokenParameters(provider, { params, checks: { ...transaction.values }, provider: hookProvider }),
      await dpopOf(provider, client),
    )
    giveBack(client, metadata)
    return received.body as TokenSet
  } catch (error) {
    const fault = cleanError(error, secrets)
    if (fault instanceof ProviderFault) throw fault
    const outage = faultOf(error, `Provider "${provider.id}": ${fault.message}`)
    if (outage instanceof ProviderOutage) throw outage
    const status = received.status === 0 ? '' : ` The token endpoint answered with the status ${received.status}.`
    throw new ProviderFault(
      `Provider "${provider.id}": the token answer is refused: ${fault.message}.${clockHint(error, dependencies.now(), received.date)}${status}`,
    )
  }
}

const callbackWith = (redirectUri: string, code: string): URL => {
  const url = new URL(redirectUri)
  url.searchParams.set('code', code)
  return url
}
