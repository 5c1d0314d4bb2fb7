import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of LINE beyond those of OpenID Connect. */
export type LineProfile = OpenIDProfile

/**
 * Sign-in with LINE.
 *
 * ID tokens of web logins are signed with the channel secret (HS256). The address needs a permission of the
 * channel.
 *
 * The id is of your developer account, not of LINE as a whole.
 *
 * @see https://developers.line.biz/en/docs/line-login/integrate-line-login/
 */
export default oidcProvider<LineProfile>({
  id: 'line',
  name: 'LINE',
  issuer: 'https://access.line.me',
  client: {
    token_endpoint_auth_method: 'client_secret_post',
    id_token_signed_response_alg: 'HS256',
  },
  profile: standardClaims,
  /** @see https://developers.line.biz/en/docs/line-login/managing-access-tokens/ */
  tokenFacts: {
    refresh: 'always',
    accessTokenSeconds: 2_592_000,
    revocation: { url: 'https://api.line.me/oauth2/v2.1/revoke', dialect: 'access-token', only: 'access' },
    endSession: 'none',
  },
  style: { brandColor: '#00c300' },
})
