import type { Identity } from '../../accounts/identity.js'
import { OAuthProfileParseError, withoutDetails } from '../../errors.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { normalAddress } from './to-identity.js'

/**
 * Whether the provider has verified the address that is the user's: `profile()` may have taken another one than the provider speaks of.
 *
 * @throws {OAuthProfileParseError} when the provider's `verifiedEmail` throws
 */
export function hasVerifiedEmail({ id, verifiedEmail }: ResolvedOAuthProvider, { user, profile }: Identity): boolean {
  if (!user.email || !profile) return false
  let verified: unknown
  try {
    verified = verifiedEmail(profile)
  } catch (error) {
    throw new OAuthProfileParseError(`Provider "${id}": verifiedEmail() threw.`, {
      err: withoutDetails(error),
      provider: id,
    })
  }
  return typeof verified === 'string' && normalAddress(verified) === user.email
}
