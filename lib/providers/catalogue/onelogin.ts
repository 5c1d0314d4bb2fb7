import { oidcProvider, under } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of OneLogin beyond those of OpenID Connect. */
export type OneLoginProfile = OpenIDProfile

/** Options of the OneLogin provider. */
export interface OneLoginOptions {
  /** `https://<subdomain>.onelogin.com`, with or without `/oidc/2`. */
  issuer: string | undefined
}

/**
 * Sign-in with OneLogin.
 *
 * The client must authenticate by Basic, or set `client`: the method is a setting of the app there.
 *
 * @see https://developers.onelogin.com/openid-connect
 */
export default oidcProvider<OneLoginProfile, OneLoginOptions>(({ issuer }) => ({
  id: 'onelogin',
  name: 'OneLogin',
  issuer: under(issuer?.replace(/\/oidc\/2\/?$/, ''))('/oidc/2'),
  requires: { issuer },
  tokenFacts: { revocation: 'metadata', endSession: 'metadata' },
  profile: standardClaims,
}))
