import { oauthProvider } from '../oauth-provider.js'
import { accountId } from '../profile-mapping.js'

/** What Reddit says of the signed-in user; the members that are read. */
export interface RedditProfile {
  id: string
  name?: string
  icon_img?: string | null
}

/**
 * Sign-in with Reddit.
 *
 * New apps need an approval by Reddit. The profile has no e-mail address. `duration=permanent` gives a refresh token.
 *
 * @see https://github.com/reddit-archive/reddit/wiki/OAuth2
 */
export default oauthProvider<RedditProfile>({
  id: 'reddit',
  name: 'Reddit',
  authorization: { url: 'https://www.reddit.com/api/v1/authorize', params: { duration: 'permanent' } },
  scopes: ['identity'],
  token: 'https://www.reddit.com/api/v1/access_token',
  userinfo: 'https://oauth.reddit.com/api/v1/me',
  checks: ['state'],
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.name ?? null,
    email: null,
    // The query is a signature that is HTML-escaped; the picture is there without it.
    image: (typeof profile.icon_img === 'string' && profile.icon_img.replace(/\?.*$/, '')) || null,
  }),
  tokenFacts: {
    refresh: { params: { duration: 'permanent' } },
    revocation: { url: 'https://www.reddit.com/api/v1/revoke_token' },
  },
  style: { brandColor: '#ff4500' },
})
