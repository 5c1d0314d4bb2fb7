import { oauthProvider } from '../oauth-provider.js'
import { accountId } from '../profile-mapping.js'
import { userinfoEndpoint } from '../request-hooks.js'

/** What AniList says of the signed-in user; the members that are read. */
export interface AniListProfile {
  data: { Viewer: { id: number; name?: string | null; avatar?: { large?: string | null } | null } }
}

/**
 * Sign-in with AniList.
 *
 * AniList gives no e-mail address and has no scopes. Access tokens are valid for one year.
 *
 * @see https://docs.anilist.co/guide/auth/authorization-code
 */
export default oauthProvider<AniListProfile>({
  id: 'anilist',
  name: 'AniList',
  authorization: 'https://anilist.co/api/v2/oauth/authorize',
  scopes: [],
  token: 'https://anilist.co/api/v2/oauth/token',
  userinfo: userinfoEndpoint({
    url: 'https://graphql.anilist.co',
    json: { query: '{ Viewer { id name avatar { large } } }' },
  }),
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: ({ data: { Viewer } }) => ({
    id: accountId(Viewer.id),
    name: Viewer.name ?? null,
    email: null,
    image: Viewer.avatar?.large ?? null,
  }),
  tokenFacts: { refresh: 'never', accessTokenSeconds: 31_536_000 },
  style: { brandColor: '#02a9ff' },
})
