import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Yahoo beyond those of OpenID Connect. */
export type YahooProfile = OpenIDProfile

/**
 * Sign-in with Yahoo.
 *
 * The callback must be on https. Name and address need permissions of the app.
 *
 * @see https://developer.yahoo.com/sign-in-with-yahoo/
 */
export default oidcProvider<YahooProfile>({
  id: 'yahoo',
  name: 'Yahoo',
  issuer: 'https://api.login.yahoo.com',
  profile: standardClaims,
  style: { brandColor: '#6001d2' },
})
