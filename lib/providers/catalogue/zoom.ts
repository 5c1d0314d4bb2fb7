import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, fullName, usableEmail } from '../profile-mapping.js'

/** What Zoom says of the signed-in user; the members that are read. */
export interface ZoomProfile {
  id: string
  display_name?: string | null
  first_name?: string | null
  last_name?: string | null
  email?: string | null
  pic_url?: string | null
  verified?: 0 | 1 | null
}

/**
 * Sign-in with Zoom.
 *
 * Scopes are set on the app: it needs `user:read:user`.
 *
 * @see https://developers.zoom.us/docs/integrations/oauth/
 */
export default oauthProvider<ZoomProfile>({
  id: 'zoom',
  name: 'Zoom',
  authorization: 'https://zoom.us/oauth/authorize',
  scopes: [],
  token: 'https://zoom.us/oauth/token',
  userinfo: 'https://api.zoom.us/v2/users/me',
  verifiedEmail: ({ email, verified }) => (verified === 1 ? email : null),
  profile: (profile) => ({
    id: accountId(profile.id),
    name: firstText(profile.display_name, fullName(profile.first_name, profile.last_name)),
    email: usableEmail(profile.email, profile.verified),
    image: profile.pic_url ?? null,
  }),
  /** @see https://developers.zoom.us/docs/integrations/oauth/ */
  tokenFacts: {
    refresh: 'always',
    rotates: true,
    accessTokenSeconds: 3600,
    revocation: { url: 'https://zoom.us/oauth/revoke', dialect: 'rfc7009' },
  },
  style: { brandColor: '#0b5cff' },
})
