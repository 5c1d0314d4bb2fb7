import { oidcProvider } from '../oauth-provider.js'
import { firstText, standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of SimpleLogin beyond those of OpenID Connect. */
export interface SimpleLoginProfile extends OpenIDProfile {
  avatar_url?: string | null
}

/**
 * Sign-in with SimpleLogin.
 *
 * The address is usually an alias.
 *
 * @see https://simplelogin.io/docs/siwsl/intro/
 */
export default oidcProvider<SimpleLoginProfile>({
  id: 'simplelogin',
  name: 'SimpleLogin',
  issuer: 'https://app.simplelogin.io',
  profile: (profile) => ({
    ...standardClaims(profile),
    image: firstText(profile.avatar_url, profile.picture),
  }),
  style: { brandColor: '#e3156a' },
})
