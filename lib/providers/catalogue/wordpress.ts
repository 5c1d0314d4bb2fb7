import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'

/** What WordPress.com says of the signed-in user; the members that are read. */
export interface WordPressProfile {
  ID: number
  display_name?: string | null
  username?: string | null
  email?: string | null
  avatar_URL?: string | null
  email_verified?: boolean | null
}

/**
 * Sign-in with WordPress.com.
 *
 * Access tokens do not expire.
 *
 * @see https://developer.wordpress.com/docs/oauth2/
 */
export default oauthProvider<WordPressProfile>({
  id: 'wordpress',
  name: 'WordPress.com',
  authorization: 'https://public-api.wordpress.com/oauth2/authorize',
  scopes: ['auth'],
  token: 'https://public-api.wordpress.com/oauth2/token',
  userinfo: 'https://public-api.wordpress.com/rest/v1.1/me',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.ID),
    name: firstText(profile.display_name, profile.username),
    email: usableEmail(profile.email, profile.email_verified),
    image: profile.avatar_URL ?? null,
  }),
  tokenFacts: { accessTokenSeconds: Number.POSITIVE_INFINITY },
  style: { brandColor: '#21759b' },
})
