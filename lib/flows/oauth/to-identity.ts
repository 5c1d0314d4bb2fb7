import type { Identity } from '../../accounts/identity.js'
import { randomId } from '../../crypto/random.js'
import { OAuthProfileParseError } from '../../errors.js'
import { parseAddress } from '../../providers/mail/address.js'
import { usableId } from '../../providers/profile-mapping.js'
import type { Account, Profile, TokenSet, User } from '../../providers/provider.js'
import { describeValue, isRecord } from '../../shapes/describe-value.js'
import { cleanError } from './faults.js'
import type { Finishing } from './finish-sign-in.js'

/**
 * The person and the account of a profile.
 *
 * @returns the mapped user with an id that is new at every sign-in; the account has the provider's id
 * @throws {OAuthProfileParseError} when the mapping throws or gives no usable id
 */
export async function toIdentity(finishing: Finishing, tokens: TokenSet, profile: Profile): Promise<Identity> {
  const { provider } = finishing.answer
  const user = await mapProfile(finishing, tokens, profile)
  const providerAccountId = usableId(user.id)
  if (providerAccountId === null) {
    throw new OAuthProfileParseError(
      `Provider "${provider.id}": profile() gave no id. It must give the id that the account has for ever, such as sub; a text or a number.`,
      { provider: provider.id },
    )
  }
  const { email } = user
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
  return {
    user: { ...user, id: randomId(), ...(typeof email === 'string' ? { email: normalAddress(email) } : {}) },
    account,
    profile,
  }
}

async function mapProfile(
  { answer, parts, params, secrets }: Finishing,
  tokens: TokenSet,
  profile: Profile,
): Promise<User> {
  const { provider } = answer
  let user: unknown
  try {
    user = await provider.profile(profile, tokens, { params, fetch: parts.channelOf(provider) })
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
