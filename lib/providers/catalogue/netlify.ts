import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Netlify says of the signed-in user; the members that are read. */
export interface NetlifyProfile {
  id: string
  full_name?: string | null
  email?: string | null
  avatar_url?: string | null
}

/**
 * Sign-in with Netlify.
 *
 * Access tokens do not expire.
 *
 * @see https://docs.netlify.com/api/get-started/
 */
export default oauthProvider<NetlifyProfile>({
  id: 'netlify',
  name: 'Netlify',
  authorization: 'https://app.netlify.com/authorize',
  scopes: [],
  token: 'https://api.netlify.com/oauth/token',
  userinfo: 'https://api.netlify.com/api/v1/user',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.full_name ?? null,
    email: usableEmail(profile.email),
    image: profile.avatar_url ?? null,
  }),
  tokenFacts: { accessTokenSeconds: Number.POSITIVE_INFINITY },
  style: { brandColor: '#32e6e2' },
})
