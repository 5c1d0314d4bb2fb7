import { oidcProvider, present, under } from '../oauth-provider.js'
import { fullName, standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of FusionAuth beyond those of OpenID Connect. */
export type FusionAuthProfile = OpenIDProfile

/** Options of the FusionAuth provider. */
export interface FusionAuthOptions {
  /** URL of the server, which is also the issuer of the tenant. */
  issuer: string | undefined
  /** The tenant, when the server has several. */
  tenantId?: string
}

/**
 * Sign-in with FusionAuth.
 *
 * ID tokens are signed with HS256 until the application has a key of another kind: set one, or `client: {
 * id_token_signed_response_alg: "HS256" }`.
 *
 * The tenant's issuer must be this `issuer`, letter by letter. `tenantId` is needed when the server has several
 * tenants.
 *
 * @see https://fusionauth.io/docs/lifecycle/authenticate-users/oauth/endpoints
 */
export default oidcProvider<FusionAuthProfile, FusionAuthOptions>(({ issuer, tenantId }) => ({
  id: 'fusionauth',
  name: 'FusionAuth',
  issuer,
  wellKnown: tenantId ? under(issuer)(`/.well-known/openid-configuration?tenantId=${tenantId}`) : undefined,
  // The tenant stands in the metadata's URL, which is under the issuer; without one, the environment may give the issuer.
  requires: tenantId ? { issuer } : {},
  authorization: { params: present({ tenantId }) },
  scopes: ['openid', 'offline_access', 'email', 'profile'],
  profile: (profile) => ({
    ...standardClaims(profile),
    name:
      profile.name ??
      profile.preferred_username ??
      fullName(profile.given_name, profile.middle_name, profile.family_name),
  }),
  /** @see https://fusionauth.io/docs/lifecycle/authenticate-users/oauth/tokens */
  tokenFacts: {
    refresh: { scope: 'offline_access' },
    rotates: 'setting',
    accessTokenSeconds: 'setting',
    endSession: 'metadata',
  },
  style: { brandColor: '#f58320' },
}))
