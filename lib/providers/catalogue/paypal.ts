import { oauthProvider } from '../oauth-provider.js'
import { accountId, itemsIn, usableEmail } from '../profile-mapping.js'

/** What PayPal says of the signed-in user; the members that are read. */
export interface PayPalProfile {
  /** A URL. */
  user_id?: string
  payer_id?: string
  name?: string
  picture?: string
  email?: string
  email_verified?: boolean
  emails?: { value: string; primary?: boolean; confirmed?: boolean }[]
}

/** Options of the PayPal provider. */
export interface PayPalOptions {
  /** Where accounts are; `live` by default. */
  environment?: 'live' | 'sandbox'
}

/**
 * Sign-in with PayPal.
 *
 * The address and the name need an approval for live apps. The callback may be on 127.0.0.1, and not on localhost.
 *
 * @see https://developer.paypal.com/docs/log-in-with-paypal/integrate/
 */
export default oauthProvider<PayPalProfile, PayPalOptions>(({ environment = 'live' }) => {
  const [site, api] =
    environment === 'sandbox'
      ? ['https://www.sandbox.paypal.com', 'https://api-m.sandbox.paypal.com']
      : ['https://www.paypal.com', 'https://api-m.paypal.com']
  return {
    id: 'paypal',
    name: 'PayPal',
    authorization: { url: `${site}/signin/authorize`, params: { flowEntry: 'static' } },
    token: `${api}/v1/oauth2/token`,
    userinfo: { url: `${api}/v1/identity/oauth2/userinfo`, params: { schema: 'paypalv1.1' } },
    verifiedEmail: (profile) => {
      const address = primaryAddress(profile)
      if (address) return address.confirmed === true ? address.value : null
      return profile.email_verified === true ? profile.email : null
    },
    profile: (profile) => {
      const address = primaryAddress(profile)
      return {
        id: accountId(profile.user_id ?? profile.payer_id),
        name: profile.name ?? null,
        email: usableEmail(address?.value ?? profile.email, address?.confirmed ?? profile.email_verified),
        image: profile.picture ?? null,
      }
    },
    style: { brandColor: '#003087' },
  }
})

const primaryAddress = ({ emails }: PayPalProfile) => itemsIn(emails).find(({ primary }) => primary)
