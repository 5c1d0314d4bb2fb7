import { oauthProvider } from '../oauth-provider.js'
import { accountId, itemsIn, usableEmail } from '../profile-mapping.js'

/** What Eventbrite says of the signed-in user; the members that are read. */
export interface EventbriteProfile {
  id: string
  name?: string | null
  emails?: { email: string; primary?: boolean; verified?: boolean }[]
  image_id?: string | null
}

/**
 * Sign-in with Eventbrite.
 *
 * Access tokens do not expire.
 *
 * @see https://www.eventbrite.com/platform/docs/authentication
 */
export default oauthProvider<EventbriteProfile>({
  id: 'eventbrite',
  name: 'Eventbrite',
  authorization: 'https://www.eventbrite.com/oauth/authorize',
  scopes: [],
  token: 'https://www.eventbrite.com/oauth/token',
  userinfo: 'https://www.eventbriteapi.com/v3/users/me/',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  verifiedEmail: (profile) => {
    const address = primaryAddress(profile)
    return address?.verified === true ? address.email : null
  },
  profile: (profile) => {
    const address = primaryAddress(profile)
    return {
      id: accountId(profile.id),
      name: profile.name ?? null,
      email: usableEmail(address?.email, address?.verified),
      image: profile.image_id
        ? `https://img.evbuc.com/https%3A%2F%2Fcdn.evbuc.com%2Fimages%2F${profile.image_id}%2F1%2Foriginal.jpg`
        : null,
    }
  },
  tokenFacts: { refresh: 'never', accessTokenSeconds: Number.POSITIVE_INFINITY },
  style: { brandColor: '#f05537' },
})

const primaryAddress = ({ emails }: EventbriteProfile) => itemsIn(emails).find(({ primary }) => primary)
