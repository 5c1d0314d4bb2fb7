import { type IssuerOption, oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of IdentityServer4 beyond those of OpenID Connect. */
export type IdentityServer4Profile = OpenIDProfile

/**
 * Sign-in with IdentityServer4.
 *
 * It has had no support since December 2022. Its successor is Duende IdentityServer. The profile is read
 * from the userinfo endpoint.
 *
 * @see https://identityserver4.readthedocs.io/en/latest/
 */
export default oidcProvider<IdentityServer4Profile, IssuerOption>({
  id: 'identity-server4',
  name: 'IdentityServer4',
  idToken: false,
  tokenFacts: { revocation: 'metadata', endSession: 'metadata' },
  profile: standardClaims,
})
