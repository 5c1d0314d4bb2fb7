import type { AdapterUser } from '../adapters/adapter.js'
import { isError } from '../kernel/describe-value.js'
import { AccountNotLinked, OAuthAccountNotLinked, RecentSignInRequired, SessionChanged } from '../kernel/errors.js'
import type { Account } from '../providers/provider.js'
import type { Identity } from './identity.js'

/** The visitor cannot be signed in with this account: the account, or its address, belongs to another user. */
export const notLinked = (account: Account) =>
  refusedLink(account, 'it, or its e-mail address, belongs to another user.')

const refusedLink = ({ type, provider }: Account, why: string) => {
  const message = `The account at "${provider}" cannot be linked: ${why}`
  return type === 'webauthn' ? new AccountNotLinked(message) : new OAuthAccountNotLinked(message)
}

/** The user who has the address of a refused identity. */
interface TakenAddress {
  readonly userId: string
  /** The address, as the provider of the refused identity gave it. */
  readonly email: string
  /** Whether this provider says that it has verified the address: then the visitor has proved that it is theirs. */
  readonly isProven: boolean
  /** Whether the user has an account at this very provider, with another id. */
  readonly hasOtherId: boolean
}

const OTHER_ID =
  'its e-mail address belongs to a user who has an account there with another id (sub). If the person was deleted there and made again, give the account the new id.'

/** Beside the errors and not in them, so that no log has it. */
const takenAddresses = new WeakMap<Error, TakenAddress>()

/** As {@link notLinked}, because another user has the address. Whoever proves the address may learn how that user signs in. */
export function addressTaken(
  { account, user, linking }: Identity,
  userByEmail: AdapterUser | null,
  hasOtherId: boolean,
): Error {
  const error = hasOtherId ? refusedLink(account, OTHER_ID) : notLinked(account)
  if (userByEmail === null || !user.email) return error
  const isProven = linking?.isEmailVerified === true
  takenAddresses.set(error, { userId: userByEmail.id, email: user.email, isProven, hasOtherId })
  return error
}

/** What {@link addressTaken} knew; null for every other error. */
export const takenAddressOf = (error: unknown): TakenAddress | null =>
  isError(error) ? (takenAddresses.get(error) ?? null) : null

/** The signed-in user has to sign in again before an account or a passkey is added. */
export const signInAgain = ({ provider }: Pick<Account, 'provider'>) =>
  new RecentSignInRequired(
    `Something of "${provider}" was to be added to a user who signed in longer ago than session.recentAuthAge, in another browser, with one of two factors, or nobody knows when.`,
  )

/** Somebody else is signed in now than when the transaction began: the visitor has to say who goes on. */
export const sessionChanged = ({ provider }: Account) =>
  new SessionChanged(
    `Provider "${provider}": somebody has signed in or out since this began, and it is of somebody else.`,
  )
