import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText } from '../profile-mapping.js'
import { conformTokens } from '../request-hooks.js'

/** What Instagram says of the signed-in user; the members that are read. */
export interface InstagramProfile {
  user_id: string
  name?: string | null
  username?: string | null
  profile_picture_url?: string | null
}

/**
 * Sign-in with Instagram.
 *
 * For professional accounts only (business, creator): the API for others was shut down in December 2024.
 *
 * The profile has no e-mail address. The callback must be on https.
 *
 * @see https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 */
export default oauthProvider<InstagramProfile>({
  id: 'instagram',
  name: 'Instagram',
  authorization: 'https://www.instagram.com/oauth/authorize',
  scopes: ['instagram_business_basic'],
  token: {
    url: 'https://api.instagram.com/oauth/access_token',
    // Some answers wrap the tokens in a list.
    conform: conformTokens(({ data, ...answer }) => ({
      token_type: 'bearer',
      ...(Array.isArray(data) ? data[0] : answer),
    })),
  },
  userinfo: {
    url: 'https://graph.instagram.com/me',
    params: { fields: 'user_id,username,name,account_type,profile_picture_url' },
  },
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.user_id),
    name: firstText(profile.name, profile.username),
    email: null,
    image: profile.profile_picture_url ?? null,
  }),
  tokenFacts: { accessTokenSeconds: 3600 },
  style: { brandColor: '#e4405f' },
})
