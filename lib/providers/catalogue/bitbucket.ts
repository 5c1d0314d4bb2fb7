import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, itemsIn } from '../profile-mapping.js'
import { userinfoEndpoint } from '../request-hooks.js'

/** What Bitbucket says of the signed-in user; the members that are read. */
export interface BitbucketProfile {
  account_id: string
  uuid: string
  display_name?: string | null
  username?: string
  links?: { avatar?: { href?: string } }
  /** The addresses, added by Latchkey; absent when the list is refused. */
  extra?: { values?: BitbucketEmail[] }
}

/** One entry of Bitbucket's list of the user's addresses. */
export interface BitbucketEmail {
  email: string
  is_primary: boolean
  is_confirmed: boolean
}

/**
 * Sign-in with Bitbucket.
 *
 * Scopes are fixed on the OAuth consumer: give it `account` and `email`. Without `email` there is no address.
 *
 * @see https://developer.atlassian.com/cloud/bitbucket/oauth-2/
 */
export default oauthProvider<BitbucketProfile>({
  id: 'bitbucket',
  name: 'Bitbucket',
  authorization: 'https://bitbucket.org/site/oauth2/authorize',
  scopes: ['account', 'email'],
  token: 'https://bitbucket.org/site/oauth2/access_token',
  userinfo: userinfoEndpoint<BitbucketProfile>({
    url: 'https://api.bitbucket.org/2.0/user',
    complete: async (profile, { tokens, fetch }) => {
      const answer = await fetch('https://api.bitbucket.org/2.0/user/emails', {
        headers: { accept: 'application/json', authorization: `Bearer ${tokens.access_token}` },
      })
      return { ...profile, ...(answer.ok ? { extra: await answer.json() } : {}) } as BitbucketProfile
    },
  }),
  verifiedEmail: confirmedEmail,
  profile: (profile) => ({
    id: accountId(profile.account_id),
    name: firstText(profile.display_name, profile.username),
    email: confirmedEmail(profile),
    image: profile.links?.avatar?.href ?? null,
  }),
  /** @see https://community.developer.atlassian.com/t/oauth-2-0-and-api-authentication-changes-for-bitbucket-cloud/99003 */
  tokenFacts: { refresh: 'always', rotates: true, accessTokenSeconds: 7200 },
  style: { brandColor: '#205081' },
})

/** The primary address, if it is confirmed. */
function confirmedEmail({ extra }: BitbucketProfile): string | null {
  return itemsIn(extra?.values).find((entry) => entry.is_primary && entry.is_confirmed === true)?.email ?? null
}
