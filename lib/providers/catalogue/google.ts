import { oidcProvider } from '../oauth-provider.js'
import type { Profile } from '../provider.js'

/** Claims of Google's ID token beyond those of OpenID Connect. */
export interface GoogleProfile extends Profile {
  sub: string
  /** The Google Workspace domain of the account. Check this claim to admit one organisation only. */
  hd?: string
}

/** Sign-in with Google. */
export default oidcProvider<GoogleProfile>({
  id: 'google',
  name: 'Google',
  issuer: 'https://accounts.google.com',
  checks: ['pkce', 'state', 'nonce'],
  style: { brandColor: '#1a73e8' },
})
