import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Tiltify says of the signed-in user; the members that are read. */
export interface TiltifyProfile {
  data: {
    id: string
    username?: string | null
    email?: string | null
    avatar?: {
      src?: string | null
    } | null
  }
}

/**
 * Sign-in with Tiltify.
 *
 * The address is there for some apps only.
 *
 * @see https://developers.tiltify.com/
 */
export default oauthProvider<TiltifyProfile>({
  id: 'tiltify',
  name: 'Tiltify',
  authorization: 'https://v5api.tiltify.com/oauth/authorize',
  scopes: ['public'],
  token: 'https://v5api.tiltify.com/oauth/token',
  userinfo: 'https://v5api.tiltify.com/api/public/current-user',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.data.id),
    name: profile.data.username ?? null,
    email: usableEmail(profile.data.email),
    image: profile.data.avatar?.src ?? null,
  }),
})
