import { hostOf, type IssuerOption, oidcProvider, present } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Auth0's ID token beyond those of OpenID Connect. */
export interface Auth0Profile extends OpenIDProfile {
  sid?: string
}

/** Options of the Auth0 provider: `issuer` or `domain`. */
export type Auth0Options = {
  /** API to get an access token for. */
  audience?: string
  /** Organization to sign in to. */
  organization?: string
  /** Connection to sign in with, past Auth0's own choice. */
  connection?: string
} & (
  | (IssuerOption & { domain?: undefined })
  | {
      /** The tenant's host, `example.eu.auth0.com`, or its custom domain. */
      domain: string
    }
)

/**
 * Sign-in with an Auth0 tenant.
 *
 * A refresh token needs the scope `offline_access`; a token for an API of yours needs `audience`.
 *
 * @see https://auth0.com/docs/get-started/auth0-overview/create-applications
 */
export default oidcProvider<Auth0Profile, Auth0Options>(({ issuer, domain, audience, organization, connection }) => ({
  id: 'auth0',
  name: 'Auth0',
  ...issuerMember(domain ? `https://${hostOf(domain)}` : issuer),
  authorization: { params: present({ audience, organization, connection }) },
  profile: standardClaims,
  /** @see https://auth0.com/docs/secure/tokens/refresh-tokens/refresh-token-rotation */
  tokenFacts: {
    refresh: { scope: 'offline_access' },
    rotates: 'setting',
    graceSeconds: 'setting',
    accessTokenSeconds: 'setting',
    revocation: { url: 'metadata', dialect: 'rfc7009', only: 'refresh' },
    // Every tenant has it. The endpoint of RP-initiated logout is a setting of the tenant.
    endSession: { url: '{issuer}/v2/logout', returnParam: 'returnTo' },
    backChannelLogout: true,
  },
  style: { brandColor: '#eb5424' },
}))

/** Auth0's issuers end in a slash, which is easily left out. */
const issuerMember = (issuer: string | undefined) =>
  issuer === undefined ? {} : { issuer: issuer.endsWith('/') ? issuer : `${issuer}/` }
