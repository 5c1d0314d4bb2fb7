import { oidcProvider } from '../oauth-provider.js'
import { accountId, fullName, usableEmail } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Intuit beyond those of OpenID Connect. */
export interface IntuitProfile extends OpenIDProfile {
  givenName?: string
  familyName?: string
  emailVerified?: boolean
}

/** Options of the Intuit provider. */
export interface IntuitOptions {
  /** Signs in at the sandbox. */
  sandbox?: boolean
}

/**
 * Sign-in with Intuit.
 *
 * The profile is read from the userinfo endpoint, whose claims are in camelCase.
 *
 * @see https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/openid-connect
 */
export default oidcProvider<IntuitProfile, IntuitOptions>(({ sandbox = false }) => ({
  id: 'intuit',
  name: 'Intuit',
  issuer: 'https://oauth.platform.intuit.com/op/v1',
  wellKnown: `https://developer.api.intuit.com/.well-known/${sandbox ? 'openid_sandbox_configuration' : 'openid_configuration'}`,
  authorization: 'https://appcenter.intuit.com/connect/oauth2',
  token: 'https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer',
  userinfo: `https://${sandbox ? 'sandbox-accounts' : 'accounts'}.platform.intuit.com/v1/openid_connect/userinfo`,
  idToken: false,
  verifiedEmail: ({ email, emailVerified, email_verified: verified = emailVerified }) =>
    verified === true ? email : null,
  profile: (profile) => ({
    id: accountId(profile.sub),
    name: fullName(profile.givenName, profile.familyName),
    email: usableEmail(profile.email, profile.email_verified ?? profile.emailVerified),
    image: null,
  }),
  tokenFacts: { revocation: 'metadata' },
  style: { brandColor: '#236cff' },
}))
