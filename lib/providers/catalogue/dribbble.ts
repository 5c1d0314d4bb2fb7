import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Dribbble says of the signed-in user; the members that are read. */
export interface DribbbleProfile {
  id: number
  name?: string | null
  email?: string | null
  avatar_url?: string | null
}

/**
 * Sign-in with Dribbble.
 *
 * The address is usually absent.
 *
 * @see https://developer.dribbble.com/v2/oauth/
 */
export default oauthProvider<DribbbleProfile>({
  id: 'dribbble',
  name: 'Dribbble',
  authorization: 'https://dribbble.com/oauth/authorize',
  scopes: ['public'],
  token: 'https://dribbble.com/oauth/token',
  userinfo: 'https://api.dribbble.com/v2/user',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.name ?? null,
    email: usableEmail(profile.email),
    image: profile.avatar_url ?? null,
  }),
  tokenFacts: { accessTokenSeconds: Number.POSITIVE_INFINITY },
  style: { brandColor: '#ea4c89' },
})
