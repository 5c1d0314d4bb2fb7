import { oidcProvider, present } from '../oauth-provider.js'
import { firstText, standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of United Effects beyond those of OpenID Connect. */
export type UnitedEffectsProfile = OpenIDProfile

/** Options of the United Effects provider. */
export interface UnitedEffectsOptions {
  /** URL of the authentication group. */
  issuer: string | undefined
}

/**
 * Sign-in with United Effects.
 *
 * `issuer` is the authentication group: `https://auth.unitedeffects.com/<group>`.
 *
 * @see https://docs.unitedeffects.com/integrations/nextauthjs
 */
export default oidcProvider<UnitedEffectsProfile, UnitedEffectsOptions>(({ issuer }) => ({
  id: 'united-effects',
  name: 'United Effects',
  issuer,
  requires: { issuer },
  authorization: { params: present({ resource: issuer }) },
  scopes: ['openid', 'email', 'profile'],
  profile: (profile) => ({ ...standardClaims(profile), name: firstText(profile.name, profile.email) }),
}))
