import { AccessDenied, AuthError, withoutDetails } from '../errors.js'
import type { Account, Awaitable, Profile, User } from '../providers/provider.js'

/** What the `signIn` callback is given. */
export interface SignInCallbackParams {
  /** The user as the provider or `authorize` describes them, or as stored when the account is known. */
  user: User
  account?: Account | null
  /** The provider's own profile; only OAuth and OpenID Connect have one. */
  profile?: Profile
  /** Present with e-mail; `verificationRequest` is true when the link is asked for and absent when it was followed. */
  email?: { verificationRequest?: boolean }
  /** What was entered; only credentials have it. */
  credentials?: Record<string, unknown>
}

/** Whether somebody may sign in: true, or false, or where to send them instead. */
export type SignInCallback = (params: SignInCallbackParams) => Awaitable<boolean | string | null | undefined>

/**
 * Asks the `signIn` callback.
 *
 * @returns true, or the address that it sends the visitor to instead, as it gave it
 * @throws {AccessDenied} when it refuses or throws; what it throws of Latchkey's own kinds passes as it is
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
