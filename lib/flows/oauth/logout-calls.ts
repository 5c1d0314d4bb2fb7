import { isProtected } from '../../http/back-channel.js'
import { parseUrl } from '../../http/parse-url.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
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
  { tokenFacts: { endSession }, allowInsecureHttp }: ResolvedOAuthProvider,
  readMetadata: () => Promise<{ readonly end_session_endpoint?: unknown }>,
): Promise<EndSessionEndpoint | null> {
  if (endSession === null) return null
  if (endSession && endSession.url !== 'metadata') {
    return {
      url: endSession.url,
      returnParam: endSession.returnParam,
      isStandard: isStandardName(endSession.returnParam),
    }
  }
  const { end_session_endpoint: found } = await readMetadata()
  const url = typeof found === 'string' ? parseUrl(found) : null
  // An ID token goes there.
  if (url === null || !isProtected(url, allowInsecureHttp)) return null
  const returnParam = endSession ? endSession.returnParam : STANDARD_NAME
  return { url, returnParam, isStandard: isStandardName(returnParam) }
}

const STANDARD_NAME = 'post_logout_redirect_uri'

const isStandardName = (returnParam: string | null) => returnParam === STANDARD_NAME
