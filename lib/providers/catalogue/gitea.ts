import { oauthProvider, under } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'

/** What Gitea says of the signed-in user; the members that are read. */
export interface GiteaProfile {
  sub: string
  name?: string | null
  preferred_username?: string
  email?: string | null
  picture?: string | null
}

/** Options of the Gitea provider. */
export interface GiteaOptions {
  /** URL of the server; in the environment `AUTH_GITEA_ISSUER`. */
  baseUrl: string | undefined
}

/**
 * Sign-in with Gitea.
 *
 * Forgejo has the same endpoints.
 *
 * @see https://docs.gitea.com/development/oauth2-provider
 */
export default oauthProvider<GiteaProfile, GiteaOptions>(({ baseUrl, issuer }) => {
  const server = baseUrl ?? issuer
  const at = under(server)
  return {
    id: 'gitea',
    name: 'Gitea',
    requires: { baseUrl: server },
    authorization: at('/login/oauth/authorize'),
    token: at('/login/oauth/access_token'),
    userinfo: at('/login/oauth/userinfo'),
    profile: (profile) => ({
      id: accountId(profile.sub),
      name: firstText(profile.name, profile.preferred_username),
      email: usableEmail(profile.email),
      image: profile.picture ?? null,
    }),
    style: { brandColor: '#609926' },
  }
})
