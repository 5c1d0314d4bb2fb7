import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Patreon says of the signed-in user; the members that are read. */
export interface PatreonProfile {
  data: {
    id: string
    attributes?: {
      full_name?: string | null
      email?: string | null
      image_url?: string | null
      is_email_verified?: boolean | null
    } | null
  }
}

/**
 * Sign-in with Patreon.
 *
 * @see https://docs.patreon.com/
 */
export default oauthProvider<PatreonProfile>({
  id: 'patreon',
  name: 'Patreon',
  authorization: 'https://www.patreon.com/oauth2/authorize',
  scopes: ['identity', 'identity[email]'],
  token: 'https://www.patreon.com/api/oauth2/token',
  userinfo: {
    url: 'https://www.patreon.com/api/oauth2/v2/identity',
    params: { 'fields[user]': 'email,full_name,image_url,is_email_verified' },
  },
  client: { token_endpoint_auth_method: 'client_secret_post' },
  verifiedEmail: ({ data: { attributes } }) => (attributes?.is_email_verified === true ? attributes.email : null),
  profile: (profile) => ({
    id: accountId(profile.data.id),
    name: profile.data.attributes?.full_name ?? null,
    email: usableEmail(profile.data.attributes?.email, profile.data.attributes?.is_email_verified),
    image: profile.data.attributes?.image_url ?? null,
  }),
  tokenFacts: { revocation: { url: 'https://www.patreon.com/oauth2/revoke' } },
  style: { brandColor: '#e85b46' },
})
