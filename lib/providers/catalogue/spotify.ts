import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Spotify says of the signed-in user; the members that are read. */
export interface SpotifyProfile {
  id: string
  display_name?: string | null
  email?: string
  images?: { url: string }[]
}

/**
 * Sign-in with Spotify.
 *
 * The address is not verified by Spotify, and apps in development mode do not get it.
 *
 * The callback may be on 127.0.0.1, and not on localhost.
 *
 * @see https://developer.spotify.com/documentation/web-api/tutorials/code-flow
 */
export default oauthProvider<SpotifyProfile>({
  id: 'spotify',
  name: 'Spotify',
  authorization: 'https://accounts.spotify.com/authorize',
  scopes: ['user-read-email', 'user-read-private'],
  token: 'https://accounts.spotify.com/api/token',
  userinfo: 'https://api.spotify.com/v1/me',
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.display_name ?? null,
    email: usableEmail(profile.email),
    image: profile.images?.[0]?.url ?? null,
  }),
  /** @see https://developer.spotify.com/documentation/web-api/tutorials/refreshing-tokens */
  tokenFacts: { refresh: 'always', rotates: 'sometimes', accessTokenSeconds: 3600 },
  style: { brandColor: '#1db954' },
})
