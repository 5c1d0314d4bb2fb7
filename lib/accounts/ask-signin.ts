import { AccessDenied, AuthError, withoutDetails } from '../errors.js'
import type { Account, Awaitable, Profile, User } from '../providers/provider.js'

/** What the `signIn` callback is given. */
export interface SignInCallbackParams {
  /** The stored user when the account is known; otherwise the user as the provider or `authorize` describes them. */
  user: User
  account?: Account | null
  /** The provider's own profile; only OAuth and OpenID Connect have one. */
  profile?: Profile
  /** Present with e-mail; `verificationRequest` is true when the link is asked for and absent when it was followed. */
  email?: { verificationRequest?: boolean }
  /** What was entered; only credentials have it. */
  credentials?: Record<string, unknown>
}

/** Whether a visitor may sign in: true, or false, or the address to send the visitor to instead. */
export type SignInCallback = (params: SignInCallbackParams) => Awaitable<boolean | string | null | undefined>

/**
 * Calls the `signIn` callback.
 *
 * @returns true, or the address to send the visitor to instead, as the callback gave it
 * @throws {AccessDenied} when the callback refuses or throws; errors of Latchkey's own classes are thrown unchanged
 */
export async function askSignIn(callback: SignInCallback, params: SignInCallbackParams): Promise<true | string> {
  let verdict: boolean | string | null | undefined
  try {
    verdict = await callback(params)
  } catch (error) {
    if (error instanceof AuthError) throw error
    const err = withoutDetails(error)
    throw new AccessDenied(err.message, { err })
  }
  if (!verdict) throw new AccessDenied('The signIn callback refused.')
  return typeof verdict === 'string' ? verdict : true
}
