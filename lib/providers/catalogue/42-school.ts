import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What 42 School says of the signed-in user; the members that are read. */
export interface FortyTwoProfile {
  id: number
  usual_full_name?: string | null
  email?: string | null
  image?: {
    link?: string | null
  } | null
}

/**
 * Sign-in with 42 School.
 *
 * The answer is large: it holds courses, projects and achievements.
 *
 * @see https://api.intra.42.fr/apidoc/guides/web_application_flow
 */
export default oauthProvider<FortyTwoProfile>({
  id: '42-school',
  name: '42 School',
  authorization: 'https://api.intra.42.fr/oauth/authorize',
  scopes: ['public'],
  token: 'https://api.intra.42.fr/oauth/token',
  userinfo: 'https://api.intra.42.fr/v2/me',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.usual_full_name ?? null,
    email: usableEmail(profile.email),
    image: profile.image?.link ?? null,
  }),
  style: { brandColor: '#000000' },
})
