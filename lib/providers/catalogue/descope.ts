import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Descope beyond those of OpenID Connect. */
export type DescopeProfile = OpenIDProfile

/** Options of the Descope provider. */
export interface DescopeOptions {
  /** Id of the project; the client id by default. */
  projectId?: string
}

/**
 * Sign-in with Descope.
 *
 * The client id is the project's id, and the issuer is made of it; the secret is an access key. Another host, or a
 * federated app, needs `issuer`.
 *
 * @see https://docs.descope.com/getting-started/oidc-endpoints
 */
export default oidcProvider<DescopeProfile, DescopeOptions>(({ issuer, clientId, projectId = clientId }) => ({
  id: 'descope',
  name: 'Descope',
  issuer: issuer ?? (projectId ? `https://api.descope.com/${projectId}` : undefined),
  profile: standardClaims,
  tokenFacts: { revocation: 'metadata', endSession: 'metadata' },
  style: { brandColor: '#1c1c23' },
}))
