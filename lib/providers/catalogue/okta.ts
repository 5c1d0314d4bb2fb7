import { type IssuerOption, oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Okta beyond those of OpenID Connect. */
export type OktaProfile = OpenIDProfile

/**
 * Sign-in with Okta.
 *
 * The ID token holds little of the profile, so it is read from the userinfo endpoint.
 *
 * `issuer` is an authorization server, `https://example.okta.com/oauth2/default`, or the organization,
 * `https://example.okta.com`.
 *
 * @see https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/
 */
export default oidcProvider<OktaProfile, IssuerOption>({
  id: 'okta',
  name: 'Okta',
  idToken: false,
  profile: standardClaims,
  /** @see https://developer.okta.com/docs/guides/refresh-tokens/main/ */
  tokenFacts: {
    refresh: { scope: 'offline_access' },
    rotates: 'setting',
    graceSeconds: 'setting',
    accessTokenSeconds: 3600,
    revocation: 'metadata',
    endSession: 'metadata',
  },
  style: { brandColor: '#000000' },
})
