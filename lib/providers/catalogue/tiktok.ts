import { oauthProvider } from '../oauth-provider.js'
import { accountId } from '../profile-mapping.js'
import type { ClientFacts, TokenRequestContext } from '../provider.js'

/** What TikTok says of the signed-in user; the members that are read. */
export interface TiktokProfile {
  data: { user: { open_id: string; union_id?: string; display_name?: string; avatar_url?: string } }
}

/**
 * Sign-in with TikTok.
 *
 * The callback must be on https, without a query. The profile has no e-mail address. `open_id` is of this app alone.
 *
 * @see https://developers.tiktok.com/doc/login-kit-web
 */
export default oauthProvider<TiktokProfile>({
  id: 'tiktok',
  name: 'TikTok',
  authorization: {
    url: 'https://www.tiktok.com/v2/auth/authorize/',
    params: { client_key: ({ clientId }: ClientFacts) => clientId },
  },
  scopes: ['user.info.basic'],
  token: {
    url: 'https://open.tiktokapis.com/v2/oauth/token/',
    params: { client_key: ({ provider }: TokenRequestContext<TiktokProfile>) => provider.clientId },
  },
  userinfo: {
    url: 'https://open.tiktokapis.com/v2/user/info/',
    params: { fields: 'open_id,union_id,avatar_url,display_name' },
  },
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: ({ data: { user } }) => ({
    id: accountId(user.open_id),
    name: user.display_name ?? null,
    email: null,
    image: user.avatar_url ?? null,
  }),
  tokenFacts: { revocation: { url: 'https://open.tiktokapis.com/v2/oauth/revoke/' } },
  style: { brandColor: '#000000' },
})
