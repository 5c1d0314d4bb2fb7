import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Railway beyond those of OpenID Connect. */
export type RailwayProfile = OpenIDProfile

/**
 * Sign-in with Railway.
 *
 * The profile is read from the userinfo endpoint. A refresh token needs the scope `offline_access` and
 * `prompt=consent`.
 *
 * @see https://docs.railway.com/integrations/oauth
 */
export default oidcProvider<RailwayProfile>({
  id: 'railway',
  name: 'Railway',
  issuer: 'https://backboard.railway.com',
  wellKnown: 'https://backboard.railway.com/oauth/.well-known/openid-configuration',
  authorization: 'https://backboard.railway.com/oauth/auth',
  scopes: ['openid', 'email', 'profile'],
  token: 'https://backboard.railway.com/oauth/token',
  userinfo: 'https://backboard.railway.com/oauth/me',
  idToken: false,
  profile: standardClaims,
  tokenFacts: { refresh: { scope: 'offline_access', params: { prompt: 'consent' } }, rotates: true },
  style: { brandColor: '#0b0d0e' },
})
