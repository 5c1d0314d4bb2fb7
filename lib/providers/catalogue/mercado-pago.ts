import { hostOf, oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, fullName, usableEmail } from '../profile-mapping.js'

/** What Mercado Pago says of the signed-in user; the members that are read. */
export interface MercadoPagoProfile {
  id: number
  first_name?: string
  last_name?: string
  nickname?: string
  email?: string
}

/** Options of the Mercado Pago provider. */
export interface MercadoPagoOptions {
  /** Host of the country, `auth.mercadopago.com` by default. */
  authorizationHost?: string
}

/**
 * Sign-in with Mercado Pago.
 *
 * Made for sellers who connect payments rather than for sign-in, and the endpoint of the profile is not documented
 * for it: Mercado Libre is the better choice.
 *
 * @see https://www.mercadopago.com/developers/en/docs/security/oauth/creation
 */
export default oauthProvider<MercadoPagoProfile, MercadoPagoOptions>(
  ({ authorizationHost = 'auth.mercadopago.com' }) => ({
    id: 'mercado-pago',
    name: 'Mercado Pago',
    authorization: { url: `https://${hostOf(authorizationHost)}/authorization`, params: { platform_id: 'mp' } },
    scopes: [],
    token: 'https://api.mercadopago.com/oauth/token',
    userinfo: 'https://api.mercadopago.com/users/me',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: (profile) => ({
      id: accountId(profile.id),
      name: firstText(fullName(profile.first_name, profile.last_name), profile.nickname),
      email: usableEmail(profile.email),
      image: null,
    }),
    style: { brandColor: '#00b1ea' },
  }),
)
