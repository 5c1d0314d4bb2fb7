import { loadOnce } from '../../kernel/awaitable.js'
import { publishesKeys } from '../../oauth/client-keys.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { Feature } from '../../sign-in/feature.js'
import type { Flow } from '../../sign-in/flow.js'
import { OAUTH_TRANSACTION, type OAuthFlowSettings } from './dependencies.js'

const kind = async () => (await import('../../users/oauth-identity.js')).createOAuthKind

/** Sign-ins at providers of OAuth 2 and OpenID Connect. */
export const oauth: Feature<{ readonly redirectProxyHosts?: readonly string[] | undefined }> = {
  ways({ options: { redirectProxyHosts }, tokens: { revokesAtSignOut }, tokenSecrets: secrets, ...parts }) {
    const hosts = redirectProxyHosts && { redirectProxyHosts: [...redirectProxyHosts] }
    const flow = oauthFlows({ ...parts, secrets, revokesAtSignOut, ...hosts })
    return { oauth: flow, oidc: flow }
  },
  identities: { oauth: kind, oidc: kind },
  transaction: OAUTH_TRANSACTION,
  routes: {
    jwks: {
      GET: async (visit) => (await import('./oauth-flow.js')).showKeys(visit),
      isServedBy: ({ providers }) => [...providers.values()].some(publishesKeys),
    },
  },
}

/** Makes the flow of each provider. They share what is remembered of providers and of used answers. */
function oauthFlows(settings: OAuthFlowSettings): (provider: ResolvedOAuthProvider) => Flow {
  const loadFlows = loadOnce(async () => (await import('./oauth-flow.js')).createOAuthFlows(settings))
  return (provider) => {
    const load = loadOnce(async () => (await loadFlows())(provider))
    return {
      // A form_post provider may still answer by query, when it could not read the request far enough to see the mode.
      callbackMethods: provider.responseMode === 'form_post' ? ['GET', 'POST'] : ['GET'],
      callbackNeedsCsrf: false,
      keepsReturnTarget: true,
      start: async (request, initiator, link) => (await load()).start(request, initiator, link),
      finish: async (request) => (await load()).finish(request),
      logoutCalls: async () => (await load()).logoutCalls(),
      publicKeys: async () => (await load()).publicKeys(),
      tokenCalls: async () => (await load()).tokenCalls,
    }
  }
}
