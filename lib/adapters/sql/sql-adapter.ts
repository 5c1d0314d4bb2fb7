import { randomUUID } from 'node:crypto'
import { AdapterError } from '../../errors.js'
import { membersOf } from '../../shapes/members-of.js'
import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from '../adapter.js'
import { noteCreatedUser } from '../created-users.js'
import { type LookUpName, type LookUpOptions, markOwn } from '../own-methods.js'
import { changeAccount } from './account-changes.js'
import { checkOptions } from './arguments.js'
import { type Connector, createConnector } from './connect.js'
import { BATCH_MS, deleteExpiredRows } from './expired.js'
import { attempt } from './faults.js'
import { listProviderSessionsIn, listSessionsIn } from './listed-sessions.js'
import type { SqlNames } from './models.js'
import { statementMs } from './own-pool.js'
import type { SqlDatabase } from './sql-database.js'
import { createStore, type Store } from './store.js'
import type { Row } from './table.js'
import { tokenSessionMethods } from './token-sessions.js'

type Method<Name extends keyof Adapter, Further extends unknown[] = []> = (
  ...args: [...Parameters<NonNullable<Adapter[Name]>>, ...Further]
) => Promise<Awaited<ReturnType<NonNullable<Adapter[Name]>>>>

type Methods = { readonly [Name in keyof Adapter]-?: Method<Name> }

/** The methods before their errors are converted. Look-ups of sessions take options. */
type OwnMethods = Omit<Methods, LookUpName | 'deleteExpired'> & {
  readonly [Name in LookUpName]: Method<Name, [options?: LookUpOptions]>
}

/** Every method of the contract, and `close`. */
export interface SqlAdapter extends Methods {
  /** Closes the database if the adapter opened it. A connection of the application stays open. */
  close(): Promise<void>
}

/** Names of the tables and columns, and how long the adapter waits. */
export interface SqlAdapterOptions extends SqlNames {
  /**
   * Seconds that a statement or a transaction may take, with the wait for its connection: 4 by default, `Infinity` for
   * ever. A statement that takes longer is cancelled at the server, and fails. Its connection is closed and not used
   * again. The option should be a second less than `storeTimeout` of the configuration, so that nothing is stored after
   * its caller has given up. A batch of `deleteExpired` may take five minutes, on its own connection.
   */
  readonly queryTimeout?: number
}

/** Less than `storeTimeout`, so that the adapter ends a slow call before its caller gives up. */
const QUERY_TIMEOUT = 4

/**
 * Keeps users, accounts, sessions, verification tokens and passkeys in PostgreSQL, MySQL, MariaDB or SQLite.
 *
 * Tables and columns are those of Auth.js's SQL adapters unless `names` says otherwise; further columns are read and
 * written as members of their rows, and members without a column are dropped. Nothing is opened before the first call.
 * Every method fails with an {@link AdapterError} that contains no values of rows; `cause.duplicate` is true when a row
 * with the same key exists already.
 *
 * @throws {AdapterError} when `database` is not a database of a known kind, or an option is unusable
 */
export function sqlAdapter(database: SqlDatabase, options: SqlAdapterOptions = {}): SqlAdapter {
  checkOptions(options)
  const { queryTimeout = QUERY_TIMEOUT, ...names } = options
  const queryMs = queryTimeout * 1000
  const connector = createConnector(database, queryMs)
  // A database in memory exists in one connection only, and SQLite has no limits, so `deleteExpired` uses the same
  // connection.
  if (queryMs >= BATCH_MS || 'sqlite' in database) return adapterOver(connector, names, queryMs)
  return adapterOver(connector, names, queryMs, async (action) => {
    const patient = createConnector(database, BATCH_MS)
    const closed = () => patient.close().catch(() => {})
    const result = await action(patient).catch((error: unknown) => {
      // Nobody waits for the end of a connection that may be dead.
      void closed()
      throw error
    })
    await closed()
    return result
  })
}

/** Runs an action with a connector whose time limits are long. */
type Patiently = <Result>(action: (connector: Connector) => Promise<Result>) => Promise<Result>

/** The adapter over a connector: {@link sqlAdapter} without the choice of engine. */
export function adapterOver(
  connector: Connector,
  names: SqlNames,
  queryMs = Number.POSITIVE_INFINITY,
  patiently: Patiently = (action) => action(connector),
): SqlAdapter {
  const store = createStore(() => connector.connect(), names, queryMs)
  const batchMs = Math.max(queryMs, BATCH_MS)
  const methods: Methods = {
    ...methodsOf(store),
    deleteExpired: (options) =>
      patiently((lasting) =>
        deleteExpiredRows(
          createStore(() => lasting.connect(), names, batchMs),
          names,
          options,
          statementMs(batchMs),
        ),
      ),
  }
  const guarded = Object.entries(methods).map(([name, method]) => {
    const call = method as (...args: unknown[]) => Promise<unknown>
    return [name, (...args: unknown[]) => attempt(name, args, () => call(...args))]
  })
  const all = markOwn(Object.fromEntries(guarded) as Methods)
  return { ...all, close: () => connector.close() }
}

