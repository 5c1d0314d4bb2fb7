import { oidcProvider } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Hugging Face beyond those of OpenID Connect. */
export type HuggingfaceProfile = OpenIDProfile

/**
 * Sign-in with Hugging Face.
 *
 * @see https://huggingface.co/docs/hub/en/oauth
 */
export default oidcProvider<HuggingfaceProfile>({
  id: 'huggingface',
  name: 'Hugging Face',
  issuer: 'https://huggingface.co',
  profile: standardClaims,
  style: { brandColor: '#ffd21e' },
})
