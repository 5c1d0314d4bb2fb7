import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'

/** What GitLab says of the signed-in user; the members that are read. */
export interface GitLabProfile {
  id: number
  username: string
  name?: string
  email?: string
  email_verified?: boolean
  /** When the address was confirmed; null while it is not. */
  confirmed_at?: string | null
  avatar_url?: string | null
}

/** Options of the GitLab provider. */
export interface GitLabOptions {
  /** URL of a server of your own, in place of `https://gitlab.com`. */
  baseUrl?: string | URL
}

/**
 * Sign-in with GitLab.
 *
 * Latchkey takes the address only if it is confirmed.
 *
 * @see https://docs.gitlab.com/api/oauth2/
 */
export default oauthProvider<GitLabProfile, GitLabOptions>(({ baseUrl, issuer }) => {
  const site = String(baseUrl ?? issuer ?? 'https://gitlab.com').replace(/\/+$/, '')
  return {
    id: 'gitlab',
    name: 'GitLab',
    issuer: site,
    authorization: `${site}/oauth/authorize`,
    scopes: ['read_user'],
    token: `${site}/oauth/token`,
    userinfo: `${site}/api/v4/user`,
    verifiedEmail: ({ email, email_verified, confirmed_at }) =>
      (email_verified ?? typeof confirmed_at === 'string') === true ? email : null,
    profile: (profile) => ({
      id: accountId(profile.id),
      name: firstText(profile.name, profile.username),
      email: usableEmail(profile.email, profile.email_verified ?? profile.confirmed_at !== null),
      image: profile.avatar_url ?? null,
    }),
    /** @see https://docs.gitlab.com/api/oauth2/ */
    tokenFacts: {
      refresh: 'always',
      rotates: true,
      graceSeconds: 0,
      accessTokenSeconds: 7200,
      revocation: { url: `${site}/oauth/revoke`, dialect: 'rfc7009' },
    },
    style: { brandColor: '#fc6d26' },
  }
})
