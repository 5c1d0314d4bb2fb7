import { oidcProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Polar beyond those of OpenID Connect. */
export interface PolarProfile extends OpenIDProfile {
  public_name?: string
  username?: string
  avatar_url?: string
}

/**
 * Sign-in with Polar.
 *
 * `sub_type=user` makes the token a person's and not an organization's.
 *
 * The sandbox has other hosts and the same issuer: set `wellKnown`, and the URLs of `authorization` and `token`.
 *
 * @see https://docs.polar.sh/integrate/oauth2/connect
 */
export default oidcProvider<PolarProfile>({
  id: 'polar',
  name: 'Polar',
  issuer: 'https://polar.sh',
  wellKnown: 'https://api.polar.sh/.well-known/openid-configuration',
  authorization: { url: 'https://polar.sh/oauth2/authorize', params: { sub_type: 'user' } },
  token: 'https://api.polar.sh/v1/oauth2/token',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: (profile) => ({
    id: accountId(profile.sub ?? profile.id),
    name: firstText(profile.name, profile.public_name, profile.username),
    email: usableEmail(profile.email, profile.email_verified),
    image: firstText(profile.picture, profile.avatar_url),
  }),
  tokenFacts: { revocation: 'metadata' },
  style: { brandColor: '#0062ff' },
})
