import { loadOnce } from '../../kernel/awaitable.js'
import type { AccountsDependencies } from '../../users/dependencies.js'
import type { UserPasskeys } from '../passkeys/user-passkeys.js'
import type { UserAccounts } from './user-accounts.js'

/** The accounts of users in an adapter. Their code is loaded when it is first needed. */
export function deferredUserAccounts(dependencies: AccountsDependencies): UserAccounts {
  const load = loadOnce(async () => (await import('./user-accounts.js')).createUserAccounts(dependencies))
  return {
    waysOf: async (userId) => (await load()).waysOf(userId),
    list: async (userId) => (await load()).list(userId),
    unlink: async (userId, reference, options) => (await load()).unlink(userId, reference, options),
  }
}

/** The passkeys of users, in the same way. */
export function deferredUserPasskeys(dependencies: AccountsDependencies): UserPasskeys {
  const load = loadOnce(async () => (await import('../passkeys/user-passkeys.js')).createUserPasskeys(dependencies))
  return {
    list: async (userId) => (await load()).list(userId),
    rename: async (userId, credentialID, name) => (await load()).rename(userId, credentialID, name),
    remove: async (userId, credentialID, options) => (await load()).remove(userId, credentialID, options),
  }
}
