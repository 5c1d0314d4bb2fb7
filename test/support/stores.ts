import { randomBytes } from 'node:crypto'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { combineAdapters } from '../../lib/adapters/combine.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { ADAPTER_METHODS } from '../../lib/adapters/methods.js'
import { redisAdapter } from '../../lib/adapters/redis.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { connect, REDIS_URL, skipSuite } from '../adapters/redis/servers.js'
import {
  type Engine,
  mariadb,
  migratedDatabase,
  postgres,
  sqlite,
  type TestDatabase,
} from '../adapters/sql/databases.js'

/** How many rows of each kind a store has. */
export interface RowCounts {
  readonly users: number
  readonly accounts: number
  readonly sessions: number
  readonly verificationTokens: number
}

/** A store of one test suite's own. */
export interface OpenStore {
  readonly adapter: Required<Adapter>
  /** The same store as another process has it: another adapter, with connections of its own. */
  another(): Promise<Required<Adapter>>
  count(): Promise<RowCounts>
  close(): Promise<void>
}

/** A kind of store that tests run on. */
export interface StoreKind {
  readonly name: string
  /** A `before` hook: skips the suite, with the reason, where a server is not running; in CI that is a failure. */
  readonly requireServer: (this: Mocha.Context) => Promise<void>
  open(): Promise<OpenStore>
}

const TABLES = {
  users: 'users',
  accounts: 'accounts',
  sessions: 'sessions',
  verificationTokens: 'verification_token',
} as const

const KEYS = {
  users: '{user:*}',
  accounts: 'account:*',
  sessions: 'session:*',
  verificationTokens: 'verification-token:*',
} as const

const countAll = async (count: (name: keyof RowCounts) => Promise<number>): Promise<RowCounts> => ({
  users: await count('users'),
  accounts: await count('accounts'),
  sessions: await count('sessions'),
  verificationTokens: await count('verificationTokens'),
})

/** Counts what was written and not deleted since; the memory of a process cannot be looked into. */
function countedMemory(): { readonly adapter: Required<Adapter>; count(): Promise<RowCounts> } {
  const memory = memoryAdapter()
  const users = new Set<string>()
  const accounts = new Map<string, { provider: string; providerAccountId: string }>()
  const sessions = new Set<string>()
  const tokens = new Set<string>()
  const adapter: Required<Adapter> = {
    ...memory,
    async createUser(given) {
      const user = await memory.createUser(given)
      users.add(user.id)
      return user
    },
    async linkAccount(account) {
      const linked = await memory.linkAccount(account)
      accounts.set(JSON.stringify([account.provider, account.providerAccountId]), account)
      return linked
    },
    async createUserWithAccount(signUp) {
      const user = await memory.createUserWithAccount(signUp)
      users.add(user.id)
      accounts.set(JSON.stringify([signUp.account.provider, signUp.account.providerAccountId]), signUp.account)
      return user
    },
    async createSession(session) {
      const created = await memory.createSession(session)
      sessions.add(session.sessionToken)
      return created
    },
    async createVerificationToken(token) {
      tokens.add(JSON.stringify([token.identifier, token.token]))
      return memory.createVerificationToken(token)
    },
    async useVerificationToken(token) {
      tokens.delete(JSON.stringify([token.identifier, token.token]))
      return memory.useVerificationToken(token)
    },
  }
  const present = async <T>(all: Iterable<T>, find: (one: T) => unknown) => {
    const found = await Promise.all([...all].map(find))
    return found.filter((row) => row !== null).length
  }
  return {
    adapter,
    count: async () => ({
      users: await present(users, memory.getUser),
      accounts: await present(accounts.values(), (key) => memory.getAccount(key.providerAccountId, key.provider)),
      sessions: await present(sessions, memory.getSession),
      verificationTokens: tokens.size,
    }),
  }
}

const memory: StoreKind = {
  name: 'memory',
  requireServer: async () => {},
  async open() {
    const { adapter, count } = countedMemory()
    // Two engines of one process share it: there is no other way to.
    return { adapter, another: async () => adapter, count, close: async () => {} }
  },
}

const rowsOf = async ({ run }: TestDatabase, table: string) => {
  const [row] = await run(`select count(*) as found from ${table}`)
  return Number(row?.['found'])
}

const onSql = (engine: Engine): StoreKind => ({
  name: engine.name,
  requireServer: engine.requireServer,
  async open() {
    const database = await migratedDatabase(engine)
    const adapters = [sqlAdapter(database.connection)]
    const [adapter] = adapters as [(typeof adapters)[number]]
    return {
      adapter,
      async another() {
        const other = sqlAdapter(engine.name === 'SQLite' ? { sqlite: database.url } : { url: database.url })
        adapters.push(other)
        return other
      },
      count: () => countAll((name) => rowsOf(database, TABLES[name])),
      async close() {
        for (const open of adapters) await open.close()
        await database.drop()
      },
    }
  },
})

