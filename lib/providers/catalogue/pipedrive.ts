import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Pipedrive says of the signed-in user; the members that are read. */
export interface PipedriveProfile {
  data: {
    id: number
    company_id: number
    name?: string | null
    email?: string | null
    icon_url?: string | null
  }
}

/**
 * Sign-in with Pipedrive.
 *
 * Scopes are set on the app.
 *
 * Pipedrive guarantees only the pair of company and user to be unique, so accounts are known by both:
 * `<company_id>:<id>`. Somebody who belongs to two companies has two accounts.
 *
 * @see https://pipedrive.readme.io/docs/marketplace-oauth-authorization
 */
export default oauthProvider<PipedriveProfile>({
  id: 'pipedrive',
  name: 'Pipedrive',
  authorization: 'https://oauth.pipedrive.com/oauth/authorize',
  scopes: [],
  token: 'https://oauth.pipedrive.com/oauth/token',
  userinfo: 'https://api.pipedrive.com/v1/users/me',
  tokenFacts: { revocation: { url: 'https://oauth.pipedrive.com/oauth/revoke' } },
  profile: ({ data }) => ({
    id: pairOf(accountId(data.company_id), accountId(data.id)),
    name: data.name ?? null,
    email: usableEmail(data.email),
    image: data.icon_url ?? null,
  }),
})

/** Both parts, or nothing: half of a pair is nobody's. */
const pairOf = (company: string | undefined, user: string | undefined) =>
  company === undefined || user === undefined ? undefined : `${company}:${user}`
