import { oauthProvider, present, under } from '../oauth-provider.js'
import { accountId, fullName, usableEmail } from '../profile-mapping.js'

/** What BoxyHQ SAML Jackson (Ory Polis) says of the signed-in user; the members that are read. */
export interface BoxyHQSAMLProfile {
  id: string
  firstName?: string | null
  lastName?: string | null
  email?: string | null
}

/** Options of the SAML Jackson provider. */
export interface BoxyHQSAMLOptions {
  /** URL of the server. */
  issuer: string | undefined
  /** Tenant whose connection is used. */
  tenant?: string
  /** Product whose connection is used. */
  product?: string
}

/**
 * Sign-in with BoxyHQ SAML Jackson (Ory Polis).
 *
 * Now called Ory Polis. `clientId` and `clientSecret` may both be `dummy` when `tenant` and `product` say which
 * connection is meant.
 *
 * The scope `openid` would switch the server to OpenID Connect; none is sent.
 *
 * @see https://www.ory.com/docs/polis
 */
export default oauthProvider<BoxyHQSAMLProfile, BoxyHQSAMLOptions>(({ issuer, tenant, product }) => {
  const at = under(issuer)
  return {
    id: 'boxyhq-saml',
    name: 'BoxyHQ SAML Jackson (Ory Polis)',
    requires: { issuer },
    authorization: { url: at('/api/oauth/authorize'), params: { provider: 'saml', ...present({ tenant, product }) } },
    scopes: [],
    token: at('/api/oauth/token'),
    userinfo: at('/api/oauth/userinfo'),
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: (profile) => ({
      id: accountId(profile.id),
      name: fullName(profile.firstName, profile.lastName),
      email: usableEmail(profile.email),
      image: null,
    }),
    style: { brandColor: '#25c2a0' },
  }
})
