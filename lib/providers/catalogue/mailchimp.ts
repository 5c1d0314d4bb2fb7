import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'
import { conformToUsable, userinfoEndpoint } from '../request-hooks.js'

/** What Mailchimp says of the signed-in user; the members that are read. */
export interface MailchimpProfile {
  user_id?: number | string
  accountname?: string
  login?: { login_id?: number; login_name?: string; email?: string; avatar?: string | null }
}

/**
 * Sign-in with Mailchimp.
 *
 * Access tokens do not expire.
 *
 * @see https://mailchimp.com/developer/marketing/guides/access-user-data-oauth-2/
 */
export default oauthProvider<MailchimpProfile>({
  id: 'mailchimp',
  name: 'Mailchimp',
  authorization: 'https://login.mailchimp.com/oauth2/authorize',
  scopes: [],
  token: { url: 'https://login.mailchimp.com/oauth2/token', conform: conformToUsable },
  userinfo: userinfoEndpoint({
    url: 'https://login.mailchimp.com/oauth2/metadata',
    accessToken: { scheme: 'OAuth' },
  }),
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.login?.login_id ?? profile.user_id),
    name: firstText(profile.accountname, profile.login?.login_name),
    email: usableEmail(profile.login?.email),
    image: profile.login?.avatar ?? null,
  }),
  tokenFacts: { refresh: 'never', accessTokenSeconds: Number.POSITIVE_INFINITY },
  style: { brandColor: '#ffe01b' },
})
