import { oauthProvider } from '../oauth-provider.js'
import { accountId } from '../profile-mapping.js'

/** What Epic Games says of the signed-in user; the members that are read. */
export interface EpicGamesProfile {
  sub: string
  preferred_username?: string | null
}

/**
 * Sign-in with Epic Games.
 *
 * The profile has no e-mail address and no picture.
 *
 * @see https://dev.epicgames.com/docs/web-api-ref/authentication
 */
export default oauthProvider<EpicGamesProfile>({
  id: 'epic-games',
  name: 'Epic Games',
  authorization: 'https://www.epicgames.com/id/authorize',
  scopes: ['basic_profile'],
  token: 'https://api.epicgames.dev/epic/oauth/v2/token',
  userinfo: 'https://api.epicgames.dev/epic/oauth/v2/userInfo',
  profile: (profile) => ({
    id: accountId(profile.sub),
    name: profile.preferred_username ?? null,
    email: null,
    image: null,
  }),
  tokenFacts: { revocation: { url: 'https://api.epicgames.dev/epic/oauth/v2/revoke' } },
  style: { brandColor: '#313131' },
})
