import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Coinbase says of the signed-in user; the members that are read. */
export interface CoinbaseProfile {
  data: {
    id: string
    name?: string | null
    email?: string | null
    avatar_url?: string | null
  }
}

/**
 * Sign-in with Coinbase.
 *
 * Coinbase lets approved partners alone register new clients.
 *
 * A refresh token needs the scope `offline_access`.
 *
 * @see https://docs.cdp.coinbase.com/coinbase-app/oauth2-integration/overview
 */
export default oauthProvider<CoinbaseProfile>({
  id: 'coinbase',
  name: 'Coinbase',
  authorization: 'https://login.coinbase.com/oauth2/auth',
  scopes: ['wallet:user:read', 'wallet:user:email'],
  token: 'https://login.coinbase.com/oauth2/token',
  userinfo: 'https://api.coinbase.com/v2/user',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.data.id),
    name: profile.data.name ?? null,
    email: usableEmail(profile.data.email),
    image: profile.data.avatar_url ?? null,
  }),
  tokenFacts: { refresh: { scope: 'offline_access' }, revocation: { url: 'https://login.coinbase.com/oauth2/revoke' } },
  style: { brandColor: '#0052ff' },
})
