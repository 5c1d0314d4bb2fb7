import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'
import { conformToUsable, userinfoEndpoint } from '../request-hooks.js'

/** What Linear says of the signed-in user; the members that are read. */
export interface LinearProfile {
  data: { viewer: { id: string; name?: string; email?: string; avatarUrl?: string | null } }
}

/**
 * Sign-in with Linear.
 *
 * With `actor=app`, the tokens belong to an application, and no user signs in.
 *
 * @see https://linear.app/developers/oauth-2-0-authentication
 */
export default oauthProvider<LinearProfile>({
  id: 'linear',
  name: 'Linear',
  authorization: 'https://linear.app/oauth/authorize',
  scopes: ['read'],
  token: { url: 'https://api.linear.app/oauth/token', conform: conformToUsable },
  userinfo: userinfoEndpoint({
    url: 'https://api.linear.app/graphql',
    json: { query: '{ viewer { id name email avatarUrl } }' },
  }),
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: ({ data: { viewer } }) => ({
    id: accountId(viewer.id),
    name: viewer.name ?? null,
    email: usableEmail(viewer.email),
    image: viewer.avatarUrl ?? null,
  }),
  tokenFacts: { revocation: { url: 'https://api.linear.app/oauth/revoke' } },
  style: { brandColor: '#5e6ad2' },
})
