import { oidcProvider } from '../oauth-provider.js'
import { accountId, firstText } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Battle.net beyond those of OpenID Connect. */
export interface BattleNetProfile extends OpenIDProfile {
  battle_tag?: string
  /** What the userinfo endpoint calls it. */
  battletag?: string
}

/**
 * Sign-in with Battle.net.
 *
 * China has an issuer of its own, `https://oauth.battlenet.com.cn`. The profile has no e-mail address and no picture.
 *
 * @see https://community.developer.battle.net/documentation/guides/using-oauth
 */
export default oidcProvider<BattleNetProfile>({
  id: 'battlenet',
  name: 'Battle.net',
  fallbackIssuer: 'https://oauth.battle.net',
  scopes: ['openid'],
  profile: (profile) => ({
    id: accountId(profile.sub),
    name: firstText(profile.battle_tag, profile.battletag),
    email: null,
    image: null,
  }),
  style: { brandColor: '#148eff' },
})
