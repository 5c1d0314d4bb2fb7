import { type IssuerOption, oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Beyond Identity beyond those of OpenID Connect. */
export type BeyondIdentityProfile = OpenIDProfile

/**
 * Sign-in with Beyond Identity.
 *
 * `issuer` belongs to one application:
 * `https://auth-<region>.beyondidentity.com/v1/tenants/…/realms/…/applications/…`.
 *
 * @see https://developer.beyondidentity.com/
 */
export default oidcProvider<BeyondIdentityProfile, IssuerOption>({
  id: 'beyondidentity',
  name: 'Beyond Identity',
  profile: standardClaims,
  style: { brandColor: '#5077c5' },
})
