import { type IssuerOption, oidcProvider } from '../oauth-provider.js'
import { firstText, standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Ory Hydra beyond those of OpenID Connect. */
export type OryHydraProfile = OpenIDProfile

/**
 * Sign-in with Ory Hydra.
 *
 * What there is beside `sub` is up to your consent application. Auth.js stores these accounts under the provider
 * `hydra`: give `id: "hydra"` to keep them.
 *
 * With `private_key_jwt`, assertions are for the token endpoint (`clientAssertionAudience`), because Hydra takes no others.
 *
 * @see https://www.ory.com/docs/hydra
 */
export default oidcProvider<OryHydraProfile, IssuerOption>({
  id: 'ory-hydra',
  name: 'Ory Hydra',
  // It takes no assertion that names the issuer alone.
  clientAssertionAudience: 'token_endpoint',
  profile: (profile) => ({
    ...standardClaims(profile),
    name: firstText(profile.name, profile.preferred_username, profile.email),
  }),
  // It knows the session by the ID token, so a POST without its cookie signs out, and the ID token is in no URL.
  endSessionMethod: 'post',
  /** @see https://www.ory.com/docs/hydra/guides/graceful-token-refresh */
  tokenFacts: {
    refresh: { scope: 'offline_access' },
    rotates: true,
    graceSeconds: 'setting',
    accessTokenSeconds: 'setting',
    revocation: 'metadata',
    endSession: 'metadata',
    backChannelLogout: true,
  },
  style: { brandColor: '#0f172a' },
})
