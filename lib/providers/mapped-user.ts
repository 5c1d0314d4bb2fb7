import { OAuthProfileParseError, withoutDetails } from '../errors.js'
import { describeValue, isRecord } from '../shapes/describe-value.js'
import { membersOf } from '../shapes/members-of.js'
import { parseAddress } from './mail/address.js'
import { usableId } from './profile-mapping.js'
import type { Profile, ResolvedOAuthProvider, User } from './provider.js'

/** The user that a provider's `profile()` made of a profile, checked. */
export interface MappedUser {
  /** The user. The address is in the normal form in which mailed links have it. */
  readonly user: User
  /** The id of the account at the provider. */
  readonly accountId: string
  /** Whether the provider says that it has verified the user's address. */
  readonly isEmailVerified: boolean
}

/**
 * Checks what `profile()` of a provider returned.
 *
 * @throws {OAuthProfileParseError} if it is not a user, or has no usable id, or an address that is not a string; or if
 *   `verifiedEmail` of the provider throws
 */
export function checkMappedUser(provider: ResolvedOAuthProvider, mapped: unknown, profile: Profile): MappedUser {
  const refused = (what: string) =>
    new OAuthProfileParseError(`Provider "${provider.id}": profile() gave ${what}`, { provider: provider.id })
  if (!isRecord(mapped)) throw refused(`no user, but ${describeValue(mapped)}.`)
  const user: User = membersOf(mapped)
  const accountId = usableId(user.id)
  if (accountId === null) {
    throw refused('no id. It must give the id that the account has for ever, such as sub; a text or a number.')
  }
  const given: unknown = user.email
  if (given === undefined || given === null) return { user, accountId, isEmailVerified: false }
  if (typeof given !== 'string') throw refused(`an e-mail address that is a ${typeof given}, not a text or null.`)
  const email = normalAddress(given)
  return { user: { ...user, email }, accountId, isEmailVerified: isVerified(provider, email, profile) }
}

/** The same for all spellings of one address (ACCT-08). */
const normalAddress = (email: string): string => parseAddress(email) ?? email.toLowerCase()

/**
 * Whether the provider has verified the address of the user. `profile()` may have chosen another address than the one that
 * the provider has verified.
 */
function isVerified({ id, verifiedEmail }: ResolvedOAuthProvider, email: string, profile: Profile): boolean {
  if (email === '') return false
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
