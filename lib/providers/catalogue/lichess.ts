import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'
import { userinfoEndpoint } from '../request-hooks.js'

/** What Lichess says of the signed-in user; the members that are read. */
export interface LichessProfile {
  id: string
  username?: string
  /** Added by Latchkey. */
  email?: string | null
}

/**
 * Sign-in with Lichess.
 *
 * Nothing is registered at Lichess: the client id is any text that names your app, and there is no secret. Lichess
 * gives no second person an id that was taken.
 *
 * @see https://lichess.org/api
 */
export default oauthProvider<LichessProfile>({
  id: 'lichess',
  name: 'Lichess',
  authorization: 'https://lichess.org/oauth',
  scopes: ['email:read'],
  token: 'https://lichess.org/api/token',
  userinfo: userinfoEndpoint<LichessProfile>({
    url: 'https://lichess.org/api/account',
    complete: async (profile, { tokens, fetch }) => {
      const answer = await fetch('https://lichess.org/api/account/email', {
        headers: { accept: 'application/json', authorization: `Bearer ${tokens.access_token}` },
      })
      const { email } = answer.ok ? ((await answer.json()) as { email?: string }) : {}
      return { ...profile, email } as LichessProfile
    },
  }),
  client: { token_endpoint_auth_method: 'none' },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.username ?? null,
    email: usableEmail(profile.email),
    image: null,
  }),
  tokenFacts: {
    refresh: 'never',
    accessTokenSeconds: 31_536_000,
    revocation: { url: 'https://lichess.org/api/token', dialect: 'delete-bearer', only: 'access' },
  },
  style: { brandColor: '#000000' },
})
