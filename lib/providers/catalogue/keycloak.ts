import { oidcProvider } from '../oauth-provider.js'
import type { Profile } from '../provider.js'

/** Claims of Keycloak's ID token beyond those of OpenID Connect. */
export interface KeycloakProfile extends Profile {
  sub: string
  sid?: string
}

/** Sign-in with a Keycloak realm. `issuer` is the realm's URL: `https://id.example.com/realms/main`. */
export default oidcProvider<KeycloakProfile>({
  id: 'keycloak',
  name: 'Keycloak',
  checks: ['pkce', 'state', 'nonce'],
  style: { brandColor: '#428bca' },
})
