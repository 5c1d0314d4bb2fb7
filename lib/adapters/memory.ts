import { AdapterError } from '../kernel/errors.js'
import { randomId } from '../kernel/random.js'
import {
  type Adapter,
  type AdapterAccount,
  type AdapterAuthenticator,
  type AdapterRecord,
  type AdapterSession,
  type AdapterTokenSession,
  type AdapterUser,
  beganAt,
  CHANGING_ACCOUNT_MEMBERS,
  type DeleteExpiredOptions,
  type ExpiredReport,
  MOST_LISTED,
  type VerificationToken,
} from './adapter.js'
import { COUNTED_AS, MARGIN_MS, PERISHABLE, startPruning } from './expired.js'
import { duplicateError, requireRow } from './failures.js'
import { copy, copyOrNull, pairKey, Table } from './memory/table.js'
import { markInMemory, markOwn, noteCreatedUser } from './methods.js'

/** The tables of a memory adapter, each with the member that finds its rows. Users may be in another store than what they own. */
const createTables = () => ({
  users: new Table<AdapterUser>('email'),
  accounts: new Table<AdapterAccount>('userId'),
  sessions: new Table<AdapterSession>('userId'),
  tokenSessions: new Table<AdapterTokenSession>('userId'),
  verificationTokens: new Table<VerificationToken>('identifier'),
  authenticators: new Table<AdapterAuthenticator>('userId'),
  records: new Table<AdapterRecord>('owner'),
})

/**
 * Keeps everything in the memory of this process, for tests and demos. A restart loses it, and no other process sees
 * it.
 *
 * Every method exists and answers without a promise. Rows are copied when they are stored and when they are read. Only
 * Latchkey and `deleteExpired` delete rows: expired sessions and links that nobody uses again stay until then.
 */
