import type { AdapterUser } from '../adapters/adapter.js'
import { AuthError, EmailNotConfirmed, withoutDetails } from '../kernel/errors.js'
import type { Awaitable } from '../providers/provider.js'

/**
 * A kind of access to a user that Latchkey cannot revoke: the adapter has no method for it, or it belongs to the application.
 * `accounts`, `passkeys` and `password` sign the user in; `sessions` keep the user signed in.
 */
export type RemainingWay = 'accounts' | 'passkeys' | 'sessions' | 'password'

/** What the `confirmEmail` callback is given. */
export interface ConfirmEmailParams {
  /** The stored user with the address, which nobody has confirmed before. */
  user: AdapterUser
  /** The kinds of access that Latchkey cannot revoke; empty if there are none. */
  remaining: readonly RemainingWay[]
}

/**
 * Called before a visitor who is not signed in as a user confirms that user's address. The callback revokes what remains, and
 * returns true. With any other value the address is not confirmed, and nobody is signed in. Where something remains, the callback
 * is called again after the address is stored as confirmed, since access that was added in between must be revoked too.
 */
export type ConfirmEmailCallback = (params: ConfirmEmailParams) => Awaitable<boolean>

/** How each kind of access can be revoked, for the message of the error. */
const REMEDIES: Readonly<Record<RemainingWay, string>> = {
  accounts: 'accounts, which take the methods listAccountsByUserId() and unlinkAccount() of the adapter',
  passkeys: 'passkeys, which take deleteAuthenticator() or unlinkAccount()',
  sessions: 'sessions, which take deleteSessionsByUserId(), or getUser() where they are tokens',
  password: 'passwords, which are the application’s',
}

/**
 * Calls the `confirmEmail` callback.
 *
 * @param callback null when the application has none; then only a user with nothing remaining may be confirmed
 * @throws {EmailNotConfirmed} unless nothing remains, or the callback returns true; errors of Latchkey's own classes that the
 * callback throws are thrown unchanged
 */
export async function askToConfirm(
  callback: ConfirmEmailCallback | null,
  { user, remaining }: ConfirmEmailParams,
): Promise<void> {
  if (!callback) {
    if (remaining.length === 0) return
    throw new EmailNotConfirmed(
      `A mailed link would have confirmed an address that its user has never confirmed. Latchkey cannot revoke what this user signs in with: ${remaining.map((way) => REMEDIES[way]).join('; ')}. Set callbacks.confirmEmail, which revokes it, or use an adapter with these methods.`,
    )
  }
  let verdict: boolean
  try {
    verdict = await callback({ user, remaining })
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new EmailNotConfirmed('The confirmEmail callback threw.', { err: withoutDetails(error) })
  }
  if (verdict !== true) throw new EmailNotConfirmed('The confirmEmail callback did not give true.')
}
