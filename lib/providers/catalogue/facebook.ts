import { oauthProvider, present } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'

/** What Facebook says of the signed-in user; the members that are read. */
export interface FacebookProfile {
  id: string
  name?: string
  email?: string
  picture?: { data?: { url?: string } }
}

/** Options of the Facebook provider. */
export interface FacebookOptions {
  /** Id of a login configuration (Facebook Login for Business). */
  configId?: string
}

/**
 * Sign-in with Facebook.
 *
 * The address is absent when the person declines it or has not confirmed it. The id is of this app alone.
 *
 * Facebook supports a version of the Graph API for about two years. To use another one, set the URLs of `authorization`
 * and `token`.
 *
 * @see https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow
 */
export default oauthProvider<FacebookProfile, FacebookOptions>(({ configId }) => ({
  id: 'facebook',
  name: 'Facebook',
  authorization: { url: 'https://www.facebook.com/v24.0/dialog/oauth', params: present({ config_id: configId }) },
  scopes: ['email', 'public_profile'],
  scopeSeparator: ',',
  token: 'https://graph.facebook.com/v24.0/oauth/access_token',
  userinfo: { url: 'https://graph.facebook.com/me', params: { fields: 'id,name,email,picture' } },
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: profile.name ?? null,
    email: usableEmail(profile.email),
    image: profile.picture?.data?.url ?? null,
  }),
  /** @see https://developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived */
  tokenFacts: {
    refresh: 'never',
  },
  style: { brandColor: '#006aff' },
}))
