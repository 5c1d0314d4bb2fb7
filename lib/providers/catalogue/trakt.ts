import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText } from '../profile-mapping.js'
import { userinfoEndpoint } from '../request-hooks.js'

/** What Trakt says of the signed-in user; the members that are read. */
export interface TraktProfile {
  user: {
    username?: string
    name?: string | null
    ids: { slug?: string; uuid: string }
    images?: { avatar?: { full?: string } }
  }
}

/**
 * Sign-in with Trakt.
 *
 * The slug changes with the user name, so accounts are known by `uuid`, which the settings give for this purpose.
 * The profile has no e-mail address.
 *
 * @see https://docs.trakt.tv/docs/authentication-oauth
 */
export default oauthProvider<TraktProfile>({
  id: 'trakt',
  name: 'Trakt',
  authorization: 'https://trakt.tv/oauth/authorize',
  scopes: [],
  token: 'https://api.trakt.tv/oauth/token',
  userinfo: userinfoEndpoint({
    url: 'https://api.trakt.tv/users/settings',
    headers: ({ provider }) => ({ 'trakt-api-version': '2', 'trakt-api-key': String(provider.clientId) }),
  }),
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: ({ user }) => ({
    id: accountId(user.ids.uuid),
    name: firstText(user.name, user.username),
    email: null,
    image: user.images?.avatar?.full ?? null,
  }),
  tokenFacts: { rotates: true, revocation: { url: 'https://api.trakt.tv/oauth/revoke' } },
  style: { brandColor: '#ed2224' },
})
