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
/** {@link AuthClient.signIn}, for a mount at `/api/auth`. */
export const signIn: AuthClient['signIn'] = client.signIn
/** {@link AuthClient.signOut}, for a mount at `/api/auth`. */
export const signOut: AuthClient['signOut'] = client.signOut
/** {@link AuthClient.getSession}, for a mount at `/api/auth`. */
export const getSession: AuthClient['getSession'] = client.getSession
/** {@link AuthClient.getProviders}, for a mount at `/api/auth`. */
export const getProviders: AuthClient['getProviders'] = client.getProviders
/** {@link AuthClient.getCsrfToken}, for a mount at `/api/auth`. */
export const getCsrfToken: AuthClient['getCsrfToken'] = client.getCsrfToken
/** {@link AuthClient.updateSession}, for a mount at `/api/auth`. */
export const updateSession: AuthClient['updateSession'] = client.updateSession
/** {@link AuthClient.signInWithPasskey}, for a mount at `/api/auth`. */
export const signInWithPasskey: AuthClient['signInWithPasskey'] = client.signInWithPasskey
/** {@link AuthClient.registerPasskey}, for a mount at `/api/auth`. */
export const registerPasskey: AuthClient['registerPasskey'] = client.registerPasskey
/** {@link AuthClient.mailPasswordLink}, for a mount at `/api/auth`. */
export const mailPasswordLink: AuthClient['mailPasswordLink'] = client.mailPasswordLink
/** {@link AuthClient.choosePassword}, for a mount at `/api/auth`. */
export const choosePassword: AuthClient['choosePassword'] = client.choosePassword
/** {@link AuthClient.changePassword}, for a mount at `/api/auth`. */
export const changePassword: AuthClient['changePassword'] = client.changePassword
/** {@link AuthClient.removePassword}, for a mount at `/api/auth`. */
export const removePassword: AuthClient['removePassword'] = client.removePassword
/** {@link AuthClient.mailAddressLink}, for a mount at `/api/auth`. */
export const mailAddressLink: AuthClient['mailAddressLink'] = client.mailAddressLink
/** {@link AuthClient.getSessions}, for a mount at `/api/auth`. */
export const getSessions: AuthClient['getSessions'] = client.getSessions
/** {@link AuthClient.revokeSession}, for a mount at `/api/auth`. */
export const revokeSession: AuthClient['revokeSession'] = client.revokeSession
/** {@link AuthClient.revokeOtherSessions}, for a mount at `/api/auth`. */
export const revokeOtherSessions: AuthClient['revokeOtherSessions'] = client.revokeOtherSessions
/** {@link AuthClient.getAccounts}, for a mount at `/api/auth`. */
export const getAccounts: AuthClient['getAccounts'] = client.getAccounts
/** {@link AuthClient.unlinkAccount}, for a mount at `/api/auth`. */
export const unlinkAccount: AuthClient['unlinkAccount'] = client.unlinkAccount
/** {@link AuthClient.linkAccount}, for a mount at `/api/auth`. */
export const linkAccount: AuthClient['linkAccount'] = client.linkAccount
/** {@link AuthClient.getPasskeys}, for a mount at `/api/auth`. */
export const getPasskeys: AuthClient['getPasskeys'] = client.getPasskeys
/** {@link AuthClient.renamePasskey}, for a mount at `/api/auth`. */
export const renamePasskey: AuthClient['renamePasskey'] = client.renamePasskey
/** {@link AuthClient.removePasskey}, for a mount at `/api/auth`. */
export const removePasskey: AuthClient['removePasskey'] = client.removePasskey
