import { createClient } from './index.js'

export {
  type AuthClient,
  type AuthorizationParams,
  ClientError,
  type ClientErrorCode,
  type ClientOptions,
  createClient,
  type RedirectOptions,
  type SignInOptions,
  type SignInResult,
} from './index.js'

/**
 * The functions of `latchkey/client` for a mount at `/api/auth`, which is where SolidStart has it by default;
 * {@link createClient} makes them for any other mount.
 */
export const {
  signIn,
  signOut,
  getSession,
  getProviders,
  getCsrfToken,
  updateSession,
  signInWithPasskey,
  registerPasskey,
} = createClient({ basePath: '/api/auth' })
