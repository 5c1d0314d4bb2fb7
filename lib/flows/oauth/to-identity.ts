import type { Identity } from '../../accounts/identity.js'
import { randomId } from '../../crypto/random.js'
import { OAuthProfileParseError, withoutDetails } from '../../errors.js'
import { parseAddress } from '../../providers/mail/address.js'
import { usableId } from '../../providers/profile-mapping.js'
import type { Account, Profile, ResolvedOAuthProvider, TokenSet, User } from '../../providers/provider.js'
import { describeValue, isRecord } from '../../shapes/describe-value.js'
import type { OAuthCallback } from './callback.js'
import { cleanError } from './faults.js'

/**
 * The identity that a profile stands for.
 *
 * @returns the mapped user with an id that is new at every sign-in; the account has the provider's id
 * @throws {OAuthProfileParseError} when the mapping throws or gives no usable id, or when the provider's
 *   `verifiedEmail` throws
 */
export async function toIdentity(callback: OAuthCallback, tokens: TokenSet, profile: Profile): Promise<Identity> {
  const { provider, transaction } = callback
  const mapped = await mapProfile(callback, tokens, profile)
  const providerAccountId = usableId(mapped.id)
  if (providerAccountId === null) {
    throw new OAuthProfileParseError(
      `Provider "${provider.id}": profile() gave no id. It must give the id that the account has for ever, such as sub; a text or a number.`,
      { provider: provider.id },
    )
  }
  const { email } = mapped
  if (email !== undefined && email !== null && typeof email !== 'string') {
    throw new OAuthProfileParseError(
      `Provider "${provider.id}": profile() gave an e-mail address that is a ${typeof email}, not a text or null.`,
      {
        provider: provider.id,
      },
    )
  }
  // Whose account it is, is for us to say: a provider's member of that name means somebody else.
  const { userId: _, ...answer } = tokens
  const account: Account = { ...answer, provider: provider.id, type: provider.type, providerAccountId }
  const user = { ...mapped, id: randomId(), ...(typeof email === 'string' ? { email: normalAddress(email) } : {}) }
  return {
    user,
    account,
    profile,
    initiator: transaction.initiator,
    linking: {
      isEmailVerified: hasVerifiedEmail(provider, user, profile),
      linksByEmail: provider.allowDangerousEmailAccountLinking,
      storedTokens: provider.account,
    },
  }
}

async function mapProfile(
  { provider, fetch, params, secrets }: OAuthCallback,
  tokens: TokenSet,
  profile: Profile,
): Promise<User> {
  let user: unknown
  try {
    user = await provider.profile(profile, tokens, { params, fetch })
  } catch (error) {
    const cause = cleanError(error, secrets)
    throw new OAuthProfileParseError(`Provider "${provider.id}": profile() threw. ${cause.message}`, {
      err: cause,
      provider: provider.id,
    })
  }
  if (!isRecord(user)) {
    throw new OAuthProfileParseError(`Provider "${provider.id}": profile() gave no user, but ${describeValue(user)}.`, {
      provider: provider.id,
    })
  }
  return user
}

/** One spelling for one address, the same that mailed links are kept under (ACCT-08). */
export const normalAddress = (email: string): string => parseAddress(email) ?? email.toLowerCase()

/**
 * Whether the provider has verified the address that is the user's: `profile()` may have taken another one than the
 * provider speaks of.
 *
 * @throws {OAuthProfileParseError} when the provider's `verifiedEmail` throws
 */
export function hasVerifiedEmail(
  { id, verifiedEmail }: ResolvedOAuthProvider,
  { email }: Pick<User, 'email'>,
  profile: Profile | undefined,
): boolean {
  if (!email || !profile) return false
  let verified: unknown
  try {
    verified = verifiedEmail(profile)
  } catch (error) {
    throw new OAuthProfileParseError(`Provider "${id}": verifiedEmail() threw.`, {
      err: withoutDetails(error),
      provider: id,
    })
  }
  return typeof verified === 'string' && normalAddress(verified) === email
}
