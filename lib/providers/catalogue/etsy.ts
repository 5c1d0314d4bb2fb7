import { oauthProvider } from '../oauth-provider.js'
import { accountId, fullName, usableEmail } from '../profile-mapping.js'
import { userinfoEndpoint } from '../request-hooks.js'

/** What Etsy says of the signed-in user; the members that are read. */
export interface EtsyProfile {
  user_id: number
  first_name?: string | null
  last_name?: string | null
  primary_email?: string | null
  image_url_75x75?: string | null
}

/** Options of the Etsy provider. */
export interface EtsyOptions {
  /** The `x-api-key` of API calls, when it is not the client id. */
  apiKey?: string
}

/**
 * Sign-in with Etsy.
 *
 * Etsy identifies a client by its keystring (`clientId`) alone. There is no secret. Newer apps send the keystring and
 * the shared secret, joined by a colon, as `apiKey`.
 *
 * The address needs an approval by Etsy.
 *
 * @see https://developers.etsy.com/documentation/essentials/authentication
 */
export default oauthProvider<EtsyProfile, EtsyOptions>(({ apiKey }) => ({
  id: 'etsy',
  name: 'Etsy',
  authorization: 'https://www.etsy.com/oauth/connect',
  scopes: ['email_r'],
  token: 'https://api.etsy.com/v3/public/oauth/token',
  userinfo: userinfoEndpoint<EtsyProfile>({
    url: 'https://openapi.etsy.com/v3/application/users/me',
    headers: ({ provider }) => ({ 'x-api-key': apiKey ?? String(provider.clientId) }),
    // The first answer names the user and nothing more.
    complete: async ({ user_id }, { tokens, provider, fetch }) => {
      if (!Number.isSafeInteger(user_id)) throw new Error('Etsy names no user.')
      const answer = await fetch(`https://openapi.etsy.com/v3/application/users/${user_id}`, {
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${tokens.access_token}`,
          'x-api-key': apiKey ?? String(provider.clientId),
        },
      })
      return { ...(answer.ok ? await answer.json() : {}), user_id } as EtsyProfile
    },
  }),
  client: { token_endpoint_auth_method: 'none' },
  profile: (profile) => ({
    id: accountId(profile.user_id),
    name: fullName(profile.first_name, profile.last_name),
    email: usableEmail(profile.primary_email),
    image: profile.image_url_75x75 ?? null,
  }),
  style: { brandColor: '#f16521' },
}))
