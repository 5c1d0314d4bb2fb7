import { oauthProvider } from '../oauth-provider.js'
import { accountId } from '../profile-mapping.js'

/** What Pinterest says of the signed-in user; the members that are read. */
export interface PinterestProfile {
  id: string
  username?: string | null
  profile_image?: string | null
}

/**
 * Sign-in with Pinterest.
 *
 * The profile has no e-mail address. Until Pinterest approves the app, access is limited.
 *
 * @see https://developers.pinterest.com/docs/getting-started/authentication/
 */
export default oauthProvider<PinterestProfile>({
  id: 'pinterest',
  name: 'Pinterest',
  authorization: 'https://www.pinterest.com/oauth/',
  scopes: ['user_accounts:read'],
  token: 'https://api.pinterest.com/v5/oauth/token',
  userinfo: 'https://api.pinterest.com/v5/user_account',
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.username ?? null,
    email: null,
    image: profile.profile_image ?? null,
  }),
  style: { brandColor: '#bd081c' },
})
