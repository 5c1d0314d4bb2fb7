import { type IssuerOption, oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Ping Identity (PingOne) beyond those of OpenID Connect. */
export type PingProfile = OpenIDProfile

/**
 * Sign-in with Ping Identity (PingOne).
 *
 * `issuer` is `https://auth.pingone.<region>/<environment id>/as`. PingFederate has other
 * paths, which discovery finds.
 *
 * @see https://docs.pingidentity.com/pingone/
 */
export default oidcProvider<PingProfile, IssuerOption>({
  id: 'ping-id',
  name: 'Ping Identity (PingOne)',
  tokenFacts: { revocation: 'metadata', endSession: 'metadata' },
  profile: standardClaims,
})
