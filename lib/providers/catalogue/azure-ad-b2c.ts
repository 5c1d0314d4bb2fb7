import { hostOf, oidcProvider } from '../oauth-provider.js'
import { accountId, firstText, fullName, usableEmail } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Azure AD B2C beyond those of OpenID Connect. */
export interface AzureADB2CProfile extends OpenIDProfile {
  oid?: string
  emails?: string[]
}

/** Options of the Azure AD B2C provider: the three, or `issuer`. */
export type AzureADB2COptions =
  | {
      /** Name of the tenant: `contoso` of `contoso.onmicrosoft.com`. */
      tenant: string
      /** The tenant's directory id, a UUID. */
      tenantId: string
      /** Name of the user flow: `B2C_1_sign_up_sign_in`. */
      policy: string
      /** Host in place of `<tenant>.b2clogin.com`. */
      customDomain?: string
    }
  | {
      tenant?: undefined
      tenantId?: undefined
      policy?: undefined
      customDomain?: undefined
      /**
       * As in the metadata. With `wellKnown`, the usual one: `https://contoso.b2clogin.com/<directory id>/v2.0/`. Alone, the one
       * that names the user flow: `https://contoso.b2clogin.com/tfp/<directory id>/<policy>/v2.0/`.
       */
      issuer: string | undefined
      /** URL of the user flow's metadata. */
      wellKnown?: string
    }

/**
 * Sign-in with Azure AD B2C.
 *
 * Microsoft has not sold it to new customers since May 2025. Its successor is Microsoft Entra External ID.
 *
 * The addresses are in the list `emails`, and are not verified. The user flow sets which claims a token has.
 *
 * With the scopes `openid` and `offline_access`, B2C gives an ID token and no access token. For one, name an API of yours in
 * `scope`, or the client id itself.
 *
 * `tenantId` is the directory id, a UUID. It is part of the issuer. The name of the tenant is part of the URLs.
 *
 * @see https://learn.microsoft.com/en-us/azure/active-directory-b2c/openid-connect
 */
export default oidcProvider<AzureADB2CProfile, AzureADB2COptions>(
  ({ issuer, tenant: named, tenantId, policy, customDomain }) => {
    const tenant = named?.replace(/\.onmicrosoft\.com$/i, '')
    const host = hostOf(customDomain) ?? `${tenant}.b2clogin.com`
    const names = { tenant, tenantId, policy }
    return {
      id: 'azure-ad-b2c',
      name: 'Azure AD B2C',
      issuer: tenantId ? `https://${host}/${tenantId}/v2.0/` : issuer,
      wellKnown:
        tenant && policy
          ? `https://${host}/${tenant}.onmicrosoft.com/${policy}/v2.0/.well-known/openid-configuration`
          : undefined,
      requires: tenant || tenantId || policy ? names : { issuer },
      scopes: ['openid', 'offline_access'],
      client: { token_endpoint_auth_method: 'client_secret_post' },
      profile: (profile) => ({
        id: accountId(profile.sub ?? profile.oid),
        name: firstText(profile.name, fullName(profile.given_name, profile.family_name), profile.preferred_username),
        email: usableEmail(firstText([profile.emails].flat()[0], profile.email)),
        image: null,
      }),
      tokenFacts: {
        refresh: { scope: 'offline_access' },
        endSession: { url: 'metadata', returnParam: 'post_logout_redirect_uri', withoutHint: true },
      },
      style: { brandColor: '#0072c6' },
    }
  },
)
