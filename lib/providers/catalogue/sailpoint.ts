import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What SailPoint ISC says of the signed-in user; the members that are read. */
export interface SailPointProfile {
  id: string
  uid?: string | null
  email?: string | null
}

/** Options of the SailPoint provider. */
export interface SailPointOptions {
  /** Name of the tenant: `acme` of `acme.identitynow.com`. */
  tenant: string
}

/**
 * Sign-in with SailPoint ISC.
 *
 * @see https://developer.sailpoint.com/docs/api/authentication
 */
export default oauthProvider<SailPointProfile, SailPointOptions>(({ tenant }) => ({
  id: 'sailpoint',
  name: 'SailPoint ISC',
  requires: { tenant },
  authorization: `https://${tenant}.identitynow.com/oauth/authorize`,
  scopes: ['sp:scopes:all'],
  token: `https://${tenant}.api.identitynow.com/oauth/token`,
  userinfo: `https://${tenant}.api.identitynow.com/oauth/userinfo`,
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.uid ?? null,
    email: usableEmail(profile.email),
    image: null,
  }),
  style: { brandColor: '#011e69' },
}))
