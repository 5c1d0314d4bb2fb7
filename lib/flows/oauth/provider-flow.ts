import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { Flow, FlowRequest } from '../flow.js'
import { clearing } from '../flow-failure.js'
import { unlessEnded } from '../unless-ended.js'
import { NoOpenAttempt } from './faults.js'
import type { OAuthAnswer, OAuthFlow } from './oauth-flow.js'
import { hasVerifiedEmail } from './verified-email.js'

/** The flow of one OAuth or OpenID Connect provider. */
export function oauthProviderFlow(provider: ResolvedOAuthProvider, oauth: OAuthFlow): Flow {
  const usesFormPost = provider.responseMode === 'form_post'
  const answerOf = ({ mountUrl, cookies, specs, query, fields, incoming }: FlowRequest): OAuthAnswer => ({
    provider,
    mountUrl,
    cookies,
    specs,
    params: usesFormPost && incoming.method === 'POST' ? textParams(fields) : query,
  })
  return {
    // A form_post provider may still answer by query, when it could not read the request far enough to see the mode.
    callbackMethods: usesFormPost ? ['GET', 'POST'] : ['GET'],
    callbackNeedsCsrf: false,
    async start(request, initiator) {
      const { mountUrl, cookies, specs, query } = request
      const returnTarget = await request.returnTarget()
      return oauth.start({ provider, mountUrl, cookies, specs, authorizationParams: query, returnTarget, initiator })
    },
    finish(request) {
      const answer = answerOf(request)
      return clearing(oauth.clearAttempt(answer), async () => {
        const outcome = await unlessEnded(NoOpenAttempt, request, () => oauth.finish(answer))
        if (outcome.kind === 'forward') return outcome
        const linking = {
          isEmailVerified: hasVerifiedEmail(provider, outcome.identity),
          linksByEmail: provider.allowDangerousEmailAccountLinking,
          storedTokens: provider.account,
        }
        return { ...outcome, identity: { ...outcome.identity, linking } }
      })
    },
  }
}

function textParams(fields: FlowRequest['fields']): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (typeof value === 'string') params.append(name, value)
  return params
}
