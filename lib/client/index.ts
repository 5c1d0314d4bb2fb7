import { type AuthClient, createClient } from './client.js'

export {
  type AuthClient,
  type AuthorizationParams,
  type ChoosePasswordOptions,
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
export { ClientError, type ClientErrorCode } from './errors.js'
export { forgetPasskey, type RemovedPasskeySignal, supportsPasskeyAutofill, supportsPasskeys } from './passkeys.js'
export type {
  AccountEntry,
  AccountsClient,
  LinkAccountOptions,
  LinkAccountResult,
  PasskeyEntry,
  PasskeysClient,
  SessionEntry,
  SessionsClient,
} from './visitor.js'

/** The functions for a mount at `/auth`; {@link createClient} makes them for any other mount. */
const client: AuthClient = createClient()

// Each has its type by name: a type that the compiler writes out can lead to declarations of the server, which need Node.
/** {@link AuthClient.signIn}, for a mount at `/auth`. */
export const signIn: AuthClient['signIn'] = client.signIn
/** {@link AuthClient.signOut}, for a mount at `/auth`. */
export const signOut: AuthClient['signOut'] = client.signOut
/** {@link AuthClient.getSession}, for a mount at `/auth`. */
export const getSession: AuthClient['getSession'] = client.getSession
/** {@link AuthClient.getProviders}, for a mount at `/auth`. */
export const getProviders: AuthClient['getProviders'] = client.getProviders
/** {@link AuthClient.getCsrfToken}, for a mount at `/auth`. */
export const getCsrfToken: AuthClient['getCsrfToken'] = client.getCsrfToken
/** {@link AuthClient.updateSession}, for a mount at `/auth`. */
export const updateSession: AuthClient['updateSession'] = client.updateSession
/** {@link AuthClient.signInWithPasskey}, for a mount at `/auth`. */
export const signInWithPasskey: AuthClient['signInWithPasskey'] = client.signInWithPasskey
/** {@link AuthClient.registerPasskey}, for a mount at `/auth`. */
export const registerPasskey: AuthClient['registerPasskey'] = client.registerPasskey
/** {@link AuthClient.mailPasswordLink}, for a mount at `/auth`. */
export const mailPasswordLink: AuthClient['mailPasswordLink'] = client.mailPasswordLink
/** {@link AuthClient.choosePassword}, for a mount at `/auth`. */
export const choosePassword: AuthClient['choosePassword'] = client.choosePassword
/** {@link AuthClient.changePassword}, for a mount at `/auth`. */
export const changePassword: AuthClient['changePassword'] = client.changePassword
/** {@link AuthClient.removePassword}, for a mount at `/auth`. */
export const removePassword: AuthClient['removePassword'] = client.removePassword
/** {@link AuthClient.mailAddressLink}, for a mount at `/auth`. */
export const mailAddressLink: AuthClient['mailAddressLink'] = client.mailAddressLink
/** {@link AuthClient.getSessions}, for a mount at `/auth`. */
export const getSessions: AuthClient['getSessions'] = client.getSessions
/** {@link AuthClient.revokeSession}, for a mount at `/auth`. */
export const revokeSession: AuthClient['revokeSession'] = client.revokeSession
/** {@link AuthClient.revokeOtherSessions}, for a mount at `/auth`. */
export const revokeOtherSessions: AuthClient['revokeOtherSessions'] = client.revokeOtherSessions
/** {@link AuthClient.getAccounts}, for a mount at `/auth`. */
export const getAccounts: AuthClient['getAccounts'] = client.getAccounts
/** {@link AuthClient.unlinkAccount}, for a mount at `/auth`. */
export const unlinkAccount: AuthClient['unlinkAccount'] = client.unlinkAccount
/** {@link AuthClient.linkAccount}, for a mount at `/auth`. */
export const linkAccount: AuthClient['linkAccount'] = client.linkAccount
/** {@link AuthClient.getPasskeys}, for a mount at `/auth`. */
export const getPasskeys: AuthClient['getPasskeys'] = client.getPasskeys
/** {@link AuthClient.renamePasskey}, for a mount at `/auth`. */
export const renamePasskey: AuthClient['renamePasskey'] = client.renamePasskey
/** {@link AuthClient.removePasskey}, for a mount at `/auth`. */
export const removePasskey: AuthClient['removePasskey'] = client.removePasskey
