import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'
import { userinfoEndpoint } from '../request-hooks.js'

/** What Dropbox says of the signed-in user; the members that are read. */
export interface DropboxProfile {
  account_id: string
  name?: { display_name?: string }
  email?: string | null
  email_verified?: boolean
  profile_photo_url?: string | null
}

/**
 * Sign-in with Dropbox.
 *
 * The user is read by a POST with an empty body. `token_access_type=offline` gives a refresh token.
 *
 * @see https://developers.dropbox.com/oauth-guide
 */
export default oauthProvider<DropboxProfile>({
  id: 'dropbox',
  name: 'Dropbox',
  authorization: { url: 'https://www.dropbox.com/oauth2/authorize', params: { token_access_type: 'offline' } },
  scopes: ['account_info.read'],
  token: 'https://api.dropboxapi.com/oauth2/token',
  userinfo: userinfoEndpoint({ url: 'https://api.dropboxapi.com/2/users/get_current_account', method: 'POST' }),
  profile: (profile) => ({
    id: accountId(profile.account_id),
    name: profile.name?.display_name ?? null,
    email: usableEmail(profile.email, profile.email_verified),
    image: profile.profile_photo_url ?? null,
  }),
  /** @see https://developers.dropbox.com/oauth-guide */
  tokenFacts: {
    refresh: { params: { token_access_type: 'offline' } },
    accessTokenSeconds: 14_400,
    revocation: { url: 'https://api.dropboxapi.com/2/auth/token/revoke', dialect: 'bearer', only: 'access' },
    endSession: 'none',
  },
  style: { brandColor: '#0061fe' },
})
