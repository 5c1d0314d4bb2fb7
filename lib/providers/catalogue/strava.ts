import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, fullName } from '../profile-mapping.js'

/** What Strava says of the signed-in user; the members that are read. */
export interface StravaProfile {
  id: number
  firstname?: string
  lastname?: string
  username?: string | null
  profile?: string
}

/**
 * Sign-in with Strava.
 *
 * The profile has no e-mail address.
 *
 * @see https://developers.strava.com/docs/authentication/
 */
export default oauthProvider<StravaProfile>({
  id: 'strava',
  name: 'Strava',
  authorization: { url: 'https://www.strava.com/oauth/authorize', params: { approval_prompt: 'auto' } },
  scopes: ['read'],
  token: 'https://www.strava.com/api/v3/oauth/token',
  userinfo: 'https://www.strava.com/api/v3/athlete',
  checks: ['state'],
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (athlete) => ({
    id: accountId(athlete.id),
    name: firstText(fullName(athlete.firstname, athlete.lastname), athlete.username),
    email: null,
    // Without a picture there is a relative path to the default one.
    image: String(athlete.profile).startsWith('https:') ? athlete.profile : null,
  }),
  tokenFacts: { accessTokenSeconds: 21_600, revocation: { url: 'https://www.strava.com/oauth/deauthorize' } },
  style: { brandColor: '#fc4c02' },
})
