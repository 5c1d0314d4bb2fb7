import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'
import { userinfoEndpoint } from '../request-hooks.js'

/** What HubSpot says of the signed-in user; the members that are read. */
export interface HubSpotProfile {
  user_id: number
  /** The address. */
  user?: string
  hub_id?: number
}

/**
 * Sign-in with HubSpot.
 *
 * An account is a user within one hub. HubSpot gives no name, so the name of the user is the address.
 *
 * @see https://developers.hubspot.com/docs/api/working-with-oauth
 */
export default oauthProvider<HubSpotProfile>({
  id: 'hubspot',
  name: 'HubSpot',
  authorization: 'https://app.hubspot.com/oauth/authorize',
  scopes: ['oauth'],
  token: 'https://api.hubapi.com/oauth/2026-03/token',
  userinfo: userinfoEndpoint({
    url: 'https://api.hubapi.com/oauth/2026-03/token/introspect',
    accessToken: null,
    form: ({ tokens, provider }) => ({
      client_id: String(provider.clientId),
      client_secret: String(provider.clientSecret),
      token: String(tokens.access_token),
      token_type_hint: 'access_token',
    }),
  }),
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.user_id),
    name: profile.user ?? null,
    email: usableEmail(profile.user),
    image: null,
  }),
  /** @see https://developers.hubspot.com/docs/api-reference/latest/authentication/oauth-tokens/revoke-token */
  tokenFacts: {
    refresh: 'always',
    accessTokenSeconds: 1800,
    revocation: {
      url: 'https://api.hubapi.com/oauth/2026-03/token/revoke',
      dialect: 'rfc7009',
      only: 'refresh',
    },
  },
  style: { brandColor: '#ff7a59' },
})
