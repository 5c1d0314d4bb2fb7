import { oidcProvider } from '../oauth-provider.js'
import { accountId, firstText } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Roblox beyond those of OpenID Connect. */
export type RobloxProfile = OpenIDProfile

/**
 * Sign-in with Roblox.
 *
 * The profile has no e-mail address, and no picture while it is being moderated.
 *
 * @see https://create.roblox.com/docs/cloud/auth/oauth2-reference
 */
export default oidcProvider<RobloxProfile>({
  id: 'roblox',
  name: 'Roblox',
  issuer: 'https://apis.roblox.com/oauth/',
  scopes: ['openid', 'profile'],
  profile: (profile) => ({
    id: accountId(profile.sub),
    name: firstText(profile.name, profile.nickname, profile.preferred_username),
    email: null,
    image: profile.picture ?? null,
  }),
  tokenFacts: { rotates: true, revocation: 'metadata' },
  style: { brandColor: '#335fff' },
})
