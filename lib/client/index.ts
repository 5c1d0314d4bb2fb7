import { createClient } from './client.js'

export {
  type AuthClient,
  type AuthorizationParams,
  type ClientOptions,
  createClient,
  type PasskeyOptions,
  type RedirectOptions,
  type SignInOptions,
  type SignInResult,
  type SignInWithPasskeyOptions,
  type SignOutResult,
} from './client.js'
export { ClientError, type ClientErrorCode } from './client-error.js'
export { forgetPasskey, type RemovedPasskeySignal, supportsPasskeyAutofill, supportsPasskeys } from './passkeys.js'

/** The functions for a mount at `/auth`; {@link createClient} makes them for any other mount. */
export const {
  signIn,
  signOut,
  getSession,
  getProviders,
  getCsrfToken,
  updateSession,
  signInWithPasskey,
  registerPasskey,
} = createClient()
