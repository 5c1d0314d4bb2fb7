import { type IssuerOption, oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Keycloak's ID token beyond those of OpenID Connect. */
export interface KeycloakProfile extends OpenIDProfile {
  sid?: string
}

/**
 * Sign-in with a Keycloak realm. `issuer` is the realm's URL: `https://id.example.com/realms/main`.
 *
 * Servers before version 17 have `/auth` before `/realms`. The answer names the issuer; a client with the setting "Exclude
 * Issuer From Authentication Response" is refused.
 *
 * With the scope `offline_access`, Keycloak makes an offline session: no sign-out there ends it, and no logout token comes for
 * it. A refresh token comes without that scope, too.
 *
 * @see https://www.keycloak.org/docs/latest/server_admin/
 */
export default oidcProvider<KeycloakProfile, IssuerOption>({
  id: 'keycloak',
  name: 'Keycloak',
  profile: standardClaims,
  /** @see https://www.keycloak.org/docs/latest/server_admin/#_timeouts */
  tokenFacts: {
    // It ends with the session there; with the scope offline_access it does not.
    refresh: 'always',
    rotates: 'setting',
    accessTokenSeconds: 'setting',
    revocation: 'metadata',
    endSession: { url: 'metadata', returnParam: 'post_logout_redirect_uri', withoutHint: true },
    backChannelLogout: true,
  },
  style: { brandColor: '#428bca' },
})
