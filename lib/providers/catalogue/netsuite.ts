import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What NetSuite says of the signed-in user; the members that are read. */
export interface NetSuiteProfile {
  id: number
  name?: string | null
  email?: string | null
}

/** Options of the NetSuite provider. */
export interface NetSuiteOptions {
  /** Id of the account, as host names have it. */
  accountId: string
  /** URL of the RESTlet or Suitelet that answers with the current user. */
  userinfoUrl: string
}

/**
 * Sign-in with NetSuite.
 *
 * NetSuite has no endpoint for the user: `userinfoUrl` is a RESTlet or Suitelet of yours that answers with
 * `runtime.getCurrentUser()`.
 *
 * Sandbox accounts are written with a dash here: `1234567-sb1`.
 *
 * @see https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157771281570.html
 */
export default oauthProvider<NetSuiteProfile, NetSuiteOptions>(({ accountId: account, userinfoUrl }) => ({
  id: 'netsuite',
  name: 'NetSuite',
  requires: { accountId: account, userinfoUrl },
  authorization: `https://${account}.app.netsuite.com/app/login/oauth2/authorize.nl`,
  scopes: ['restlets', 'rest_webservices'],
  token: `https://${account}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token`,
  userinfo: userinfoUrl,
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.name ?? null,
    email: usableEmail(profile.email),
    image: null,
  }),
  style: { brandColor: '#181a1b' },
}))
