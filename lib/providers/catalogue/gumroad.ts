import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Gumroad says of the signed-in user; the members that are read. */
export interface GumroadProfile {
  user: {
    user_id: string
    name?: string | null
    email?: string | null
    profile_url?: string | null
  }
}

/**
 * Sign-in with Gumroad.
 *
 * The address comes with some scopes only.
 *
 * @see https://gumroad.com/api
 */
export default oauthProvider<GumroadProfile>({
  id: 'gumroad',
  name: 'Gumroad',
  authorization: 'https://gumroad.com/oauth/authorize',
  scopes: ['view_profile'],
  token: 'https://api.gumroad.com/oauth/token',
  userinfo: 'https://api.gumroad.com/v2/user',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.user.user_id),
    name: profile.user.name ?? null,
    email: usableEmail(profile.user.email),
    image: profile.user.profile_url ?? null,
  }),
  style: { brandColor: '#ff90e8' },
})
