import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Webex says of the signed-in user; the members that are read. */
export interface WebexProfile {
  id: string
  displayName?: string
  emails?: string[]
  avatar?: string
}

/** Options of the Webex provider. */
export interface WebexOptions {
  /** URL of the API, `https://webexapis.com/v1` by default. */
  apiBaseUrl?: string
}

/**
 * Sign-in with Webex.
 *
 * @see https://developer.webex.com/docs/login-with-webex
 */
export default oauthProvider<WebexProfile, WebexOptions>(({ apiBaseUrl = 'https://webexapis.com/v1' }) => ({
  id: 'webex',
  name: 'Webex',
  authorization: `${apiBaseUrl}/authorize`,
  scopes: ['spark:kms', 'spark:people_read'],
  token: `${apiBaseUrl}/access_token`,
  userinfo: `${apiBaseUrl}/people/me`,
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.displayName ?? null,
    email: usableEmail(profile.emails?.[0]),
    image: profile.avatar ?? null,
  }),
  style: { brandColor: '#000000' },
}))
