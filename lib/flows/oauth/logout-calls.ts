import { isProtected } from '../../http/back-channel.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { STANDARD_LOGOUT } from '../../providers/resolve-token-facts.js'
import { parseUrl } from '../../shapes/urls.js'
import type { EndSessionEndpoint, LogoutCalls } from '../flow.js'
import type { OAuthDependencies } from './dependencies.js'
import { isIssuer } from './issuer.js'
import { verifyLogoutToken } from './logout-token.js'

/** What signs people of one provider out. */
export function createLogoutCalls(
  provider: ResolvedOAuthProvider,
  { metadataOf, keySets, now }: Pick<OAuthDependencies, 'metadataOf' | 'keySets' | 'now'>,
): LogoutCalls {
  return {
    verifyLogoutToken: async (token) =>
      verifyLogoutToken(token, { provider, metadata: await metadataOf(provider), keySets, now }),
    endSessionEndpoint: async () => endpointOf(provider, async () => (await metadataOf(provider)).server),
    async originOfIssuer(issuer) {
      const { issuer: known } = await metadataOf(provider)
      return known !== null && isIssuer(known, issuer) ? new URL(issuer).origin : null
    },
  }
}

async function endpointOf(
  { tokenFacts: { endSession = STANDARD_LOGOUT }, allowInsecureHttp }: ResolvedOAuthProvider,
  readMetadata: () => Promise<{ readonly end_session_endpoint?: unknown }>,
): Promise<EndSessionEndpoint | null> {
  if (endSession === null) return null
  const { url, returnParam } = endSession
  if (url !== 'metadata') return { url, returnParam }
  const { end_session_endpoint: found } = await readMetadata()
  const known = typeof found === 'string' ? parseUrl(found) : null
  // An ID token goes there.
  return known !== null && isProtected(known, allowInsecureHttp) ? { url: known, returnParam } : null
}
