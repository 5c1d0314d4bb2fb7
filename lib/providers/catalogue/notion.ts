import { oauthProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'
import { conformToUsable } from '../request-hooks.js'

/** What Notion says of the signed-in user; the members that are read. */
export interface NotionProfile {
  bot: {
    owner: {
      user: { id: string; name?: string | null; avatar_url?: string | null; person?: { email?: string } }
    }
  }
}

/** Options of the Notion provider. */
export interface NotionOptions {
  /** Of Auth.js, which requires it. It has no effect: Latchkey sends the address of its own callback. */
  redirectUri?: string
}

/**
 * Sign-in with Notion.
 *
 * The address needs the user capability that includes it. There are no scopes: capabilities are set on the
 * integration.
 *
 * @see https://developers.notion.com/docs/authorization
 */
export default oauthProvider<NotionProfile, NotionOptions>(({ redirectUri: _hasNoEffect }) => ({
  id: 'notion',
  name: 'Notion',
  authorization: { url: 'https://api.notion.com/v1/oauth/authorize', params: { owner: 'user' } },
  scopes: [],
  token: { url: 'https://api.notion.com/v1/oauth/token', conform: conformToUsable },
  userinfo: { url: 'https://api.notion.com/v1/users/me', headers: { 'notion-version': '2025-09-03' } },
  profile: ({
    bot: {
      owner: { user },
    },
  }) => ({
    id: accountId(user.id),
    name: user.name ?? null,
    email: usableEmail(user.person?.email),
    image: user.avatar_url ?? null,
  }),
  /** @see https://developers.notion.com/reference/refresh-a-token */
  tokenFacts: {
    refresh: 'always',
    rotates: true,
    revocation: {
      url: 'https://api.notion.com/v1/oauth/revoke',
      dialect: 'json',
      headers: { 'notion-version': '2025-09-03' },
    },
  },
  style: { brandColor: '#000000' },
}))
