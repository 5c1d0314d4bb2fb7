import { oauthProvider } from '../oauth-provider.js'
import { accountId, fullName, usableEmail } from '../profile-mapping.js'
import { conformToUsable, userinfoRequest } from '../request-hooks.js'

/** What Foursquare says of the signed-in user; the members that are read. */
export interface FoursquareProfile {
  response: {
    user: {
      id: string
      firstName?: string
      lastName?: string
      contact?: { email?: string }
      photo?: { prefix?: string; suffix?: string }
    }
  }
}

/** Options of the Foursquare provider. */
export interface FoursquareOptions {
  /** Date of the API version, `20230131` by default. */
  apiVersion?: string
}

/**
 * Sign-in with Foursquare.
 *
 * Remains for Swarm only: the City Guide is closed.
 *
 * @see https://docs.foursquare.com/developer/reference/authentication
 */
export default oauthProvider<FoursquareProfile, FoursquareOptions>(({ apiVersion = '20230131' }) => ({
  id: 'foursquare',
  name: 'Foursquare',
  authorization: 'https://foursquare.com/oauth2/authenticate',
  scopes: [],
  token: { url: 'https://foursquare.com/oauth2/access_token', conform: conformToUsable },
  userinfo: {
    url: 'https://api.foursquare.com/v2/users/self',
    request: userinfoRequest({
      url: `https://api.foursquare.com/v2/users/self?v=${apiVersion}`,
      accessToken: { parameter: 'oauth_token' },
    }),
  },
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: ({ response: { user } }) => ({
    id: accountId(user.id),
    name: fullName(user.firstName, user.lastName),
    email: usableEmail(user.contact?.email),
    image: user.photo?.prefix ? `${user.photo.prefix}original${user.photo.suffix ?? ''}` : null,
  }),
  tokenFacts: { accessTokenSeconds: Number.POSITIVE_INFINITY },
  style: { brandColor: '#000000' },
}))
