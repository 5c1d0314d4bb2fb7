import { hostOf, oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, fullName, usableEmail } from '../profile-mapping.js'

/** What Mercado Libre says of the signed-in user; the members that are read. */
export interface MercadoLibreProfile {
  id: number
  first_name?: string
  last_name?: string
  nickname?: string
  email?: string
  thumbnail?: { picture_url?: string } | null
}

/** Options of the Mercado Libre provider. */
export interface MercadoLibreOptions {
  /** Host of the country, `auth.mercadolibre.com` by default. */
  authorizationHost?: string
}

/**
 * Sign-in with Mercado Libre.
 *
 * Scopes are set on the application. Each country has an authorization host of its own, such as
 * `auth.mercadolibre.com.ar`.
 *
 * @see https://developers.mercadolibre.com.ar/en_us/authentication-and-authorization
 */
export default oauthProvider<MercadoLibreProfile, MercadoLibreOptions>(
  ({ authorizationHost = 'auth.mercadolibre.com' }) => ({
    id: 'mercado-libre',
    name: 'Mercado Libre',
    authorization: `https://${hostOf(authorizationHost)}/authorization`,
    scopes: [],
    token: 'https://api.mercadolibre.com/oauth/token',
    userinfo: 'https://api.mercadolibre.com/users/me',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: (profile) => ({
      id: accountId(profile.id),
      name: firstText(fullName(profile.first_name, profile.last_name), profile.nickname),
      email: usableEmail(profile.email),
      image: profile.thumbnail?.picture_url ?? null,
    }),
    tokenFacts: { rotates: true },
    style: { brandColor: '#ffe600' },
  }),
)
