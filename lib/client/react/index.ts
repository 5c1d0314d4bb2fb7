'use client'

import { type AuthClient, createClient } from '../client.js'
import { mountedClient } from './session-provider.js'

export type {
  AuthClient,
  AuthorizationParams,
  ChoosePasswordOptions,
  PasskeyOptions,
  RedirectOptions,
  SignInOptions,
  SignInResult,
  SignInWithPasskeyOptions,
  SignOutOptions,
  SignOutResult,
} from '../client.js'
export { ClientError, type ClientErrorCode } from '../errors.js'
export type { AccountEntry, LinkAccountOptions, LinkAccountResult, PasskeyEntry, SessionEntry } from '../visitor.js'
export {
  type SessionContextValue,
  SessionProvider,
  type SessionProviderProps,
  type UpdateSession,
  type UseSessionOptions,
  useAuthClient,
  useSession,
} from './session-provider.js'
export type { RefetchOptions } from './session-sync.js'

const withoutProvider = createClient()

/** The functions for the mount of the provider in this page. Without one, they are those of `latchkey/client`. */
const client = () => mountedClient() ?? withoutProvider

/** @see AuthClient.signIn */
export const signIn: AuthClient['signIn'] = (...args) => client().signIn(...args)
/** @see AuthClient.signOut */
export const signOut: AuthClient['signOut'] = (...args) => client().signOut(...args)
/** Asks the server for the session, which {@link useSession} then gives, too. */
export const getSession: AuthClient['getSession'] = (...args) => client().getSession(...args)
/** @see AuthClient.getProviders */
export const getProviders: AuthClient['getProviders'] = () => client().getProviders()
/** @see AuthClient.getCsrfToken */
export const getCsrfToken: AuthClient['getCsrfToken'] = () => client().getCsrfToken()
/** @see AuthClient.updateSession */
export const updateSession: AuthClient['updateSession'] = (...args) => client().updateSession(...args)
/** @see AuthClient.signInWithPasskey */
export const signInWithPasskey: AuthClient['signInWithPasskey'] = (...args) => client().signInWithPasskey(...args)
/** @see AuthClient.registerPasskey */
export const registerPasskey: AuthClient['registerPasskey'] = (...args) => client().registerPasskey(...args)
/** @see AuthClient.mailPasswordLink */
export const mailPasswordLink: AuthClient['mailPasswordLink'] = (...args) => client().mailPasswordLink(...args)
/** @see AuthClient.choosePassword */
export const choosePassword: AuthClient['choosePassword'] = (...args) => client().choosePassword(...args)
/** @see AuthClient.changePassword */
export const changePassword: AuthClient['changePassword'] = (...args) => client().changePassword(...args)
/** @see AuthClient.removePassword */
export const removePassword: AuthClient['removePassword'] = () => client().removePassword()
/** @see AuthClient.mailAddressLink */
export const mailAddressLink: AuthClient['mailAddressLink'] = (...args) => client().mailAddressLink(...args)
/** @see AuthClient.getSessions */
export const getSessions: AuthClient['getSessions'] = (...args) => client().getSessions(...args)
/** @see AuthClient.revokeSession */
export const revokeSession: AuthClient['revokeSession'] = (...args) => client().revokeSession(...args)
/** @see AuthClient.revokeOtherSessions */
export const revokeOtherSessions: AuthClient['revokeOtherSessions'] = () => client().revokeOtherSessions()
/** @see AuthClient.getAccounts */
export const getAccounts: AuthClient['getAccounts'] = (...args) => client().getAccounts(...args)
/** @see AuthClient.unlinkAccount */
export const unlinkAccount: AuthClient['unlinkAccount'] = (...args) => client().unlinkAccount(...args)
/** @see AuthClient.linkAccount */
export const linkAccount: AuthClient['linkAccount'] = (...args) => client().linkAccount(...args)
/** @see AuthClient.getPasskeys */
export const getPasskeys: AuthClient['getPasskeys'] = (...args) => client().getPasskeys(...args)
/** @see AuthClient.renamePasskey */
export const renamePasskey: AuthClient['renamePasskey'] = (...args) => client().renamePasskey(...args)
/** @see AuthClient.removePasskey */
export const removePasskey: AuthClient['removePasskey'] = (...args) => client().removePasskey(...args)
