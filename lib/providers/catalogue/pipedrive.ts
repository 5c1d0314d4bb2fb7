import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Pipedrive says of the signed-in user; the members that are read. */
export interface PipedriveProfile {
  data: {
    id: number
    name?: string | null
    email?: string | null
    icon_url?: string | null
  }
}

/**
 * Sign-in with Pipedrive.
 *
 * Scopes are set on the app.
 *
 * @see https://pipedrive.readme.io/docs/marketplace-oauth-authorization
 */
export default oauthProvider<PipedriveProfile>({
  id: 'pipedrive',
  name: 'Pipedrive',
  authorization: 'https://oauth.pipedrive.com/oauth/authorize',
  scopes: [],
  token: 'https://oauth.pipedrive.com/oauth/token',
  userinfo: 'https://api.pipedrive.com/v1/users/me',
  checks: ['pkce', 'state'],
  profile: (profile) => ({
    id: accountId(profile.data.id),
    name: profile.data.name ?? null,
    email: usableEmail(profile.data.email),
    image: profile.data.icon_url ?? null,
  }),
})
