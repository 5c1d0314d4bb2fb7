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
  createSession: true,
  getSessionAndUser: true,
  getSession: true,
  updateSession: true,
  changeSessionToken: true,
  deleteSession: true,
  deleteSessionsByUserId: true,
  createVerificationToken: true,
  useVerificationToken: true,
  createAuthenticator: true,
  getAuthenticator: true,
  listAuthenticatorsByUserId: true,
  updateAuthenticatorCounter: true,
  updateAuthenticator: true,
  deleteAuthenticator: true,
  listAccountsByUserId: true,
  deleteExpired: true,
}

/** The names of all methods of the contract. */
export const ADAPTER_METHODS = Object.keys(METHODS) as readonly (keyof Adapter)[]
