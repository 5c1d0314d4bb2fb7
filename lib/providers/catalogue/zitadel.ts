import { type IssuerOption, oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of ZITADEL beyond those of OpenID Connect. */
export type ZitadelProfile = OpenIDProfile

/**
 * Sign-in with ZITADEL.
 *
 * The ID token holds little of the profile, so it is read from the userinfo endpoint.
 *
 * Its ID tokens name the project and all applications of the project as audiences. So any audience is trusted beside this
 * client, which must be the one that the token was issued to (`azp`).
 *
 * @see https://zitadel.com/docs/apis/openidoauth/endpoints
 */
export default oidcProvider<ZitadelProfile, IssuerOption>({
  id: 'zitadel',
  name: 'ZITADEL',
  idToken: false,
  trustedAudiences: ['*'],
  /** @see https://help.zitadel.com/how-to-enable-and-receive-refresh-tokens */
  tokenFacts: {
    refresh: { scope: 'offline_access' },
    rotates: true,
    accessTokenSeconds: 'setting',
    revocation: 'metadata',
    endSession: { url: 'metadata', returnParam: 'post_logout_redirect_uri', withoutHint: true },
    backChannelLogout: true,
  },
  profile: standardClaims,
})
