import { hostOf, oidcProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Salesforce beyond those of OpenID Connect. */
export interface SalesforceProfile extends OpenIDProfile {
  user_id: string
  organization_id?: string
  photos?: { picture?: string; thumbnail?: string }
}

/** Options of the Salesforce provider. */
export interface SalesforceOptions {
  /** Host to sign in at, `login.salesforce.com` by default. */
  loginUrl?: string
}

/**
 * Sign-in with Salesforce.
 *
 * A sandbox has `loginUrl: "test.salesforce.com"`; an organization with its own domain sets that domain.
 *
 * The profile is read from the userinfo endpoint. The picture may need a session there.
 *
 * @see https://help.salesforce.com/s/articleView?id=sf.remoteaccess_oauth_endpoints.htm
 */
export default oidcProvider<SalesforceProfile, SalesforceOptions>(({ issuer, loginUrl }) => ({
  id: 'salesforce',
  name: 'Salesforce',
  issuer: loginUrl ? `https://${hostOf(loginUrl)}` : (issuer ?? 'https://login.salesforce.com'),
  idToken: false,
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.user_id),
    name: profile.name ?? null,
    email: usableEmail(profile.email, profile.email_verified),
    image: firstText(profile.photos?.picture, profile.picture),
  }),
  /** @see https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_revoke_token.htm */
  tokenFacts: {
    refresh: { scope: 'refresh_token' },
    rotates: 'setting',
    accessTokenSeconds: 'setting',
    revocation: { url: '{issuer}/services/oauth2/revoke', dialect: 'token-only' },
    endSession: { url: '{issuer}/services/auth/idp/oidc/logout', returnParam: null },
  },
  style: { brandColor: '#00a1e0' },
}))
