import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Box says of the signed-in user; the members that are read. */
export interface BoxProfile {
  id: string
  name?: string | null
  login?: string | null
  avatar_url?: string | null
}

/**
 * Sign-in with Box.
 *
 * Scopes are set on the app. The picture needs the access token to be read, so a page cannot show it.
 *
 * @see https://developer.box.com/guides/authentication/oauth2/
 */
export default oauthProvider<BoxProfile>({
  id: 'box',
  name: 'Box',
  authorization: 'https://account.box.com/api/oauth2/authorize',
  scopes: [],
  token: 'https://api.box.com/oauth2/token',
  userinfo: 'https://api.box.com/2.0/users/me',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.name ?? null,
    email: usableEmail(profile.login),
    image: profile.avatar_url ?? null,
  }),
  tokenFacts: { rotates: true, revocation: { url: 'https://api.box.com/oauth2/revoke' } },
  style: { brandColor: '#0075c9' },
})
