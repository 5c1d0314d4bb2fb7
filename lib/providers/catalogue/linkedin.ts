import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of LinkedIn beyond those of OpenID Connect. */
export type LinkedInProfile = OpenIDProfile

/**
 * Sign-in with LinkedIn.
 *
 * Neither PKCE nor a nonce can be used: LinkedIn refuses the one in ordinary apps and leaves the other out of its
 * ID tokens. `state` binds the answer to the browser.
 *
 * @see https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
 */
export default oidcProvider<LinkedInProfile>({
  id: 'linkedin',
  name: 'LinkedIn',
  issuer: 'https://www.linkedin.com/oauth',
  checks: ['state'],
  unsupportedChecks: ['pkce', 'nonce'],
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: standardClaims,
  /** @see https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens */
  tokenFacts: {
    // Approved partners get one.
    refresh: 'setting',
    accessTokenSeconds: 5_184_000,
    endSession: 'none',
  },
  style: { brandColor: '#0077b5' },
})
