import { oauthProvider, under } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Synology SSO says of the signed-in user; the members that are read. */
export interface SynologyProfile {
  sub: string
  username?: string | null
  email?: string | null
}

/** Options of the Synology SSO provider. */
export interface SynologyOptions {
  /** URL of the server; in the environment `AUTH_SYNOLOGY_ISSUER`. */
  baseUrl: string | undefined
}

/**
 * Sign-in with Synology SSO.
 *
 * A package for a NAS of your own. Accounts are known by `sub` alone; a server that sends none cannot be used.
 *
 * @see https://www.synology.com/en-us/dsm/packages/SSOServer
 */
export default oauthProvider<SynologyProfile, SynologyOptions>(({ baseUrl, issuer }) => {
  const server = baseUrl ?? issuer
  const at = under(server)
  return {
    id: 'synology',
    name: 'Synology SSO',
    requires: { baseUrl: server },
    authorization: at('/webman/sso/SSOOauth.cgi'),
    scopes: ['openid', 'email', 'groups'],
    token: at('/webman/sso/SSOAccessToken.cgi'),
    userinfo: at('/webman/sso/SSOUserInfo.cgi'),
    profile: (profile) => ({
      id: accountId(profile.sub),
      name: profile.username ?? null,
      email: usableEmail(profile.email),
      image: null,
    }),
    style: { brandColor: '#b5b5b6' },
  }
})
