import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Figma says of the signed-in user; the members that are read. */
export interface FigmaProfile {
  id: string
  handle?: string | null
  email?: string | null
  img_url?: string | null
}

/**
 * Sign-in with Figma.
 *
 * The code must be redeemed within 30 seconds.
 *
 * @see https://developers.figma.com/docs/rest-api/authentication/
 */
export default oauthProvider<FigmaProfile>({
  id: 'figma',
  name: 'Figma',
  issuer: 'https://www.figma.com',
  authorization: 'https://www.figma.com/oauth',
  scopes: ['current_user:read'],
  token: 'https://api.figma.com/v1/oauth/token',
  userinfo: 'https://api.figma.com/v1/me',
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.handle ?? null,
    email: usableEmail(profile.email),
    image: profile.img_url ?? null,
  }),
  style: { brandColor: '#ff7237' },
})