export function memoryAdapter(): Required<Adapter> {
  const tables = createTables()
  const { users, accounts, sessions, tokenSessions, verificationTokens, authenticators, records } = tables

  const requireFreeEmail = ({ email, id }: AdapterUser): void => {
    const [owner] = users.rowsWith(email)
    if (owner && owner.id !== id) throw duplicateError('Another user has this e-mail address.')
  }

  const requireFreeAccount = (key: string): void => {
    if (accounts.rows.has(key)) throw duplicateError('This account is linked already.')
  }

  const requireFreePasskey = (credentialID: string): void => {
    if (authenticators.rows.has(credentialID)) throw duplicateError('This passkey is registered already.')
  }

  const requirePasskey = (credentialID: string): AdapterAuthenticator =>
    requireRow(authenticators.rows.get(credentialID) ?? null, 'There is no passkey with this id.')

  const createUser = (given: AdapterUser): AdapterUser => {
    const user = { ...copy(given), id: given.id || randomId() }
    if (users.rows.has(user.id)) throw duplicateError('Another user has this id.')
    requireFreeEmail(user)
    return noteCreatedUser(users.put(user.id, user))
  }

  const adapter = markOwn({
    createUser,

    createUserWithAccount({ user: given, account, authenticator }) {
      // Everything that could refuse the sign-up is checked before anything is written.
      const key = pairKey(account.provider, account.providerAccountId)
      requireFreeAccount(key)
      if (authenticator) requireFreePasskey(authenticator.credentialID)
      const user = createUser(given)
      accounts.put(key, copy({ ...account, userId: user.id }))
      if (authenticator) authenticators.put(authenticator.credentialID, copy({ ...authenticator, userId: user.id }))
      return user
    },

    getUser: (id) => copyOrNull(users.rows.get(id)),

    getUserByEmail: (email) => users.rowsWith(email)[0] ?? null,

    getUserByAccount({ provider, providerAccountId }) {
      const account = accounts.rows.get(pairKey(provider, providerAccountId))
      return copyOrNull(account && users.rows.get(account.userId))
    },

    updateUser(changes) {
      const user = requireRow(users.rows.get(changes.id) ?? null, 'There is no user with this id.')
      const changed = { ...user, ...copy(changes) }
      requireFreeEmail(changed)
      return users.put(user.id, changed)
    },

    deleteUser(userId) {
      for (const table of [accounts, sessions, authenticators, records]) table.takeWith(userId)
      return users.take(userId)
    },

    linkAccount(given) {
      const key = pairKey(given.provider, given.providerAccountId)
      if (!users.rows.has(given.userId)) throw new AdapterError('There is no user with this id.')
      requireFreeAccount(key)
      return accounts.put(key, copy(given))
    },

    unlinkAccount: ({ provider, providerAccountId }) =>
      accounts.take(pairKey(provider, providerAccountId)) ?? undefined,

    getAccount: (providerAccountId, provider) => copyOrNull(accounts.rows.get(pairKey(provider, providerAccountId))),

    updateAccount({ provider, providerAccountId }, changes, expected = {}) {
      const key = pairKey(provider, providerAccountId)
      const account = accounts.rows.get(key)
      if (!account || Object.entries(expected).some(([name, value]) => (account[name] ?? null) !== value)) return false
      const given = CHANGING_ACCOUNT_MEMBERS.filter((name) => changes[name] !== undefined)
      const changed = Object.fromEntries(given.map((name) => [name, changes[name] ?? undefined]))
      accounts.put(key, copy({ ...account, ...changed }))
      return true
    },

    listAccountsByUserId: (userId) => accounts.rowsWith(userId),

    createSession(given) {
      if (sessions.rows.has(given.sessionToken)) throw duplicateError('Another session has this token.')
      return sessions.put(given.sessionToken, copy(given))
    },

    getSession: (sessionToken) => copyOrNull(sessions.rows.get(sessionToken)),

    getSessionAndUser(sessionToken) {
      const session = sessions.rows.get(sessionToken)
      const user = session && users.rows.get(session.userId)
      return user ? { session: copy(session), user: copy(user) } : null
    },

    updateSession(changes) {
      const session = sessions.rows.get(changes.sessionToken)
      if (!session) return null
      // The owner stays the same, because a deletion of this user must find the session.
      return sessions.put(changes.sessionToken, { ...session, ...copy(changes), userId: session.userId })
    },

    changeSessionToken(sessionToken, newSessionToken) {
      const session = sessions.rows.get(sessionToken)
      if (!session) return null
      if (sessions.rows.has(newSessionToken)) throw duplicateError('Another session has this token.')
      sessions.take(sessionToken)
      return sessions.put(newSessionToken, { ...session, sessionToken: newSessionToken })
    },

    deleteSession: (sessionToken) => sessions.take(sessionToken),

    deleteSessionsByUserId: (userId) => sessions.takeWith(userId),

    listSessionsByUserId: (userId) => latest(sessions.rowsWith(userId)),

    listSessionsByProvider: (at) => latest(sessions.where((session) => beganAt(session, at))),

    createTokenSession(given) {
      if (!tokenSessions.rows.has(given.id)) tokenSessions.put(given.id, copy(given))
    },

    getTokenSession: (id) => copyOrNull(tokenSessions.rows.get(id)),

    updateTokenSession(id, changes) {
      const session = tokenSessions.rows.get(id)
      if (session) tokenSessions.put(id, { ...session, ...copy(changes) })
    },

    revokeTokenSession(id, revokedAt) {
      const session = tokenSessions.rows.get(id)
      if (!session || session.revokedAt !== null) return false
      tokenSessions.put(id, { ...session, revokedAt: new Date(revokedAt) })
      return true
    },

    listTokenSessionsByUserId: (userId) => latest(tokenSessions.rowsWith(userId).filter(isOpen)),

    listTokenSessionsByProvider: (at) =>
      latest(tokenSessions.where((session) => isOpen(session) && beganAt(session, at))),

    createRecord(given) {
      const key = pairKey(given.kind, given.key)
      if (records.rows.has(key)) return false
      records.put(key, copy(given))
      return true
    },

    getRecord: (kind, key) => copyOrNull(records.rows.get(pairKey(kind, key))),

    updateRecord({ kind, key, value, expires, version }) {
      const found = records.rows.get(pairKey(kind, key))
      if (!found || found.version !== version - 1) return false
      records.put(pairKey(kind, key), copy({ ...found, value, expires, version }))
      return true
    },

    deleteRecord: (kind, key) => records.take(pairKey(kind, key)),

    listRecordsByOwner: (kind, owner) =>
      records
        .rowsWith(owner)
        .filter((record) => record.kind === kind)
        .slice(0, MOST_LISTED),

    createVerificationToken: (given) => verificationTokens.put(pairKey(given.identifier, given.token), copy(given)),

    useVerificationToken: ({ identifier, token }) => verificationTokens.take(pairKey(identifier, token)),

    getVerificationToken: ({ identifier, token }) =>
      copyOrNull(verificationTokens.rows.get(pairKey(identifier, token))),

    createAuthenticator(given) {
      requireFreePasskey(given.credentialID)
      return authenticators.put(given.credentialID, copy(given))
    },

    getAuthenticator: (credentialID) => copyOrNull(authenticators.rows.get(credentialID)),

    listAuthenticatorsByUserId: (userId) => authenticators.rowsWith(userId),

    updateAuthenticatorCounter(credentialID, newCounter) {
      const passkey = requirePasskey(credentialID)
      return authenticators.put(credentialID, { ...passkey, counter: Math.max(passkey.counter, newCounter) })
    },

    updateAuthenticator(credentialID, changes) {
      const { userId, counter, ...others } = requirePasskey(credentialID)
      return authenticators.put(credentialID, { ...others, ...copy(changes), credentialID, userId, counter })
    },

    deleteAuthenticator: (credentialID) => authenticators.take(credentialID),

    deleteExpired: (options) => deleteExpiredRows(tables, options),
  })
  return markInMemory(adapter)
}

/** The sessions that end last first, as many as the contract allows. */
const latest = <Row extends { expires: Date }>(sessions: Row[]): Row[] =>
  sessions.sort((one, other) => other.expires.getTime() - one.expires.getTime()).slice(0, MOST_LISTED)

const isOpen = ({ revokedAt }: AdapterTokenSession): boolean => revokedAt === null

/** `deleteExpired` of the memory adapter. It takes one step. */
function deleteExpiredRows(tables: ReturnType<typeof createTables>, options?: DeleteExpiredOptions): ExpiredReport {
  const pruning = startPruning(options)
  if (pruning.isStopped()) return pruning.report()
  const before = Date.now() - MARGIN_MS
  const counts = { sessions: 0, verificationTokens: 0, leftovers: 0 }
  for (const kind of PERISHABLE) {
    const table = tables[kind]
    const ends = [...table.rows].map(([key, { expires }]) => ({
      key,
      end: expires instanceof Date ? expires.getTime() : Number.NaN,
    }))
    const ended = ends.filter(({ end }) => end < before)
    // A record may have no end.
    if (kind !== 'records') pruning.addUnreadable(ends.filter(({ end }) => Number.isNaN(end)).length)
    if (!pruning.dryRun) for (const { key } of ended) table.take(key)
    counts[COUNTED_AS[kind]] += ended.length
  }
  pruning.add(counts)
  return pruning.report()
}
