import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'
import { conformToUsable } from '../request-hooks.js'

/** Claims of Twitch beyond those of OpenID Connect. */
export type TwitchProfile = OpenIDProfile

/**
 * Sign-in with Twitch.
 *
 * Twitch does not support PKCE for apps with a secret.
 *
 * @see https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/
 */
export default oidcProvider<TwitchProfile>({
  id: 'twitch',
  name: 'Twitch',
  issuer: 'https://id.twitch.tv/oauth2',
  authorization: {
    params: {
      claims: { id_token: { email: null, email_verified: null, picture: null, preferred_username: null } },
    },
  },
  scopes: ['openid', 'user:read:email'],
  token: { conform: conformToUsable },
  checks: ['state', 'nonce'],
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({ ...standardClaims(profile), name: profile.preferred_username ?? null }),
  /** @see https://dev.twitch.tv/docs/authentication/refresh-tokens/ */
  tokenFacts: {
    refresh: 'always',
    rotates: 'sometimes',
    revocation: { url: 'https://id.twitch.tv/oauth2/revoke', dialect: 'public', only: 'access' },
    endSession: 'none',
  },
  style: { brandColor: '#65459b' },
})
