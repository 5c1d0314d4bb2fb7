import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What ClickUp says of the signed-in user; the members that are read. */
export interface ClickUpProfile {
  user: {
    id: number
    username?: string | null
    email?: string | null
    profilePicture?: string | null
  }
}

/**
 * Sign-in with ClickUp.
 *
 * There are no scopes: the person picks workspaces. Access tokens do not expire.
 *
 * @see https://developer.clickup.com/docs/authentication
 */
export default oauthProvider<ClickUpProfile>({
  id: 'click-up',
  name: 'ClickUp',
  authorization: 'https://app.clickup.com/api',
  scopes: [],
  token: 'https://api.clickup.com/api/v2/oauth/token',
  userinfo: 'https://api.clickup.com/api/v2/user',
  checks: ['state'],
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.user.id),
    name: profile.user.username ?? null,
    email: usableEmail(profile.user.email),
    image: profile.user.profilePicture ?? null,
  }),
  tokenFacts: { refresh: 'never', accessTokenSeconds: Number.POSITIVE_INFINITY },
  style: { brandColor: '#7b68ee' },
})
