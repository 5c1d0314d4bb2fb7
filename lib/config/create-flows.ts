import { credentialsFlow } from '../features/credentials/authorize.js'
import type { EmailFlowSettings } from '../features/email/dependencies.js'
import type { WebAuthnFlowSettings } from '../features/passkeys/dependencies.js'
import { loadOnce } from '../kernel/awaitable.js'
import type { OAuthFlowSettings } from '../oauth/dependencies.js'
import type { ResolvedProvider } from '../providers/provider.js'
import type { Flow } from '../sign-in/flow.js'

/** What the flows of a configuration need of it, by the type of provider. */
export interface FlowSettings {
  readonly oauth: OAuthFlowSettings
  readonly email: EmailFlowSettings
  readonly webauthn: WebAuthnFlowSettings
  /** Whether visitors are asked if they want to stay signed in. */
  readonly asksToRemember: boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Makes the flow of each provider of a configuration. The code of a flow is loaded at its first use: a process that only
 * reads sessions loads none. Providers are resolved and checked before, so that every fault is reported at the start.
 */
export function createFlows({
  oauth,
  email,
  webauthn,
  asksToRemember,
  now,
}: FlowSettings): (provider: ResolvedProvider) => Flow {
  // They share what is remembered of providers and of used answers.
  const loadOAuthFlows = loadOnce(async () => (await import('../features/oauth/oauth-flow.js')).createOAuthFlows(oauth))
  return (provider) => {
    switch (provider.type) {
      case 'credentials':
        return credentialsFlow(provider, now, asksToRemember)
      case 'email': {
        const load = loadOnce(async () => (await import('../features/email/email-flow.js')).emailFlow(provider, email))
        return {
          callbackMethods: ['GET', 'POST'],
          callbackNeedsCsrf: true,
          keepsReturnTarget: false,
          start: async (request, initiator) => (await load()).start(request, initiator),
          finish: async (request) => (await load()).finish(request),
        }
      }
      case 'oauth':
      case 'oidc': {
        const load = loadOnce(async () => (await loadOAuthFlows())(provider))
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
      case 'webauthn': {
        const load = loadOnce(async () =>
          (await import('../features/passkeys/webauthn-flow.js')).webAuthnFlow(provider, webauthn),
        )
        return {
          callbackMethods: ['POST'],
          // The signature covers the challenge and the origin of the page, and the challenge must be that of this
          // browser's cookie.
          callbackNeedsCsrf: false,
          keepsReturnTarget: false,
          start: null,
          relyingPartyId: async (request) => (await load()).relyingPartyId(request),
          options: async (request) => (await load()).options(request),
          finish: async (request) => (await load()).finish(request),
        }
      }
    }
  }
}
