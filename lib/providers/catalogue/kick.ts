import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Kick says of the signed-in user; the members that are read. */
export interface KickProfile {
  data: [
    { user_id: number; name?: string | null; email?: string | null; profile_picture?: string | null },
    ...unknown[],
  ]
}

/**
 * Sign-in with Kick.
 *
 * @see https://docs.kick.com/getting-started/generating-tokens-oauth2-flow
 */
export default oauthProvider<KickProfile>({
  id: 'kick',
  name: 'Kick',
  authorization: 'https://id.kick.com/oauth/authorize',
  scopes: ['user:read'],
  token: 'https://id.kick.com/oauth/token',
  userinfo: 'https://api.kick.com/public/v1/users',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: ({ data: [user] }) => ({
    id: accountId(user.user_id),
    name: user.name ?? null,
    email: usableEmail(user.email),
    image: user.profile_picture ?? null,
  }),
  tokenFacts: { revocation: { url: 'https://id.kick.com/oauth/revoke' } },
  style: { brandColor: '#53fc19' },
})
