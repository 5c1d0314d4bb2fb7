import { AdapterError } from '../kernel/errors.js'
import { randomId } from '../kernel/random.js'
import { type Adapter, type AdapterAccount, type AdapterAuthenticator, type AdapterUser, beganAt } from './adapter.js'
import { duplicateError } from './failures.js'
import {
  copiesOf,
  copy,
  copyOrNull,
  createRecords,
  createTables,
  createTokenSessions,
  deleteExpiredRows,
  hasExpected,
  keysOf,
  listed,
  ownedBy,
  pairKey,
  withAccountChanges,
} from './memory/tables.js'
import { markInMemory, markOwn, noteCreatedUser } from './methods.js'

/**
 * Keeps everything in the memory of this process, for tests and demos. A restart loses it, and no other process sees
 * it.
 *
 * Every method exists and answers without a promise. Rows are copied when they are stored and when they are read. Only
 * Latchkey and `deleteExpired` delete rows: expired sessions and links that nobody uses again stay until then.
 */
export function memoryAdapter(): Required<Adapter> {
  const tables = createTables()
  const { users, userIdByEmail, accounts, sessions, verificationTokens, authenticators, records, ownedKeys } = tables

  const userOf = (userId: string | undefined): AdapterUser | null => {
    const user = userId === undefined ? undefined : users.get(userId)
    return user ? copy(user) : null
  }

  const requireFreeEmail = (email: string | null | undefined, userId: string): void => {
    const owner = email ? userIdByEmail.get(email) : undefined
    if (owner !== undefined && owner !== userId) throw duplicateError('Another user has this e-mail address.')
  }

  const requireFreeAccount = (key: string): void => {
    if (accounts.has(key)) throw duplicateError('This account is linked already.')
  }

  const requireFreePasskey = (credentialID: string): void => {
    if (authenticators.has(credentialID)) throw duplicateError('This passkey is registered already.')
  }

  const createUser = (given: AdapterUser): AdapterUser => {
    const user = { ...copy(given), id: given.id || randomId() }
    if (users.has(user.id)) throw duplicateError('Another user has this id.')
    requireFreeEmail(user.email, user.id)
    users.set(user.id, user)
    if (user.email) userIdByEmail.set(user.email, user.id)
    return noteCreatedUser(copy(user))
  }

  const linkAccount = (given: AdapterAccount): AdapterAccount => {
    const key = pairKey(given.provider, given.providerAccountId)
    if (!users.has(given.userId)) throw new AdapterError('There is no user with this id.')
    requireFreeAccount(key)
    ownedBy(tables, given.userId).accounts.add(key)
    accounts.set(key, copy(given))
    return copy(given)
  }

  const createAuthenticator = (given: AdapterAuthenticator): AdapterAuthenticator => {
    requireFreePasskey(given.credentialID)
    ownedBy(tables, given.userId).authenticators.add(given.credentialID)
    authenticators.set(given.credentialID, copy(given))
    return copy(given)
  }

  const adapter = markOwn({
    createUser,

    createUserWithAccount({ user: given, account, authenticator }) {
      // Everything that could refuse the sign-up is checked before anything is written.
      requireFreeAccount(pairKey(account.provider, account.providerAccountId))
      if (authenticator) requireFreePasskey(authenticator.credentialID)
      const user = createUser(given)
      linkAccount({ ...account, userId: user.id })
      if (authenticator) createAuthenticator({ ...authenticator, userId: user.id })
      return user
    },

    getUser: userOf,

    getUserByEmail: (email) => userOf(userIdByEmail.get(email)),

    getUserByAccount: ({ provider, providerAccountId }) =>
      userOf(accounts.get(pairKey(provider, providerAccountId))?.userId),

    updateUser(changes) {
      const user = users.get(changes.id)
      if (!user) throw new AdapterError('There is no user with this id.')
      const changed = { ...user, ...copy(changes) }
      requireFreeEmail(changed.email, user.id)
      if (user.email) userIdByEmail.delete(user.email)
      if (changed.email) userIdByEmail.set(changed.email, user.id)
      users.set(user.id, changed)
      return copy(changed)
    },

    deleteUser(userId) {
      const owned = ownedKeys.get(userId)
      for (const key of owned?.accounts ?? []) accounts.delete(key)
      for (const token of owned?.sessions ?? []) sessions.delete(token)
      for (const id of owned?.authenticators ?? []) authenticators.delete(id)
      for (const key of keysOf(records, ({ owner }) => owner === userId)) records.delete(key)
      ownedKeys.delete(userId)
      const user = users.get(userId)
      users.delete(userId)
      if (user?.email) userIdByEmail.delete(user.email)
      return user ?? null
    },

    linkAccount,

    unlinkAccount({ provider, providerAccountId }) {
      const key = pairKey(provider, providerAccountId)
      const account = accounts.get(key)
      if (!account) return undefined
      accounts.delete(key)
      ownedBy(tables, account.userId).accounts.delete(key)
      return account
    },

    getAccount: (providerAccountId, provider) => copyOrNull(accounts.get(pairKey(provider, providerAccountId))),

    updateAccount({ provider, providerAccountId }, changes, expected = {}) {
      const key = pairKey(provider, providerAccountId)
      const account = accounts.get(key)
      if (!account || !hasExpected(account, expected)) return false
      accounts.set(key, withAccountChanges(account, changes))
      return true
    },

    listAccountsByUserId: (userId) => copiesOf(ownedKeys.get(userId)?.accounts, accounts),

    createSession(given) {
      if (sessions.has(given.sessionToken)) throw duplicateError('Another session has this token.')
      ownedBy(tables, given.userId).sessions.add(given.sessionToken)
      sessions.set(given.sessionToken, copy(given))
      return copy(given)
    },

    getSession: (sessionToken) => copyOrNull(sessions.get(sessionToken)),

    getSessionAndUser(sessionToken) {
      const session = sessions.get(sessionToken)
      const user = userOf(session?.userId)
      return session && user ? { session: copy(session), user } : null
    },

    updateSession(changes) {
      const session = sessions.get(changes.sessionToken)
      if (!session) return null
      // The owner stays the same, because a deletion of this user must find the session.
      const changed = { ...session, ...copy(changes), userId: session.userId }
      sessions.set(changes.sessionToken, changed)
      return copy(changed)
    },

    changeSessionToken(sessionToken, newSessionToken) {
      const session = sessions.get(sessionToken)
      if (!session) return null
      if (sessions.has(newSessionToken)) throw duplicateError('Another session has this token.')
      const changed = { ...session, sessionToken: newSessionToken }
      const owned = ownedBy(tables, session.userId).sessions
      sessions.delete(sessionToken)
      owned.delete(sessionToken)
      sessions.set(newSessionToken, changed)
      owned.add(newSessionToken)
      return copy(changed)
    },

    deleteSession(sessionToken) {
      const session = sessions.get(sessionToken)
      if (!session) return null
      sessions.delete(sessionToken)
      ownedBy(tables, session.userId).sessions.delete(sessionToken)
      return session
    },

    deleteSessionsByUserId(userId) {
      const owned = ownedKeys.get(userId)
      for (const token of owned?.sessions ?? []) sessions.delete(token)
      owned?.sessions.clear()
    },

    listSessionsByUserId: (userId) => listed(ownedKeys.get(userId)?.sessions, sessions),

    listSessionsByProvider: (at) =>
      listed(
        keysOf(sessions, (session) => beganAt(session, at)),
        sessions,
      ),

    ...createTokenSessions(tables),
    ...createRecords(tables),

    createVerificationToken(given) {
      verificationTokens.set(pairKey(given.identifier, given.token), copy(given))
      return copy(given)
    },

    useVerificationToken({ identifier, token }) {
      const key = pairKey(identifier, token)
      const found = verificationTokens.get(key)
      verificationTokens.delete(key)
      return found ?? null
    },

    getVerificationToken: ({ identifier, token }) => copyOrNull(verificationTokens.get(pairKey(identifier, token))),

    createAuthenticator,

    getAuthenticator: (credentialID) => copyOrNull(authenticators.get(credentialID)),

    listAuthenticatorsByUserId: (userId) => copiesOf(ownedKeys.get(userId)?.authenticators, authenticators),

    updateAuthenticatorCounter(credentialID, newCounter) {
      const authenticator = authenticators.get(credentialID)
      if (!authenticator) throw new AdapterError('There is no passkey with this id.')
      authenticator.counter = Math.max(authenticator.counter, newCounter)
      return copy(authenticator)
    },

    updateAuthenticator(credentialID, changes) {
      const authenticator = authenticators.get(credentialID)
      if (!authenticator) throw new AdapterError('There is no passkey with this id.')
      const { userId, counter } = authenticator
      const changed = { ...authenticator, ...copy(changes), credentialID, userId, counter }
      authenticators.set(credentialID, changed)
      return copy(changed)
    },

    deleteAuthenticator(credentialID) {
      const authenticator = authenticators.get(credentialID)
      if (!authenticator) return null
      authenticators.delete(credentialID)
      ownedBy(tables, authenticator.userId).authenticators.delete(credentialID)
      return authenticator
    },

    deleteExpired: (options) => deleteExpiredRows(tables, options),
  })
  return markInMemory(adapter)
}
