import { oauthProvider } from '../oauth-provider.js'
import { accountId, fullName, usableEmail } from '../profile-mapping.js'
import type { TokenRequestContext } from '../provider.js'
import { userinfoEndpoint } from '../request-hooks.js'

/** What VK ID says of the signed-in user; the members that are read. */
export interface VkProfile {
  user: {
    user_id: string
    first_name?: string
    last_name?: string
    email?: string
    avatar?: string
  }
}

/**
 * Sign-in with VK ID.
 *
 * VK identifies the client by its id and PKCE. There is no secret. VK does not say whether the address is verified.
 *
 * @see https://id.vk.com/about/business/go/docs/en/vkid/latest/vk-id/connection/api-description
 */
export default oauthProvider<VkProfile>({
  id: 'vk',
  name: 'VK ID',
  authorization: 'https://id.vk.com/authorize',
  scopes: ['email'],
  token: {
    url: 'https://id.vk.com/oauth2/auth',
    params: {
      device_id: ({ params }: TokenRequestContext<VkProfile>) => params['device_id'],
      state: ({ checks }: TokenRequestContext<VkProfile>) => checks.state,
    },
  },
  userinfo: userinfoEndpoint({
    url: 'https://id.vk.com/oauth2/user_info',
    accessToken: null,
    form: ({ tokens, provider }) => ({
      client_id: String(provider.clientId),
      access_token: String(tokens.access_token),
    }),
  }),
  client: { token_endpoint_auth_method: 'none' },
  profile: ({ user }) => ({
    id: accountId(user.user_id),
    name: fullName(user.first_name, user.last_name),
    email: usableEmail(user.email),
    image: user.avatar ?? null,
  }),
  tokenFacts: { revocation: { url: 'https://id.vk.com/oauth2/revoke' } },
  style: { brandColor: '#0077ff' },
})
