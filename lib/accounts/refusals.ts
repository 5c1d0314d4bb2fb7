import { AccountNotLinked, OAuthAccountNotLinked, RecentSignInRequired } from '../errors.js'
import type { Account } from '../providers/provider.js'

/** The visitor cannot be signed in with this account: the account, or its address, belongs to another user. */
export const notLinked = ({ type, provider }: Account) => {
  const message = `The account at "${provider}" cannot be linked: it, or its e-mail address, belongs to another user.`
  return type === 'webauthn' ? new AccountNotLinked(message) : new OAuthAccountNotLinked(message)
}

/** The signed-in user has to sign in again before an account or a passkey is added. */
export const signInAgain = ({ provider }: Account) =>
  new RecentSignInRequired(
    `Something of "${provider}" was to be added to a user who signed in longer ago than session.recentAuthAge, or nobody knows when.`,
  )