/** A part of the Redis server that is a test's own, by its prefix. */
async function openRedis() {
  const prefix = `latchkey-test-${randomBytes(6).toString('hex')}:`
  const clients: NonNullable<Awaited<ReturnType<typeof connect>>>[] = []
  const adapterOf = async () => {
    const client = await connect(REDIS_URL)
    if (!client) throw new Error(`no Redis at ${REDIS_URL}`)
    clients.push(client)
    return redisAdapter(client, { prefix })
  }
  const keysLike = async (pattern: string) => {
    const found: string[] = []
    for await (const keys of clients[0]?.scanIterator({ MATCH: prefix + pattern, COUNT: 1000 }) ?? [])
      found.push(...keys)
    return [...new Set(found)]
  }
  return {
    adapterOf,
    count: async (name: keyof RowCounts) => {
      const keys = await keysLike(KEYS[name])
      return keys.length
    },
    async close() {
      const keys = await keysLike('*')
      if (keys.length > 0) await clients[0]?.unlink(keys)
      for (const client of clients) client.destroy()
    },
  }
}

async function requireRedis(this: Mocha.Context): Promise<void> {
  const client = await connect(REDIS_URL)
  if (!client) skipSuite(this, `no Redis at ${REDIS_URL}`)
  client.destroy()
}

const redis: StoreKind = {
  name: 'Redis',
  requireServer: requireRedis,
  async open() {
    const server = await openRedis()
    return {
      adapter: await server.adapterOf(),
      another: server.adapterOf,
      count: () => countAll(server.count),
      close: server.close,
    }
  },
}

/** Users where there are transactions, and what comes and goes where it is quick. */
const combined: StoreKind = {
  name: 'PostgreSQL + Redis',
  async requireServer() {
    await postgres.requireServer.call(this)
    await requireRedis.call(this)
  },
  async open() {
    const database = await onSql(postgres).open()
    const server = await openRedis()
    const combine = async (rest: Required<Adapter>) => {
      const sessions = await server.adapterOf()
      return combineAdapters({ sessions, verificationTokens: sessions, rest }) as Required<Adapter>
    }
    return {
      adapter: await combine(database.adapter),
      another: async () => combine(await database.another()),
      async count() {
        const { users, accounts } = await database.count()
        return {
          users,
          accounts,
          sessions: await server.count('sessions'),
          verificationTokens: await server.count('verificationTokens'),
        }
      },
      async close() {
        await server.close()
        await database.close()
      },
    }
  },
}

/** Every store that the package comes with. */
export const STORES: readonly StoreKind[] = [memory, onSql(sqlite), onSql(postgres), onSql(mariadb), redis, combined]

/** The methods that Auth.js's contract has; an adapter that was made for it has no others. */
const AUTHJS_METHODS = [
  'createUser',
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'updateUser',
  'deleteUser',
  'linkAccount',
  'unlinkAccount',
  'createSession',
  'getSessionAndUser',
  'updateSession',
  'deleteSession',
  'createVerificationToken',
  'useVerificationToken',
  'getAccount',
  'getAuthenticator',
  'createAuthenticator',
  'listAuthenticatorsByUserId',
  'updateAuthenticatorCounter',
] as const satisfies readonly (keyof Adapter)[]

/** A store as an adapter that was made for Auth.js shows it: without the methods, and the columns, that are this package's own. */
export function asAuthjsHasIt<Of extends Adapter>(adapter: Of, without: readonly (keyof Adapter)[] = []): Of {
  const kept = AUTHJS_METHODS.filter((name) => !without.includes(name)).map((name) => [name, adapter[name]])
  return Object.fromEntries(kept) as Of
}

/** The methods that a sign-up is made of, where it is not made at once. */
const SIGN_UP_STEPS = ['createUser', 'linkAccount', 'createAuthenticator'] as const

/** An adapter that notes its calls, and in which a test can replace methods. */
export function watched<Of extends Adapter>(adapter: Of, change: Partial<Adapter> = {}) {
  const calls: string[] = []
  const isInSteps = SIGN_UP_STEPS.some((name) => change[name]) && !change.createUserWithAccount
  const names = ADAPTER_METHODS.filter((name) => adapter[name] && !(isInSteps && name === 'createUserWithAccount'))
  const entries = names.map((name) => [
    name,
    (...args: unknown[]) => {
      calls.push(name)
      return ((change[name] ?? adapter[name]) as (...args: unknown[]) => unknown).apply(adapter, args)
    },
  ])
  return { adapter: Object.fromEntries(entries) as Of, calls }
}
