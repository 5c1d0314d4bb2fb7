import { type AuthClient, createClient } from './client.js'

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
  type SignOutOptions,
  type SignOutResult,
} from './client.js'
export { ClientError, type ClientErrorCode } from './client-error.js'
export { forgetPasskey, type RemovedPasskeySignal, supportsPasskeyAutofill, supportsPasskeys } from './passkeys.js'
export type { SessionEntry, SessionsClient } from './sessions.js'

/** The functions for a mount at `/auth`; {@link createClient} makes them for any other mount. */
const client: AuthClient = createClient()

// Each has its type by name: a type that the compiler writes out can lead to declarations of the server, which need Node.
export const signIn: AuthClient['signIn'] = client.signIn
export const signOut: AuthClient['signOut'] = client.signOut
export const getSession: AuthClient['getSession'] = client.getSession
export const getProviders: AuthClient['getProviders'] = client.getProviders
export const getCsrfToken: AuthClient['getCsrfToken'] = client.getCsrfToken
export const updateSession: AuthClient['updateSession'] = client.updateSession
export const signInWithPasskey: AuthClient['signInWithPasskey'] = client.signInWithPasskey
export const registerPasskey: AuthClient['registerPasskey'] = client.registerPasskey
export const getSessions: AuthClient['getSessions'] = client.getSessions
export const revokeSession: AuthClient['revokeSession'] = client.revokeSession
export const revokeOtherSessions: AuthClient['revokeOtherSessions'] = client.revokeOtherSessions
