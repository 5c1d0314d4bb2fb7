import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Todoist says of the signed-in user; the members that are read. */
export interface TodoistProfile {
  id: string
  full_name?: string | null
  email?: string | null
  avatar_big?: string | null
}

/**
 * Sign-in with Todoist.
 *
 * Access tokens do not expire.
 *
 * @see https://developer.todoist.com/api/v1/
 */
export default oauthProvider<TodoistProfile>({
  id: 'todoist',
  name: 'Todoist',
  authorization: 'https://todoist.com/oauth/authorize',
  scopes: ['data:read'],
  token: 'https://todoist.com/oauth/access_token',
  userinfo: 'https://api.todoist.com/api/v1/user',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.full_name ?? null,
    email: usableEmail(profile.email),
    image: profile.avatar_big ?? null,
  }),
  tokenFacts: {
    refresh: 'never',
    accessTokenSeconds: Number.POSITIVE_INFINITY,
    revocation: { url: 'https://api.todoist.com/api/v1/revoke' },
  },
  style: { brandColor: '#e44332' },
})
