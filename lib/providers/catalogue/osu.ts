import { parseUrl } from '../../kernel/urls.js'
import { oauthProvider } from '../oauth-provider.js'
import { accountId } from '../profile-mapping.js'

/** What osu! says of the signed-in user; the members that are read. */
export interface OsuProfile {
  id: number
  username?: string
  avatar_url?: string
}

/**
 * Sign-in with osu!.
 *
 * The profile has no e-mail address. The default picture has a relative path.
 *
 * @see https://osu.ppy.sh/docs/index.html
 */
export default oauthProvider<OsuProfile>({
  id: 'osu',
  name: 'osu!',
  authorization: 'https://osu.ppy.sh/oauth/authorize',
  scopes: ['identify'],
  token: 'https://osu.ppy.sh/oauth/token',
  userinfo: 'https://osu.ppy.sh/api/v2/me',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.username ?? null,
    email: null,
    image: profile.avatar_url ? (parseUrl(profile.avatar_url, 'https://osu.ppy.sh')?.href ?? null) : null,
  }),
  style: { brandColor: '#ff66aa' },
})
