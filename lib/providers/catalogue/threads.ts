import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText } from '../profile-mapping.js'
import { conformToUsable } from '../request-hooks.js'

/** What Threads says of the signed-in user; the members that are read. */
export interface ThreadsProfile {
  id: string
  name?: string | null
  username?: string | null
  threads_profile_picture_url?: string | null
}

/**
 * Sign-in with Threads.
 *
 * The profile has no e-mail address. The callback must be on https.
 *
 * @see https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions
 */
export default oauthProvider<ThreadsProfile>({
  id: 'threads',
  name: 'Threads',
  authorization: 'https://threads.net/oauth/authorize',
  scopes: ['threads_basic'],
  token: { url: 'https://graph.threads.net/oauth/access_token', conform: conformToUsable },
  userinfo: {
    url: 'https://graph.threads.net/v1.0/me',
    params: { fields: 'id,username,name,threads_profile_picture_url' },
  },
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: firstText(profile.name, profile.username),
    email: null,
    image: profile.threads_profile_picture_url ?? null,
  }),
  tokenFacts: { accessTokenSeconds: 3600 },
  style: { brandColor: '#000000' },
})
