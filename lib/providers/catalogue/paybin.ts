import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Paybin beyond those of OpenID Connect. */
export type PaybinProfile = OpenIDProfile

/**
 * Sign-in with Paybin.
 *
 * @see https://developers.paybin.io/knowledge-center/oidc
 */
export default oidcProvider<PaybinProfile>({
  id: 'paybin',
  name: 'Paybin',
  fallbackIssuer: 'https://idp.paybin.io',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: standardClaims,
})
