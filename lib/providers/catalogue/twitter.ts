import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What X (Twitter) says of the signed-in user; the members that are read. */
export interface TwitterProfile {
  data: {
    id: string
    name?: string
    username?: string
    profile_image_url?: string
    confirmed_email?: string
    email?: string
  }
}

/**
 * Sign-in with X (Twitter).
 *
 * The address needs the scope `users.email` and a permission of the app; without the permission the whole sign-in
 * fails, so it is not asked for: `scope: "users.read tweet.read offline.access users.email"`.
 *
 * @see https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code
 */
export default oauthProvider<TwitterProfile>({
  id: 'twitter',
  name: 'X (Twitter)',
  authorization: 'https://x.com/i/oauth2/authorize',
  scopes: ['users.read', 'tweet.read', 'offline.access'],
  token: 'https://api.x.com/2/oauth2/token',
  userinfo: {
    url: 'https://api.x.com/2/users/me',
    params: { 'user.fields': 'profile_image_url,confirmed_email' },
  },
  verifiedEmail: ({ data: { confirmed_email } }) => confirmed_email,
  profile: ({ data: user }) => ({
    id: accountId(user.id),
    name: user.name ?? null,
    email: usableEmail(user.confirmed_email ?? user.email),
    image: user.profile_image_url ?? null,
  }),
  /** @see https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token */
  tokenFacts: {
    refresh: { scope: 'offline.access' },
    rotates: true,
    accessTokenSeconds: 7200,
    revocation: { url: 'https://api.x.com/2/oauth2/revoke', dialect: 'rfc7009' },
  },
  style: { brandColor: '#000000' },
})
