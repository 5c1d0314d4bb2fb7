import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Vercel beyond those of OpenID Connect. */
export type VercelProfile = OpenIDProfile

/**
 * Sign-in with Vercel.
 *
 * Switch the scopes on for the app.
 *
 * @see https://vercel.com/docs/sign-in-with-vercel
 */
export default oidcProvider<VercelProfile>({
  id: 'vercel',
  name: 'Vercel',
  issuer: 'https://vercel.com',
  scopes: ['openid', 'email', 'profile'],
  profile: standardClaims,
  tokenFacts: { refresh: { scope: 'offline_access' }, rotates: true, revocation: 'metadata' },
  style: { brandColor: '#000000' },
})
