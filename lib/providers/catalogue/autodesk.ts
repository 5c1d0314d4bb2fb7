import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Autodesk beyond those of OpenID Connect. */
export type AutodeskProfile = OpenIDProfile

/**
 * Sign-in with Autodesk.
 *
 * The userinfo endpoint is on another host, and the ID token is thin, so the profile is read there.
 *
 * @see https://aps.autodesk.com/en/docs/oauth/v2/developers_guide/overview/
 */
export default oidcProvider<AutodeskProfile>({
  id: 'autodesk',
  name: 'Autodesk',
  issuer: 'https://developer.api.autodesk.com',
  scopes: ['openid', 'user-profile:read'],
  idToken: false,
  profile: standardClaims,
  tokenFacts: { rotates: true, revocation: 'metadata', endSession: 'metadata' },
  style: { brandColor: '#000000' },
})
