import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'
import { tokenRequest, userinfoEndpoint } from '../request-hooks.js'

/** What start.gg says of the signed-in user; the members that are read. */
export interface StartGgProfile {
  data: {
    currentUser: {
      id: number
      slug?: string
      email?: string | null
      player?: { gamerTag?: string } | null
      images?: { url: string }[] | null
    }
  }
}

/**
 * Sign-in with start.gg.
 *
 * @see https://developer.start.gg/docs/oauth/oauth-overview
 */
export default oauthProvider<StartGgProfile>({
  id: 'start-gg',
  name: 'start.gg',
  authorization: 'https://start.gg/oauth/authorize',
  scopes: ['user.identity', 'user.email'],
  token: {
    url: 'https://api.start.gg/oauth/access_token',
    // Takes JSON only, and wants the scopes again.
    request: tokenRequest({
      url: 'https://api.start.gg/oauth/access_token',
      send: 'json',
      parameters: ({ params, checks, provider }) => ({
        grant_type: 'authorization_code',
        client_id: provider.clientId,
        client_secret: provider.clientSecret,
        code: params['code'],
        redirect_uri: provider.callbackUrl,
        code_verifier: checks.code_verifier,
        scope: 'user.identity user.email',
      }),
    }),
  },
  userinfo: userinfoEndpoint({
    url: 'https://api.start.gg/gql/alpha',
    json: { query: '{ currentUser { id slug email player { gamerTag } images(type: "profile") { url } } }' },
  }),
  profile: ({ data: { currentUser: user } }) => ({
    id: accountId(user.id),
    name: firstText(user.player?.gamerTag, user.slug),
    email: usableEmail(user.email),
    image: user.images?.[0]?.url ?? null,
  }),
  style: { brandColor: '#2e75ba' },
})
