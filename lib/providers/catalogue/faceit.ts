import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'

/** What FACEIT says of the signed-in user; the members that are read. */
export interface FACEITProfile {
  guid: string
  nickname?: string
  name?: string
  email?: string | null
  email_verified?: boolean
  picture?: string | null
}

/**
 * Sign-in with FACEIT.
 *
 * FACEIT names the account by `guid`.
 *
 * @see https://docs.faceit.com/docs/auth/oauth2
 */
export default oauthProvider<FACEITProfile>({
  id: 'faceit',
  name: 'FACEIT',
  authorization: { url: 'https://accounts.faceit.com/accounts', params: { redirect_popup: 'true' } },
  token: 'https://api.faceit.com/auth/v1/oauth/token',
  userinfo: 'https://api.faceit.com/auth/v1/resources/userinfo',
  profile: (profile) => ({
    id: accountId(profile.guid),
    name: firstText(profile.nickname, profile.name),
    email: usableEmail(profile.email, profile.email_verified),
    image: profile.picture ?? null,
  }),
  style: { brandColor: '#ff5500' },
})
