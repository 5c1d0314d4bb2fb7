import { type AuthClient, createClient } from './index.js'

export {
  type AuthClient,
  type AuthorizationParams,
  ClientError,
  type ClientErrorCode,
  type ClientOptions,
  createClient,
  type RedirectOptions,
  type SessionEntry,
  type SignInOptions,
  type SignInResult,
} from './index.js'

/**
 * The functions of `latchkey/client` for a mount at `/api/auth`, which is where SolidStart has it by default;
 * {@link createClient} makes them for any other mount.
 */
const client: AuthClient = createClient({ basePath: '/api/auth' })

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
export const getAccounts: AuthClient['getAccounts'] = client.getAccounts
export const unlinkAccount: AuthClient['unlinkAccount'] = client.unlinkAccount
export const linkAccount: AuthClient['linkAccount'] = client.linkAccount
