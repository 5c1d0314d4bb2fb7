import type { Adapter } from './adapter.js'

const METHODS: Readonly<Record<keyof Adapter, true>> = {
  createUser: true,
  createUserWithAccount: true,
  getUser: true,
  getUserByEmail: true,
  getUserByAccount: true,
  updateUser: true,
  deleteUser: true,
  linkAccount: true,
  unlinkAccount: true,
  getAccount: true,
  updateAccount: true,
  createSession: true,
  getSessionAndUser: true,
  getSession: true,
  updateSession: true,
  changeSessionToken: true,
  deleteSession: true,
  deleteSessionsByUserId: true,
  listSessionsByUserId: true,
  listSessionsByProvider: true,
  createTokenSession: true,
  getTokenSession: true,
  updateTokenSession: true,
  revokeTokenSession: true,
  listTokenSessionsByUserId: true,
  listTokenSessionsByProvider: true,
  createVerificationToken: true,
  useVerificationToken: true,
  getVerificationToken: true,
  createAuthenticator: true,
  getAuthenticator: true,
  listAuthenticatorsByUserId: true,
  updateAuthenticatorCounter: true,
  updateAuthenticator: true,
  deleteAuthenticator: true,
  listAccountsByUserId: true,
  deleteExpired: true,
}

/** The methods that revocable token sessions need. */
export const REVOCATION_METHODS = [
  'createTokenSession',
  'getTokenSession',
  'updateTokenSession',
  'revokeTokenSession',
  'listTokenSessionsByUserId',
] as const satisfies readonly (keyof Adapter)[]

/** All methods of token sessions. */
export const TOKEN_SESSION_METHODS = [...REVOCATION_METHODS, 'listTokenSessionsByProvider'] as const

/** The names of all methods of the contract. */
export const ADAPTER_METHODS = Object.keys(METHODS) as readonly (keyof Adapter)[]
