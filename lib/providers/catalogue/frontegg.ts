import { oidcProvider, under } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Frontegg beyond those of OpenID Connect. */
export interface FronteggProfile extends OpenIDProfile {
  verified?: boolean
  profilePictureUrl?: string
}

/** Options of the Frontegg provider. */
export interface FronteggOptions {
  /** URL of the environment. */
  issuer: string | undefined
}

/**
 * Sign-in with Frontegg.
 *
 * `issuer` is the URL of the environment: `https://<subdomain>.frontegg.com`.
 *
 * @see https://developers.frontegg.com/
 */
export default oidcProvider<FronteggProfile, FronteggOptions>(({ issuer }) => {
  const at = under(issuer)
  return {
    id: 'frontegg',
    name: 'Frontegg',
    issuer,
    wellKnown: at('/oauth/.well-known/openid-configuration'),
    requires: { issuer },
    authorization: at('/oauth/authorize'),
    token: at('/oauth/token'),
    verifiedEmail: ({ email, verified, email_verified = verified }) => (email_verified === true ? email : null),
    profile: (profile) => ({
      id: accountId(profile.sub ?? profile.id),
      name: profile.name ?? null,
      email: usableEmail(profile.email, profile.email_verified ?? profile.verified),
      image: profile.profilePictureUrl ?? null,
    }),
  }
})
