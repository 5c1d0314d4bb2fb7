import { type IssuerOption, oidcProvider } from '../oauth-provider.js'
import { accountId, fullName, usableEmail } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Kinde beyond those of OpenID Connect. */
export interface KindeProfile extends OpenIDProfile {
  first_name?: string
  last_name?: string
  preferred_email?: string
}

/**
 * Sign-in with Kinde.
 *
 * Its tokens may name APIs as further audiences. So any audience is trusted beside this client, which must be the one that
 * the token was issued to (`azp`).
 *
 * @see https://docs.kinde.com/
 */
export default oidcProvider<KindeProfile, IssuerOption>({
  id: 'kinde',
  name: 'Kinde',
  trustedAudiences: ['*'],
  profile: (profile) => ({
    id: accountId(profile.sub ?? profile.id),
    name:
      profile.name ??
      fullName(profile.first_name, profile.last_name) ??
      fullName(profile.given_name, profile.family_name),
    email: usableEmail(profile.email ?? profile.preferred_email, profile.email_verified),
    image: profile.picture ?? null,
  }),
  tokenFacts: { refresh: { scope: 'offline' }, endSession: { url: '{issuer}/logout', returnParam: 'redirect' } },
  style: { brandColor: '#0f0f0f' },
})
