import { oauthProvider } from '../oauth-provider.js'
import { accountId } from '../profile-mapping.js'
import { conformTokens } from '../request-hooks.js'

/** What Withings says of the signed-in user; the members that are read. */
export interface WithingsProfile {
  userid: string | number
}

/**
 * Sign-in with Withings.
 *
 * Withings gives the id of the user and nothing more.
 *
 * @see https://developer.withings.com/developer-guide/v3/integration-guide/public-health-data-api/get-access/oauth-web-flow/
 */
export default oauthProvider<WithingsProfile>({
  id: 'withings',
  name: 'Withings',
  authorization: 'https://account.withings.com/oauth2_user/authorize2',
  scopes: ['user.info'],
  token: {
    url: 'https://wbsapi.withings.net/v2/oauth2',
    params: { action: 'requesttoken' },
    // The answer is wrapped; errors come with the HTTP status 200 and a status of their own inside.
    conform: conformTokens(({ status, body }) =>
      status === 0 ? { token_type: 'bearer', ...(body as object) } : { error: `withings_${status}` },
    ),
  },
  userinfo: {
    url: 'https://wbsapi.withings.net/v2/oauth2',
    // The token answer is all there is.
    request: ({ tokens }) => ({ userid: tokens['userid'] as string | number }),
  },
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: ({ userid }) => ({ id: accountId(userid), name: null, email: null, image: null }),
})
