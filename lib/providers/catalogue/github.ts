import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, itemsIn } from '../profile-mapping.js'
import type { CustomFetch, TokenSet } from '../provider.js'
import { userinfoEndpoint } from '../request-hooks.js'

/** GitHub's answer for the signed-in user; `email` is the verified primary address, or null. */
export interface GitHubProfile {
  [member: string]: unknown
  login: string
  id: number
  node_id: string
  avatar_url: string
  name: string | null
  email: string | null
}

/** One entry of GitHub's list of the user's addresses. */
export interface GitHubEmail {
  email: string
  primary: boolean
  verified: boolean
  visibility: 'public' | 'private' | null
}

/** Options of the GitHub provider. */
export interface GitHubOptions {
  /** An Enterprise Server in place of github.com. */
  enterprise?: { baseUrl?: string }
}

/**
 * Sign-in with GitHub. The address is the verified primary one; a user without any gets `email: null`.
 *
 * A GitHub App needs the permission "Email addresses: read", or there is no address.
 *
 * @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/creating-an-oauth-app
 */
export default oauthProvider<GitHubProfile, GitHubOptions>(({ issuer, enterprise }) => {
  const own = enterprise?.baseUrl?.replace(/\/+$/, '')
  const site = own ?? 'https://github.com'
  const api = own ? `${own}/api/v3` : 'https://api.github.com'
  return {
    id: 'github',
    name: 'GitHub',
    issuer: issuer ?? `${site}/login/oauth`,
    authorization: `${site}/login/oauth/authorize`,
    scopes: ['read:user', 'user:email'],
    token: { url: `${site}/login/oauth/access_token`, conform: nameTheError },
    userinfo: userinfoEndpoint<GitHubProfile>({
      url: `${api}/user`,
      complete: async (profile, { tokens, fetch }) => ({
        ...(profile as GitHubProfile),
        // The address on the profile is whatever the user shows there; only the list says which are verified.
        email: await verifiedEmail(`${api}/user/emails`, tokens, fetch),
      }),
    }),
    verifiedEmail: ({ email }) => email,
    profile: (profile) => ({
      id: accountId(profile.id),
      name: firstText(profile.name, profile.login),
      email: profile.email,
      image: profile.avatar_url ?? null,
    }),
    /** @see https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens */
    tokenFacts: {
      // A GitHub App gets one if its tokens expire; an OAuth app never does.
      refresh: 'setting',
      rotates: true,
      graceSeconds: 0,
      accessTokenSeconds: 'setting',
      revocation: { url: `${api}/applications/{client_id}/token`, dialect: 'delete-json', only: 'access' },
    },
    style: { brandColor: '#24292f' },
  }
})

/** The primary address if it is verified. GitHub refuses the list to GitHub Apps without the e-mail permission. */
async function verifiedEmail(url: string, tokens: TokenSet, fetch: CustomFetch): Promise<string | null> {
  const answer = await fetch(url, {
    headers: { accept: 'application/json', authorization: `Bearer ${tokens.access_token}`, 'user-agent': 'latchkey' },
  })
  if (!answer.ok) return null
  const list: unknown = await answer.json()
  return itemsIn(list as GitHubEmail[]).find(({ primary, verified }) => primary && verified === true)?.email ?? null
}

/** GitHub calls a code that is used up or expired by a name of its own, with the status 200. */
async function nameTheError(response: Response): Promise<Response | undefined> {
  const body = (await response.clone().json()) as { error?: unknown } | null
  return body?.error === 'bad_verification_code'
    ? Response.json({ error: 'invalid_grant' }, { status: 400 })
    : undefined
}
