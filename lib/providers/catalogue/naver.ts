import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'
import type { TokenRequestContext } from '../provider.js'

/** What Naver says of the signed-in user; the members that are read. */
export interface NaverProfile {
  response: {
    id: string
    name?: string | null
    nickname?: string | null
    email?: string | null
    profile_image?: string | null
  }
}

/**
 * Sign-in with Naver.
 *
 * The address is the one to reach somebody at, and not verified. What is asked for is set in the console.
 *
 * @see https://developers.naver.com/docs/login/api/api.md
 */
export default oauthProvider<NaverProfile>({
  id: 'naver',
  name: 'Naver',
  authorization: 'https://nid.naver.com/oauth2.0/authorize',
  scopes: [],
  token: {
    url: 'https://nid.naver.com/oauth2.0/token',
    params: { state: ({ checks }: TokenRequestContext<NaverProfile>) => checks.state },
  },
  userinfo: 'https://openapi.naver.com/v1/nid/me',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.response.id),
    name: firstText(profile.response.name, profile.response.nickname),
    email: usableEmail(profile.response.email),
    image: profile.response.profile_image ?? null,
  }),
  style: { brandColor: '#03c75a' },
})
