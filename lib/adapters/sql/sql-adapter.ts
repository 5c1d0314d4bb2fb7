import { randomUUID } from 'node:crypto'
import { AdapterError } from '../../kernel/errors.js'
import { membersOf } from '../../kernel/objects.js'
import type { Adapter, AdapterUser, ProviderSession } from '../adapter.js'
import { requireRow } from '../failures.js'
import { type LookUpName, type LookUpOptions, markOwn, noteCreatedUser } from '../methods.js'
import { type Connector, createConnector } from './connect.js'
import { BATCH_MS, deleteExpiredRows } from './expired.js'
import { attempt } from './faults.js'
import type { SqlNames } from './models.js'
import { statementMs } from './pools.js'
import { changeAccountIn } from './row-statements.js'
import { checkOptions, type SqlDatabase } from './sql-database.js'
import { createSqlStore, type SqlStore } from './store.js'
import type { Row } from './table.js'

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
  const store = createSqlStore(() => connector.connect(), names, queryMs)
  const batchMs = Math.max(queryMs, BATCH_MS)
  const methods: Methods = {
    ...methodsOf(store),
    deleteExpired: (options) =>
      patiently((lasting) =>
        deleteExpiredRows(
          createSqlStore(() => lasting.connect(), names, batchMs),
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

function methodsOf(store: SqlStore): OwnMethods {
  return {
    createUser: async (user) => noteCreatedUser(await store.insert('users', newUser(user))),
    createUserWithAccount({ user, account, authenticator }) {
      const passkeys = authenticator ? [['authenticators', { ...authenticator }] as const] : []
      return store.insertUser(newUser(user), [['accounts', { ...account }], ...passkeys])
    },
    getUser: (id) => store.find('users', { id }),
    getUserByEmail: (email) => store.find('users', { email }),
    async getUserByAccount({ provider, providerAccountId }) {
      const found = await store.findWithUser('accounts', { provider, providerAccountId })
      // Columns may ignore case, and the caller believes that this is the user of exactly this account.
      return found && hasMembers(found.row, { provider, providerAccountId, userId: found.user.id }) ? found.user : null
    },
    async updateUser({ id, ...changes }) {
      const emptied = changes.email === '' ? { ...changes, email: null } : changes
      return requireRow(await store.update('users', { id }, emptied), 'There is no such user.')
    },
    deleteUser: (id) => store.takeUser(id),

    linkAccount: (account) => store.insert('accounts', { ...membersOf(account) }),
    unlinkAccount: async ({ provider, providerAccountId }) =>
      (await store.take('accounts', { provider, providerAccountId })) ?? undefined,
    getAccount: (providerAccountId, provider) => store.find('accounts', { provider, providerAccountId }),
    listAccountsByUserId: (userId) => store.list('accounts', { userId }),
    async updateAccount({ provider, providerAccountId }, changes, expected) {
      const place = await store.at('accounts', { provider, providerAccountId })
      return place !== null && changeAccountIn(place, changes, expected)
    },

    createSession: (session) => store.insert('sessions', { ...session }),
    getSession: (sessionToken, options) => store.find('sessions', { sessionToken }, options),
    async getSessionAndUser(sessionToken, options) {
      const found = await store.findWithUser('sessions', { sessionToken }, options)
      return found && { session: found.row, user: found.user }
    },
    updateSession: ({ sessionToken, ...changes }) => store.update('sessions', { sessionToken }, changes),
    changeSessionToken: (sessionToken, newSessionToken) =>
      store.update('sessions', { sessionToken }, { sessionToken: newSessionToken }),
    deleteSession: (sessionToken) => store.take('sessions', { sessionToken }),
    deleteSessionsByUserId: (userId) => store.remove('sessions', { userId }),
    listSessionsByUserId: (userId) => store.listLatest('sessions', { userId }),
    listSessionsByProvider: (at) => listAtProvider(store, 'sessions', at),

    async createTokenSession(session) {
      await store.insertMissing('tokenSessions', { ...session })
    },
    getTokenSession: (id) => store.find('tokenSessions', { id }),
    async updateTokenSession(id, changes) {
      await store.update('tokenSessions', { id }, { ...changes })
    },
    revokeTokenSession: (id, revokedAt) => store.fill('tokenSessions', { id }, 'revokedAt', revokedAt),
    listTokenSessionsByUserId: (userId) => store.listLatest('tokenSessions', { userId }),
    listTokenSessionsByProvider: (at) => listAtProvider(store, 'tokenSessions', at),

    createRecord: (record) => store.insertMissing('records', { ...record }),
    getRecord: (kind, key) => store.find('records', { kind, key }),
    updateRecord: ({ kind, key, value, expires, version }) =>
      store.updateIf('records', { kind, key }, ['version', version - 1], { value, expires, version }),
    deleteRecord: (kind, key) => store.take('records', { kind, key }),
    listRecordsByOwner: (kind, owner) => store.listLatest('records', { kind, owner }),

    createVerificationToken: (token) => store.insert('verificationTokens', { ...token }),
    useVerificationToken: ({ identifier, token }) => store.take('verificationTokens', { identifier, token }),
    getVerificationToken: ({ identifier, token }) => store.find('verificationTokens', { identifier, token }),

    createAuthenticator: (authenticator) => store.insert('authenticators', { ...authenticator }),
    getAuthenticator: (credentialID) => store.find('authenticators', { credentialID }),
    listAuthenticatorsByUserId: (userId) => store.list('authenticators', { userId }),
    async updateAuthenticatorCounter(credentialID, newCounter) {
      const row = await store.raise('authenticators', { credentialID }, 'counter', newCounter)
      return requireRow(row, 'There is no such passkey, or its counter is higher.')
    },
    async updateAuthenticator(credentialID, { name, lastUsedAt, credentialBackedUp, credentialDeviceType }) {
      const changes = { name, lastUsedAt, credentialBackedUp, credentialDeviceType }
      return requireRow(await store.update('authenticators', { credentialID }, changes), 'There is no such passkey.')
    },
    deleteAuthenticator: (credentialID) => store.take('authenticators', { credentialID }),
  }
}

/** @throws {AdapterError} when the table has no columns for what is asked */
async function listAtProvider<Model extends 'sessions' | 'tokenSessions'>(
  store: SqlStore,
  model: Model,
  { provider, subject, sid }: ProviderSession,
) {
  // Without either, all sessions of the provider would match.
  if (subject === undefined && sid === undefined) return []
  const names = { ...(sid !== undefined && { sid }), ...(subject !== undefined && { subject }) }
  return store.listLatest(model, { provider, ...names })
}

/** A user without an address has null there, because only one user could have an empty text. */
const newUser = (user: AdapterUser): Row => ({
  ...membersOf(user),
  id: user.id || randomUUID(),
  email: user.email || null,
})

const hasMembers = <Shape extends object>(row: Shape, members: Partial<Shape>): boolean =>
  (Object.keys(members) as (keyof Shape)[]).every((name) => String(row[name]) === String(members[name]))
