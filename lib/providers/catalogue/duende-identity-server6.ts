import { type IssuerOption, oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Duende IdentityServer beyond those of OpenID Connect. */
export type DuendeIdentityServer6Profile = OpenIDProfile

/**
 * Sign-in with Duende IdentityServer.
 *
 * Serves version 7 as well. The ID token holds little of the profile, so it is read from the userinfo endpoint.
 *
 * @see https://docs.duendesoftware.com/identityserver/
 */
export default oidcProvider<DuendeIdentityServer6Profile, IssuerOption>({
  id: 'duende-identity-server6',
  name: 'Duende IdentityServer',
  idToken: false,
  tokenFacts: { refresh: { scope: 'offline_access' }, revocation: 'metadata', endSession: 'metadata' },
  profile: standardClaims,
})
