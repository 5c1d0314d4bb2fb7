import { type IssuerOption, oidcProvider } from '../oauth-provider.js'
import { firstText, standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Logto beyond those of OpenID Connect. */
export interface LogtoProfile extends OpenIDProfile {
  username?: string
}

/**
 * Sign-in with Logto.
 *
 * A refresh token needs `prompt=consent` beside the scope. `issuer` ends in `/oidc`.
 *
 * @see https://docs.logto.io/
 */
export default oidcProvider<LogtoProfile, IssuerOption>({
  id: 'logto',
  name: 'Logto',
  scopes: ['openid', 'offline_access', 'profile', 'email'],
  profile: (profile) => ({
    ...standardClaims(profile),
    name: firstText(profile.name, profile.username),
  }),
  /** @see https://docs.logto.io/integrate-logto/application-data-structure */
  tokenFacts: {
    refresh: { scope: 'offline_access', params: { prompt: 'consent' } },
    rotates: 'sometimes',
    revocation: 'metadata',
    endSession: { url: 'metadata', returnParam: 'post_logout_redirect_uri', withoutHint: true },
    backChannelLogout: true,
  },
  style: { brandColor: '#5d34f2' },
})
