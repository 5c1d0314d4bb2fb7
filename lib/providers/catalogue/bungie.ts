import { parseUrl } from '../../kernel/urls.js'
import { oauthProvider, present } from '../oauth-provider.js'
import { accountId } from '../profile-mapping.js'

/** What Bungie says of the signed-in user; the members that are read. */
export interface BungieProfile {
  Response: {
    bungieNetUser: { membershipId: string; displayName?: string | null; profilePicturePath?: string | null }
  }
}

/** Options of the Bungie provider. */
export interface BungieOptions {
  /** API key of the application; in the environment `AUTH_BUNGIE_KEY`. */
  apiKey: string | undefined
}

/**
 * Sign-in with Bungie.
 *
 * Every call of the API needs the key of the application beside the token.
 *
 * The callback must be on https, and not on localhost. The profile has no e-mail address.
 *
 * @see https://github.com/Bungie-net/api/wiki/OAuth-Documentation
 */
export default oauthProvider<BungieProfile, BungieOptions>(({ apiKey }) => ({
  id: 'bungie',
  name: 'Bungie',
  requires: { apiKey },
  authorization: { url: 'https://www.bungie.net/en/OAuth/Authorize', params: { reauth: 'true' } },
  scopes: [],
  token: 'https://www.bungie.net/platform/app/oauth/token/',
  userinfo: {
    url: 'https://www.bungie.net/Platform/User/GetMembershipsForCurrentUser/',
    headers: present({ 'x-api-key': apiKey }),
  },
  profile: ({ Response: { bungieNetUser: user } }) => ({
    id: accountId(user.membershipId),
    name: user.displayName ?? null,
    email: null,
    image: user.profilePicturePath ? (parseUrl(user.profilePicturePath, 'https://www.bungie.net')?.href ?? null) : null,
  }),
  style: { brandColor: '#0075bb' },
}))
