import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Wikimedia says of the signed-in user; the members that are read. */
export interface WikimediaProfile {
  sub: number
  username?: string | null
  email?: string | null
  confirmed_email?: boolean | null
}

/**
 * Sign-in with Wikimedia.
 *
 * The profile has the address only if the grants of the consumer include it. Latchkey takes it only if it is confirmed.
 *
 * @see https://www.mediawiki.org/wiki/OAuth/For_Developers
 */
export default oauthProvider<WikimediaProfile>({
  id: 'wikimedia',
  name: 'Wikimedia',
  authorization: 'https://meta.wikimedia.org/w/rest.php/oauth2/authorize',
  scopes: [],
  token: 'https://meta.wikimedia.org/w/rest.php/oauth2/access_token',
  userinfo: 'https://meta.wikimedia.org/w/rest.php/oauth2/resource/profile',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  verifiedEmail: ({ email, confirmed_email }) => (confirmed_email === true ? email : null),
  profile: (profile) => ({
    id: accountId(profile.sub),
    name: profile.username ?? null,
    email: usableEmail(profile.email, profile.confirmed_email),
    image: null,
  }),
  style: { brandColor: '#000000' },
})
