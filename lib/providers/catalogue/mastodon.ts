import { oauthProvider, under } from '../oauth-provider.js'
import { accountId, firstText } from '../profile-mapping.js'

/** What Mastodon says of the signed-in user; the members that are read. */
export interface MastodonProfile {
  id: string
  display_name?: string | null
  username?: string | null
  avatar_static?: string | null
  avatar?: string | null
}

/** Options of the Mastodon provider. */
export interface MastodonOptions {
  /** URL of the instance: `https://mastodon.social`. */
  issuer: string | undefined
}

/**
 * Sign-in with Mastodon.
 *
 * Each instance has its own clients: register yours at the instance that `issuer` names. User ids belong to that
 * instance, so two instances need two providers with different ids.
 *
 * PKCE needs Mastodon 4.3; older servers ignore it. The profile has no e-mail address.
 *
 * @see https://docs.joinmastodon.org/methods/oauth/
 */
export default oauthProvider<MastodonProfile, MastodonOptions>(({ issuer }) => {
  const at = under(issuer)
  return {
    id: 'mastodon',
    name: 'Mastodon',
    requires: { issuer },
    authorization: at('/oauth/authorize'),
    scopes: ['read:accounts'],
    token: at('/oauth/token'),
    userinfo: at('/api/v1/accounts/verify_credentials'),
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: (profile) => ({
      id: accountId(profile.id),
      // Who has set no display name has an empty one.
      name: profile.display_name || profile.username || null,
      email: null,
      image: firstText(profile.avatar_static, profile.avatar),
    }),
    tokenFacts: {
      refresh: 'never',
      accessTokenSeconds: Number.POSITIVE_INFINITY,
      revocation: { url: '{issuer}/oauth/revoke' },
    },
    style: { brandColor: '#6364ff' },
  }
})
