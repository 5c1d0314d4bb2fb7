import { oauthProvider, present } from '../oauth-provider.js'
import { accountId, firstText, fullName, usableEmail } from '../profile-mapping.js'

/** What WorkOS says of the signed-in user; the members that are read. */
export interface WorkOSProfile {
  id: string
  first_name?: string | null
  last_name?: string | null
  email?: string
  raw_attributes?: { picture?: string }
}

/** Options of the WorkOS provider: at most one. */
export type WorkOSOptions =
  | {
      /** Id of a connection. */
      connection?: string
      organization?: undefined
      provider?: undefined
    }
  | {
      connection?: undefined
      /** Id of an organization. */
      organization?: string
      provider?: undefined
    }
  | {
      connection?: undefined
      organization?: undefined
      /** A social provider: `GoogleOAuth`. */
      provider?: string
    }

/**
 * Sign-in with WorkOS.
 *
 * The client secret is the API key. One of `connection`, `organization` and `provider` must reach WorkOS: as an
 * option, or as a parameter of the sign-in request.
 *
 * @see https://workos.com/docs/reference/sso
 */
export default oauthProvider<WorkOSProfile, WorkOSOptions>(({ connection, organization, provider }) => ({
  id: 'workos',
  name: 'WorkOS',
  authorization: {
    url: 'https://api.workos.com/sso/authorize',
    params: present({ connection, organization, provider }),
  },
  scopes: [],
  token: 'https://api.workos.com/sso/token',
  userinfo: 'https://api.workos.com/sso/profile',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: firstText(fullName(profile.first_name, profile.last_name), profile.email),
    email: usableEmail(profile.email),
    image: profile.raw_attributes?.picture ?? null,
  }),
  style: { brandColor: '#6363f1' },
}))