function methodsOf(store: Store): OwnMethods {
  return {
    async createUser(user) {
      return noteCreatedUser(asUser(await store.insert('users', newUser(user))))
    },
    async createUserWithAccount({ user, account, authenticator }) {
      const passkeys = authenticator ? [['authenticators', { ...authenticator }] as const] : []
      return asUser(await store.insertUser(newUser(user), [['accounts', { ...account }], ...passkeys]))
    },
    async getUser(id) {
      return asUser(await store.find('users', { id }))
    },
    async getUserByEmail(email) {
      return asUser(await store.find('users', { email }))
    },
    async getUserByAccount({ provider, providerAccountId }) {
      const found = await store.findWithUser('accounts', { provider, providerAccountId })
      // Columns may ignore case, and the caller believes that this is the user of exactly this account.
      const { row, user } = found ?? { row: {}, user: {} }
      const asked = { provider, providerAccountId, userId: user['id'] }
      return asUser(found && hasMembers(row, asked) ? user : null)
    },
    async updateUser({ id, ...changes }) {
      const emptied = changes.email === '' ? { ...changes, email: null } : changes
      return asUser(required(await store.update('users', { id }, emptied), 'user'))
    },
    async deleteUser(id) {
      return asUser(await store.takeUser(id))
    },

    async linkAccount(account) {
      return asAccount(await store.insert('accounts', { ...membersOf(account) }))
    },
    async unlinkAccount({ provider, providerAccountId }) {
      return asAccount(await store.take('accounts', { provider, providerAccountId })) ?? undefined
    },
    async getAccount(providerAccountId, provider) {
      return asAccount(await store.find('accounts', { provider, providerAccountId }))
    },

    async listAccountsByUserId(userId) {
      return (await store.list('accounts', { userId })).map((row) => asAccount(row))
    },

    async createSession(session) {
      return asSession(await store.insert('sessions', { ...session }))
    },
    async getSession(sessionToken, options) {
      return asSession(await store.find('sessions', { sessionToken }, options))
    },
    async getSessionAndUser(sessionToken, options) {
      const found = await store.findWithUser('sessions', { sessionToken }, options)
      return found && { session: asSession(found.row), user: asUser(found.user) }
    },
    async updateSession({ sessionToken, ...changes }) {
      return asSession(await store.update('sessions', { sessionToken }, changes))
    },
    async changeSessionToken(sessionToken, newSessionToken) {
      return asSession(await store.update('sessions', { sessionToken }, { sessionToken: newSessionToken }))
    },
    async deleteSession(sessionToken) {
      return asSession(await store.take('sessions', { sessionToken }))
    },
    async deleteSessionsByUserId(userId) {
      await store.remove('sessions', { userId })
    },
    async listSessionsByUserId(userId) {
      return (await listSessionsIn(store, 'sessions', { userId })).map((row) => asSession(row))
    },
    async listSessionsByProvider(at) {
      return (await listProviderSessionsIn(store, 'sessions', at)).map((row) => asSession(row))
    },
    ...tokenSessionMethods(store),

    updateAccount: (account, changes, expected) => changeAccount(store, account, changes, expected),
    async createVerificationToken(token) {
      return asToken(await store.insert('verificationTokens', { ...token }))
    },
    async useVerificationToken({ identifier, token }) {
      return asToken(await store.take('verificationTokens', { identifier, token }))
    },

    async getVerificationToken({ identifier, token }) {
      return asToken(await store.find('verificationTokens', { identifier, token }))
    },

    async createAuthenticator(authenticator) {
      return asAuthenticator(await store.insert('authenticators', { ...authenticator }))
    },
    async getAuthenticator(credentialID) {
      return asAuthenticator(await store.find('authenticators', { credentialID }))
    },
    async listAuthenticatorsByUserId(userId) {
      return (await store.list('authenticators', { userId })).map((row) => asAuthenticator(row))
    },
    async updateAuthenticatorCounter(credentialID, newCounter) {
      const row = await store.raise('authenticators', { credentialID }, 'counter', newCounter)
      return asAuthenticator(required(row, 'passkey, or its counter is higher'))
    },
    async updateAuthenticator(credentialID, { name, lastUsedAt, credentialBackedUp, credentialDeviceType }) {
      const changes = { name, lastUsedAt, credentialBackedUp, credentialDeviceType }
      const row = await store.update('authenticators', { credentialID }, changes)
      return asAuthenticator(required(row, 'passkey'))
    },
    async deleteAuthenticator(credentialID) {
      return asAuthenticator(await store.take('authenticators', { credentialID }))
    },
  }
}

/** A user without an address has null there, because only one user could have an empty text. */
const newUser = (user: AdapterUser): Row => ({
  ...membersOf(user),
  id: user.id || randomUUID(),
  email: user.email || null,
})

const hasMembers = (row: Row, members: Row): boolean =>
  Object.entries(members).every(([name, value]) => String(row[name]) === String(value))

function required(row: Row | null, what: string): Row {
  if (row) return row
  throw new AdapterError(`There is no such ${what}.`)
}

/** The members of the contract exist because openTable() has checked their columns. */
function as<Shape>(row: Row): Shape
function as<Shape>(row: Row | null): Shape | null
function as<Shape>(row: Row | null): Shape | null {
  return row as Shape | null
}

type Cast<Shape> = { (row: Row): Shape; (row: Row | null): Shape | null }

const asUser: Cast<AdapterUser> = as
const asAccount: Cast<AdapterAccount> = as
const asSession: Cast<AdapterSession> = as
const asToken: Cast<VerificationToken> = as
const asAuthenticator: Cast<AdapterAuthenticator> = as
