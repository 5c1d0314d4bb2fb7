import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Atlassian says of the signed-in user; the members that are read. */
export interface AtlassianProfile {
  account_id: string
  name?: string | null
  email?: string | null
  picture?: string | null
  email_verified?: boolean | null
}

/**
 * Sign-in with Atlassian.
 *
 * Add the "User identity API" to the app, or `read:me` is refused.
 *
 * The address is absent when the person keeps it private. Refresh tokens need the scope `offline_access`.
 *
 * @see https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/
 */
export default oauthProvider<AtlassianProfile>({
  id: 'atlassian',
  name: 'Atlassian',
  authorization: {
    url: 'https://auth.atlassian.com/authorize',
    params: { audience: 'api.atlassian.com', prompt: 'consent' },
  },
  scopes: ['read:me'],
  token: 'https://auth.atlassian.com/oauth/token',
  userinfo: 'https://api.atlassian.com/me',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.account_id),
    name: profile.name ?? null,
    email: usableEmail(profile.email, profile.email_verified),
    image: profile.picture ?? null,
  }),
  /** @see https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/ */
  tokenFacts: {
    refresh: { scope: 'offline_access' },
    rotates: true,
    graceSeconds: 600,
    accessTokenSeconds: 3600,
  },
  style: { brandColor: '#0052cc' },
})
