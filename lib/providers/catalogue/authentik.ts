import { hostOf, type IssuerOption, oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of authentik beyond those of OpenID Connect. */
export type AuthentikProfile = OpenIDProfile

/** Options of the authentik provider: `issuer`, or the two it is made of. */
export type AuthentikOptions =
  | {
      /** Host of the server. */
      domain: string
      /** Slug of the application. */
      slug: string
    }
  | (IssuerOption & { domain?: undefined; slug?: undefined })

/**
 * Sign-in with authentik.
 *
 * Since authentik 2025.10, `email_verified` is false unless a scope mapping sets it. While it is false, the user has no
 * address. Set the mapping, or map the profile yourself.
 *
 * `issuer` ends in a slash: `https://id.example.com/application/o/<application>/`.
 *
 * @see https://docs.goauthentik.io/add-secure-apps/providers/oauth2/
 */
export default oidcProvider<AuthentikProfile, AuthentikOptions>(({ issuer, domain, slug }) => {
  const own = domain && slug ? `https://${hostOf(domain)}/application/o/${slug}/` : issuer
  return {
    id: 'authentik',
    name: 'authentik',
    issuer: own === undefined || own.endsWith('/') ? own : `${own}/`,
    requires: own === undefined && (domain || slug) ? { domain, slug } : {},
    profile: standardClaims,
    /** @see https://docs.goauthentik.io/add-secure-apps/providers/oauth2/ */
    tokenFacts: {
      refresh: { scope: 'offline_access' },
      rotates: 'setting',
      accessTokenSeconds: 'setting',
      revocation: 'metadata',
      endSession: 'metadata',
      backChannelLogout: true,
    },
    style: { brandColor: '#fd4b2d' },
  }
})
