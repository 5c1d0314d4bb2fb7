import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, fullName, usableEmail } from '../profile-mapping.js'
import type { TokenSet } from '../provider.js'
import { tokenRequest, userinfoRequest } from '../request-hooks.js'

/** What Zoho says of the signed-in user; the members that are read. */
export interface ZohoProfile {
  ZUID: number
  Display_Name?: string
  First_Name?: string
  Last_Name?: string
  Email?: string
}

/** Options of the Zoho provider. */
export interface ZohoOptions {
  /** Where to begin, `https://accounts.zoho.com` by default. */
  accountsServer?: string
}

/**
 * Sign-in with Zoho.
 *
 * Zoho has several data centres, and the answer names the one that has the account. The tokens are asked for there
 * if it is one of Zoho's.
 *
 * @see https://www.zoho.com/accounts/protocol/oauth.html
 */
export default oauthProvider<ZohoProfile, ZohoOptions>(({ accountsServer = 'https://accounts.zoho.com' }) => ({
  id: 'zoho',
  name: 'Zoho',
  authorization: `${accountsServer}/oauth/v2/auth`,
  scopes: ['AaaServer.profile.Read'],
  token: {
    url: `${accountsServer}/oauth/v2/token`,
    request: tokenRequest<ZohoProfile>({
      url: ({ params }) => `${serverOf(params['accounts-server'], accountsServer)}/oauth/v2/token`,
      parameters: ({ params, checks, provider }) => ({
        grant_type: 'authorization_code',
        client_id: provider.clientId,
        client_secret: provider.clientSecret,
        code: params['code'],
        redirect_uri: provider.callbackUrl,
        code_verifier: checks.code_verifier,
      }),
      tokens: (answer, { params }) => ({
        ...(answer as TokenSet),
        accounts_server: serverOf(params['accounts-server'], accountsServer),
      }),
    }),
  },
  userinfo: {
    url: `${accountsServer}/oauth/user/info`,
    request: userinfoRequest({
      url: ({ tokens }) => `${tokens['accounts_server'] ?? accountsServer}/oauth/user/info`,
      accessToken: { scheme: 'Zoho-oauthtoken' },
    }),
  },
  profile: (profile) => ({
    id: accountId(profile.ZUID),
    name: firstText(profile.Display_Name, fullName(profile.First_Name, profile.Last_Name)),
    email: usableEmail(profile.Email),
    image: null,
  }),
  tokenFacts: {
    refresh: { params: { access_type: 'offline', prompt: 'consent' } },
    revocation: { url: 'https://accounts.zoho.com/oauth/v2/token/revoke' },
  },
  style: { brandColor: '#e42527' },
}))

const DATA_CENTRES = ['com', 'eu', 'in', 'com.au', 'jp', 'sa', 'uk', 'com.cn'].map(
  (end) => `https://accounts.zoho.${end}`,
)
DATA_CENTRES.push('https://accounts.zohocloud.ca')

/** The server that an answer names. Anybody can write an answer, and the client secret goes there: Zoho's own only. */
const serverOf = (named: string | undefined, fallback: string): string =>
  named !== undefined && DATA_CENTRES.includes(named) ? named : fallback
