import { oauthProvider, present } from '../oauth-provider.js'
import { accountId, firstText } from '../profile-mapping.js'

/** What Shikimori says of the signed-in user; the members that are read. */
export interface ShikimoriProfile {
  id: number
  nickname?: string
  image?: { x160?: string }
  avatar?: string | null
}

/** Options of the Shikimori provider. */
export interface ShikimoriOptions {
  /** Name of the app as registered; calls without it are refused. */
  appName: string
}

/**
 * Sign-in with Shikimori.
 *
 * The profile has no e-mail address.
 *
 * @see https://shikimori.io/oauth
 */
export default oauthProvider<ShikimoriProfile, ShikimoriOptions>(({ appName }) => {
  const headers = present({ 'user-agent': appName })
  return {
    id: 'shikimori',
    name: 'Shikimori',
    requires: { appName },
    authorization: 'https://shikimori.io/oauth/authorize',
    scopes: [],
    token: { url: 'https://shikimori.io/oauth/token', headers },
    userinfo: { url: 'https://shikimori.io/api/users/whoami', headers },
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: (profile) => ({
      id: accountId(profile.id),
      name: profile.nickname ?? null,
      email: null,
      image: firstText(profile.image?.x160, profile.avatar),
    }),
    style: { brandColor: '#343434' },
  }
})
