import { oauthProvider, under } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'

/** What Nextcloud says of the signed-in user; the members that are read. */
export interface NextcloudProfile {
  ocs: {
    data: { id: string; displayname?: string; 'display-name'?: string; email?: string | null }
  }
}

/** Options of the Nextcloud provider. */
export interface NextcloudOptions {
  /** URL of the server. */
  issuer: string | undefined
}

/**
 * Sign-in with Nextcloud.
 *
 * Servers without URL rewriting need `/index.php` at the end of `issuer`. The picture may be private.
 *
 * @see https://docs.nextcloud.com/server/latest/admin_manual/configuration_server/oauth2.html
 */
export default oauthProvider<NextcloudProfile, NextcloudOptions>(({ issuer }) => {
  const at = under(issuer)
  return {
    id: 'nextcloud',
    name: 'Nextcloud',
    requires: { issuer },
    authorization: at('/apps/oauth2/authorize'),
    scopes: [],
    token: at('/apps/oauth2/api/v1/token'),
    userinfo: {
      url: at('/ocs/v2.php/cloud/user'),
      params: { format: 'json' },
      headers: { 'ocs-apirequest': 'true' },
    },
    profile: ({ ocs: { data: user } }) => ({
      id: accountId(user.id),
      name: firstText(user.displayname, user['display-name']),
      email: usableEmail(user.email),
      image: at(`/avatar/${encodeURIComponent(user.id)}/512`) ?? null,
    }),
    style: { brandColor: '#0082c9' },
  }
})
