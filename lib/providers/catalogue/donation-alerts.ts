import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'

/** What DonationAlerts says of the signed-in user; the members that are read. */
export interface DonationAlertsProfile {
  data: {
    id: number
    name?: string | null
    code?: string | null
    email?: string | null
    avatar?: string | null
  }
}

/**
 * Sign-in with DonationAlerts.
 *
 * @see https://www.donationalerts.com/apidoc
 */
export default oauthProvider<DonationAlertsProfile>({
  id: 'donation-alerts',
  name: 'DonationAlerts',
  authorization: 'https://www.donationalerts.com/oauth/authorize',
  scopes: ['oauth-user-show'],
  token: 'https://www.donationalerts.com/oauth/token',
  userinfo: 'https://www.donationalerts.com/api/v1/user/oauth',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.data.id),
    name: firstText(profile.data.name, profile.data.code),
    email: usableEmail(profile.data.email),
    image: profile.data.avatar ?? null,
  }),
  style: { brandColor: '#f57507' },
})
