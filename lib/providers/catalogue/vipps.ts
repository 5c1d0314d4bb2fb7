import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Vipps beyond those of OpenID Connect. */
export type VippsProfile = OpenIDProfile

/** Options of the Vipps provider. */
export interface VippsOptions {
  /** Signs in at the environment for tests. */
  testMode?: boolean
}

/**
 * Sign-in with Vipps.
 *
 * The profile is read from the userinfo endpoint. `testMode` is the environment for tests.
 *
 * @see https://developer.vippsmobilepay.com/docs/APIs/login-api/api-guide
 */
export default oidcProvider<VippsProfile, VippsOptions>(({ testMode = false }) => ({
  id: 'vipps',
  name: 'Vipps',
  issuer: `https://${testMode ? 'apitest' : 'api'}.vipps.no/access-management-1.0/access/`,
  scopes: ['openid', 'name', 'email'],
  idToken: false,
  profile: standardClaims,
  style: { brandColor: '#f05c18' },
}))
