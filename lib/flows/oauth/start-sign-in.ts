import { randomToken } from '../../crypto/random.js'
import { OAuthSignInError } from '../../errors.js'
import type { CookieChange } from '../../http/cookies.js'
import type { CheckName } from './attempt-cookies.js'
import { authorizationParameters, authorizationUrl, maxAgeOf, splitEndpoint } from './authorization-url.js'
import { openClient } from './client.js'
import type { OAuthDependencies } from './dependencies.js'
import { asAuthError } from './faults.js'
import type { OAuthStart } from './oauth-flow.js'
import { callbackUrlAt } from './redirect-proxy.js'

/** Where to send the browser for a sign-in, and the cookies that bind the answer to it. */
export async function startSignIn(
  start: OAuthStart,
  parts: OAuthDependencies,
): Promise<{ readonly url: string; readonly cookies: readonly CookieChange[] }> {
  const { provider } = start
  try {
    const metadata = await parts.metadataOf(provider)
    const checks = parts.checksOf(provider, metadata)
    const ownCallback = callbackUrlAt(start.mountUrl, provider)
    const redirectUri = provider.redirectProxyUrl ? callbackUrlAt(provider.redirectProxyUrl, provider) : ownCallback
    const state = await makeState(start, checks, ownCallback, parts)
    const values: Partial<Record<CheckName, string>> = {
      ...(checks.has('state') && state !== null ? { state } : {}),
      ...(checks.has('pkce') ? { pkce: randomToken() } : {}),
      ...(checks.has('nonce') ? { nonce: randomToken() } : {}),
    }
    const { url: endpoint, query } = splitEndpoint(provider, metadata.server.authorization_endpoint)
    const params = authorizationParameters(
      { provider, redirectUri, state, values, requested: start.authorizationParams },
      query,
    )
    const maxAge = maxAgeOf(params, provider)
    const client = await openClient({
      provider,
      metadata: { ...metadata, server: { ...metadata.server, authorization_endpoint: endpoint } },
      fetch: parts.channelOf(provider),
      now: parts.now,
    })
    const isPushed =
      provider.pushedAuthorizationRequests || metadata.server.require_pushed_authorization_requests === true
    const url = await authorizationUrl(client, params, isPushed)
    const attempt = {
      values,
      redirectUri,
      issuer: metadata.issuer,
      maxAge,
      callbackUrl: start.returnTarget,
      initiator: start.initiator,
    }
    parts.logger.debug('oauth-started', { provider: provider.id, checks: [...checks], isPushed, redirectUri })
    const cookies = state === null ? [] : await parts.attempts.open(start, state, attempt)
    return { url: url.href, cookies }
  } catch (error) {
    throw asAuthError(OAuthSignInError, error, provider.id, [provider.clientSecret ?? ''])
  }
}

/** The state, which is also the key of the attempt, so it is sent whatever the checks are; unless all are switched off. */
async function makeState(
  { provider }: OAuthStart,
  checks: ReadonlySet<CheckName>,
  ownCallback: string,
  { proxy }: OAuthDependencies,
): Promise<string | null> {
  if (checks.size === 0) return null
  return provider.redirectProxyUrl ? proxy.makeState(provider, ownCallback) : randomToken()
}
