import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of BankID Norge beyond those of OpenID Connect. */
export type BankIDNorwayProfile = OpenIDProfile

/**
 * Sign-in with BankID Norge.
 *
 * The userinfo answer is a signed token; its signature is verified. `login_hint` chooses the kind of BankID: `BIS`
 * or `BIM`.
 *
 * The national identity number needs a separate scope and a separate agreement.
 *
 * @see https://developer.bankid.no/
 */
export default oidcProvider<BankIDNorwayProfile>({
  id: 'bankid-no',
  name: 'BankID Norge',
  issuer: 'https://auth.bankid.no/auth/realms/prod',
  authorization: { params: { ui_locales: 'no', login_hint: 'BIS' } },
  scopes: ['openid', 'profile'],
  idToken: false,
  client: { token_endpoint_auth_method: 'client_secret_post', userinfo_signed_response_alg: 'RS256' },
  profile: standardClaims,
  style: { brandColor: '#39134c' },
})
