import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Google's ID token beyond those of OpenID Connect. */
export interface GoogleProfile extends OpenIDProfile {
  /** The Google Workspace domain of the account. */
  hd?: string
}

/** Options of the Google provider. */
export interface GoogleOptions {
  /** Admits the accounts of one Google Workspace domain only. */
  hostedDomain?: string
}

/**
 * Sign-in with Google.
 *
 * A refresh token needs the parameters `access_type: "offline"` and `prompt: "consent"`.
 *
 * @see https://developers.google.com/identity/openid-connect/openid-connect
 */
export default oidcProvider<GoogleProfile, GoogleOptions>((options) => {
  const { hostedDomain } = options
  return {
    id: 'google',
    name: 'Google',
    // A variable that is not set must not admit everybody.
    requires: 'hostedDomain' in options ? { hostedDomain } : {},
    issuer: 'https://accounts.google.com',
    authorization: { params: hostedDomain === undefined ? {} : { hd: hostedDomain } },
    // The parameter is a hint that a visitor can take away; the claim is signed.
    completeProfile: (profile) => {
      if (hostedDomain !== undefined && profile.hd !== hostedDomain) {
        throw new Error('The account is not of the hosted domain.')
      }
      return profile
    },
    profile: standardClaims,
    /** @see https://developers.google.com/identity/protocols/oauth2/web-server */
    tokenFacts: {
      refresh: { params: { access_type: 'offline', prompt: 'consent' } },
      revocation: { url: 'https://oauth2.googleapis.com/revoke', dialect: 'token-only' },
      endSession: 'none',
      incrementalParams: { include_granted_scopes: 'true' },
    },
    style: { brandColor: '#1a73e8' },
  }
})
