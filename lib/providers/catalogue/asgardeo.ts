import { oidcProvider, under } from '../oauth-provider.js'
import { firstText, fullName, standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Asgardeo beyond those of OpenID Connect. */
export interface AsgardeoProfile extends OpenIDProfile {
  username?: string
}

/** Options of the Asgardeo provider: one of the two. */
export type AsgardeoOptions =
  | {
      /** Name of the organization. */
      organization: string
      issuer?: string
    }
  | {
      organization?: string
      /** `https://api.asgardeo.io/t/<organization>`; in the environment `AUTH_ASGARDEO_ISSUER`. */
      issuer: string | undefined
    }

/**
 * Sign-in with Asgardeo.
 *
 * Only the attributes that are switched on for the application arrive.
 *
 * @see https://wso2.com/asgardeo/docs/guides/authentication/oidc/
 */
export default oidcProvider<AsgardeoProfile, AsgardeoOptions>(({ organization, issuer }) => {
  const tenant = organization ? `https://api.asgardeo.io/t/${organization}` : issuer
  const own = under(tenant?.replace(/\/oauth2\/token\/?$/, ''))
  return {
    id: 'asgardeo',
    name: 'Asgardeo',
    issuer: own('/oauth2/token'),
    requires: { issuer: tenant },
    profile: (profile) => ({
      ...standardClaims(profile),
      name: firstText(fullName(profile.given_name, profile.family_name), profile.username),
    }),
    tokenFacts: { rotates: 'setting', graceSeconds: 'setting', revocation: 'metadata', endSession: 'metadata' },
    style: { brandColor: '#ff7300' },
  }
})
