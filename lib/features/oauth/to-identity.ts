import type { ProviderSession } from '../../adapters/adapter.js'
import { OAuthProfileParseError } from '../../kernel/errors.js'
import { randomId } from '../../kernel/random.js'
import { cleanError, faultOf, ProviderOutage } from '../../oauth/faults.js'
import { type IdTokenClaims, isSid } from '../../oauth/id-token.js'
import { checkMappedUser, noteLeftOut } from '../../providers/mapped-user.js'
import type { Account, Profile, TokenSet } from '../../providers/provider.js'
import type { Identity } from '../../users/identity.js'
import type { AcceptedCallback } from './exchange-code.js'

/**
 * The identity that a profile stands for.
 *
 * @returns the mapped user with an id that is new at every sign-in; the account has the provider's id
 * @param claims those of the verified ID token; null for plain OAuth
 * @throws {OAuthProfileParseError} when the mapping throws or gives no usable user, or when the provider's
 *   `verifiedEmail` throws
 */
export async function toIdentity(
  callback: AcceptedCallback,
  tokens: TokenSet,
  profile: Profile,
  claims: IdTokenClaims | null,
): Promise<Identity> {
  const { provider, transaction, dependencies } = callback
  const mapped = await mapProfile(callback, tokens, profile)
  const { user, accountId, isEmailVerified } = checkMappedUser(
    provider,
    mapped,
    profile,
    noteLeftOut(dependencies.logger, provider),
  )
  // Latchkey decides to which user the account belongs, so a `userId` in the provider's answer is left out.
  const { userId: _, ...answer } = tokens
  const account: Account = { ...answer, provider: provider.id, type: provider.type, providerAccountId: accountId }
  return {
    user: { ...user, id: randomId() },
    account,
    profile,
    ...(claims && { providerSession: providerSessionOf(provider.id, claims) }),
    initiator: transaction.initiator,
    ...(provider.checks.size === 0 && { isUnbound: true }),
    linkSessionDigest: transaction.linkSessionDigest,
    linking: {
      isEmailVerified,
      linksByEmail: provider.allowDangerousEmailAccountLinking,
      storedTokens: provider.account,
    },
  }
}

/** The session at the provider. A `sid` that no column can hold counts as absent: a logout by subject still finds the session. */
function providerSessionOf(provider: string, { sub: subject, sid }: IdTokenClaims): ProviderSession {
  return { provider, subject, ...(isSid(sid) && { sid }) }
}

/** What the provider's `profile()` gives, which may be anything. */
async function mapProfile(
  { provider, fetch, params, secrets }: AcceptedCallback,
  tokens: TokenSet,
  profile: Profile,
): Promise<unknown> {
  try {
    return await provider.profile(profile, tokens, { params, fetch })
  } catch (error) {
    const cause = cleanError(error, secrets)
    const outage = faultOf(error, `Provider "${provider.id}": profile() could not ask for more. ${cause.message}`)
    if (outage instanceof ProviderOutage) throw outage
    throw new OAuthProfileParseError(`Provider "${provider.id}": profile() threw. ${cause.message}`, {
      err: cause,
      provider: provider.id,
    })
  }
}
