import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Concept2 says of the signed-in user; the members that are read. */
export interface Concept2Profile {
  data: {
    id: number
    username?: string | null
    email?: string | null
    profile_image?: string | null
  }
}

/**
 * Sign-in with Concept2.
 *
 * The scope `user:read` is enough to sign in. The development host is `log-dev.concept2.com`.
 *
 * @see https://log.concept2.com/developers/documentation/
 */
export default oauthProvider<Concept2Profile>({
  id: 'concept2',
  name: 'Concept2',
  authorization: 'https://log.concept2.com/oauth/authorize',
  scopes: ['user:read', 'results:write'],
  scopeSeparator: ',',
  token: 'https://log.concept2.com/oauth/access_token',
  userinfo: 'https://log.concept2.com/api/users/me',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.data.id),
    name: profile.data.username ?? null,
    email: usableEmail(profile.data.email),
    image: profile.data.profile_image ?? null,
  }),
})
