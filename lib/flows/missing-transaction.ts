import { type AuthError, SessionChanged } from '../errors.js'
import type { FlowRequest } from './flow.js'

/**
 * The error for an answer whose transaction the browser does not have. Signing in ends all transactions of the browser,
 * so when somebody is signed in, the error says that.
 *
 * @param error the error when nobody is signed in
 * @returns {@link SessionChanged} when somebody is signed in, else the error that was given
 */
export async function missingTransaction(
  request: Pick<FlowRequest, 'readPrincipal'>,
  error: AuthError,
): Promise<AuthError> {
  // A session that cannot be read is another fault, and not the reason of this one.
  const principal = await request.readPrincipal().catch(() => null)
  return principal ? new SessionChanged(error.message, { err: error }) : error
}
