import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, fullName, usableEmail } from '../profile-mapping.js'

/** What Cloudflare says of the signed-in user; the members that are read. */
export interface CloudflareProfile {
  result: {
    id: string
    first_name?: string | null
    last_name?: string | null
    email?: string | null
  }
}

/**
 * Sign-in with Cloudflare.
 *
 * The userinfo endpoint gives the id alone, so the user is read from the API, which needs `user-details.read`.
 *
 * The API gives the current address of the user, and does not say whether it is verified. An answer may have no
 * address; then `email` is null.
 *
 * @see https://developers.cloudflare.com/fundamentals/oauth/create-an-oauth-client/
 */
export default oauthProvider<CloudflareProfile>({
  id: 'cloudflare',
  name: 'Cloudflare',
  authorization: 'https://dash.cloudflare.com/oauth2/auth',
  scopes: ['user-details.read'],
  token: 'https://dash.cloudflare.com/oauth2/token',
  userinfo: 'https://api.cloudflare.com/client/v4/user',
  profile: (profile) => ({
    id: accountId(profile.result.id),
    name: firstText(fullName(profile.result.first_name, profile.result.last_name), profile.result.email),
    email: usableEmail(profile.result.email),
    image: null,
  }),
  style: { brandColor: '#f38020' },
})
