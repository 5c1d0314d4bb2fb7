import { oauthProvider, under } from '../oauth-provider.js'
import { accountId, firstText, fullName, usableEmail } from '../profile-mapping.js'

/** What Mattermost says of the signed-in user; the members that are read. */
export interface MattermostProfile {
  id: string
  username?: string
  first_name?: string
  last_name?: string
  email?: string
  email_verified?: boolean
}

/** Options of the Mattermost provider. */
export interface MattermostOptions {
  /** URL of the server. */
  issuer: string | undefined
}

/**
 * Sign-in with Mattermost.
 *
 * Switch the OAuth 2.0 service provider on at the server. The picture needs the access token to be read.
 *
 * @see https://developers.mattermost.com/integrate/apps/authentication/oauth2/
 */
export default oauthProvider<MattermostProfile, MattermostOptions>(({ issuer }) => {
  const at = under(issuer)
  return {
    id: 'mattermost',
    name: 'Mattermost',
    requires: { issuer },
    authorization: at('/oauth/authorize'),
    scopes: [],
    token: at('/oauth/access_token'),
    userinfo: at('/api/v4/users/me'),
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: (profile) => ({
      id: accountId(profile.id),
      name: firstText(profile.username, fullName(profile.first_name, profile.last_name)),
      email: usableEmail(profile.email, profile.email_verified),
      image: at(`/api/v4/users/${encodeURIComponent(profile.id)}/image`) ?? null,
    }),
    style: { brandColor: '#0058cc' },
  }
})
