import type { AdapterUser } from '../adapters/adapter.js'
import { AccessDenied, AuthError, withoutDetails } from '../kernel/errors.js'
import type { Account, Awaitable, Profile } from '../providers/provider.js'
import type { Identity } from './identity.js'

/** Who is about to become a user. */
export interface SignUpCallbackParams {
  /** As they will be stored. `emailVerified` says whether the address is proven. */
  user: Omit<AdapterUser, 'id'>
  account: Account
  /** The provider's own profile; only OAuth and OpenID Connect have one. */
  profile?: Profile
}

/** Whether somebody new may become a user: only true lets them. */
export type SignUpCallback = (params: SignUpCallbackParams) => Awaitable<boolean>

/**
 * Calls the `signUp` callback, before anything of a new user is stored.
 *
 * @param callback undefined when the application has none: then everybody may
 * @throws {AccessDenied} unless it gives true; errors of Latchkey's own classes are thrown unchanged
 */
export async function askSignUp(
  callback: SignUpCallback | undefined,
  { account, profile }: Identity,
  { id: _id, ...user }: AdapterUser,
): Promise<void> {
  if (!callback) return
  let verdict: boolean
  try {
    verdict = await callback({ user, account, ...(profile && { profile }) })
  } catch (error) {
    if (error instanceof AuthError) throw error
    const err = withoutDetails(error)
    throw new AccessDenied(err.message, { err })
  }
  if (verdict !== true) throw new AccessDenied('The signUp callback did not give true.')
}
