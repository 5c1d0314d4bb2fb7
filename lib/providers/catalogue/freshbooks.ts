import { oauthProvider } from '../oauth-provider.js'
import { accountId, fullName, usableEmail } from '../profile-mapping.js'

/** What FreshBooks says of the signed-in user; the members that are read. */
export interface FreshBooksProfile {
  response: {
    id: number
    first_name?: string | null
    last_name?: string | null
    email?: string | null
  }
}

/**
 * Sign-in with FreshBooks.
 *
 * The callback must be on https. Scopes are chosen in the developer portal.
 *
 * @see https://www.freshbooks.com/api/authentication
 */
export default oauthProvider<FreshBooksProfile>({
  id: 'freshbooks',
  name: 'FreshBooks',
  authorization: 'https://auth.freshbooks.com/oauth/authorize',
  scopes: ['user:profile:read'],
  token: 'https://api.freshbooks.com/auth/oauth/token',
  userinfo: 'https://api.freshbooks.com/auth/api/v1/users/me',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.response.id),
    name: fullName(profile.response.first_name, profile.response.last_name),
    email: usableEmail(profile.response.email),
    image: null,
  }),
  tokenFacts: { rotates: true, revocation: { url: 'https://api.freshbooks.com/auth/oauth/revoke' } },
  style: { brandColor: '#0075dd' },
})
