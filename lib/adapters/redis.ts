import { isPlainObject, isPromise } from '../kernel/describe-value.js'
import { type AdapterError, InvalidConfiguration } from '../kernel/errors.js'
import { object } from '../kernel/object-shape.js'
import { underEach } from '../kernel/objects.js'
import { type Shape, text, timeLimit } from '../kernel/shape.js'
import type { Adapter } from './adapter.js'
import { argumentProblems, placeProblem } from './check-argument.js'
import { requireDriver } from './failures.js'
import { markOwn } from './methods.js'
import { createAccounts, createAuthenticators, createVerificationTokens } from './redis/accounts.js'
import { CLIENT_METHODS, type RedisClient, storeFailure, withOwnTypes } from './redis/client.js'
import { createOwnClient, type RedisServer } from './redis/connect.js'
import { deleteLeftovers } from './redis/expired.js'
import { createRecords } from './redis/records.js'
import { createDependencies, createKeys, type RedisDependencies } from './redis/rows.js'
import { createSessions, createTokenSessions } from './redis/sessions.js'
import { createEmails, createFindUser, createOwnedRows, createSettledCheck, createUsers } from './redis/users.js'
import { createWholeSignUp } from './redis/whole-sign-up.js'

export type { RedisClient } from './redis/client.js'
export type { RedisServer } from './redis/connect.js'

/** Options of {@link redisAdapter}. */
export interface RedisAdapterOptions {
  /** Begins every key, so that applications can share a server; `latchkey:` by default. Without braces. */
  prefix?: string
  /**
   * Seconds that the adapter's own client waits for the answer to a command: 4 by default, `Infinity` for ever. A
   * connection may take 3 seconds at most. The option should be less than `storeTimeout` of the configuration. A client
   * of the application has its own limits.
   */
  commandTimeout?: number
}

/** Every method of the contract, and `close`. */
export interface RedisAdapter extends Required<Adapter> {
  /** Closes the connection if the adapter made it. A client of the application stays open. */
  close(): Promise<void>
}

/** Less than `storeTimeout`: the adapter ends a slow call before the caller stops waiting. */
const COMMAND_TIMEOUT = 4

/**
 * Keeps everything, or what `combineAdapters` routes to it, in Redis 6.2 or later, a single server or a cluster.
 *
 * Redis deletes sessions and verification tokens when they expire. Every method fails with an {@link AdapterError} that
 * holds no values of rows; `cause.duplicate` is true when there is a row with the same key already.
 * docs/guides/redis.md describes the keys, what happens in one step and what does not, and how to set up the server.
 *
 * @param server where the server is; or a client or a cluster of the `redis` package, connected
 * @throws {InvalidConfiguration} when `server` is neither, the prefix has braces, or an option is unusable
 */
export function redisAdapter(server: RedisClient | RedisServer, options: RedisAdapterOptions = {}): RedisAdapter {
  checkOptions(options)
  const { prefix = 'latchkey:', commandTimeout = COMMAND_TIMEOUT } = options
  const keys = createKeys(prefix)
  if (isClientLike(server)) {
    return { ...adapterOver(createDependencies(requireClient(server), keys)), close: async () => {} }
  }
  checkServer(server)
  requireDriver('redis')
  const client = createOwnClient(server, commandTimeout * 1000)
  return { ...adapterOver(createDependencies(client, keys)), close: () => client.close() }
}

function requireClient(client: RedisClient): RedisClient {
  const missing = CLIENT_METHODS.filter((method) => typeof client?.[method] !== 'function')
  if (missing.length > 0) {
    throw new InvalidConfiguration(
      `redisAdapter() needs a client of the "redis" package; what it was given has no ${missing.join(', ')}.`,
    )
  }
  listen(client)
  return withOwnTypes(client)
}

/**
 * Listens to error events, because an error event without a listener ends the process. A call that is concerned fails
 * anyway.
 */
function listen(client: RedisClient): void {
  const { on, listenerCount } = client as Partial<NodeJS.EventEmitter>
  if (typeof on !== 'function' || typeof listenerCount !== 'function') return
  if (listenerCount.call(client, 'error') === 0) on.call(client, 'error', () => {})
}

function adapterOver(dependencies: RedisDependencies): Required<Adapter> {
  const isSettled = createSettledCheck(dependencies)
  const findUser = createFindUser(dependencies)
  const emails = createEmails(dependencies, isSettled)
  const sessions = createSessions(dependencies)
  const { deleteRecordsByOwner, ...records } = createRecords(dependencies)
  const owned = createOwnedRows(dependencies, sessions, { deleteRecordsByOwner })

  const methods = guarded({
    ...createUsers(dependencies, findUser, emails, owned),
    createUserWithAccount: createWholeSignUp(dependencies, emails, isSettled),
    ...createAccounts(dependencies, findUser, isSettled, owned),
    ...sessions,
    async getSessionAndUser(sessionToken) {
      const session = await sessions.getSession(sessionToken)
      const user = session && (await findUser(session.userId))
      return session && user ? { session, user } : null
    },
    ...createTokenSessions(dependencies),
    ...records,
    ...createVerificationTokens(dependencies),
    ...createAuthenticators(dependencies, owned),
    deleteExpired: (options) => deleteLeftovers(dependencies, { owned, emails }, options),
  })
  return markOwn(methods)
}

/** The methods of an adapter. Everything that the client throws becomes an {@link AdapterError}. */
function guarded(methods: Required<Adapter>): Required<Adapter> {
  const entries = Object.entries(methods).map(([name, method]) => {
    const call = method as (...args: unknown[]) => unknown
    const guardedCall = async (...args: unknown[]) => {
      try {
        return await call(...args)
      } catch (error) {
        throw storeFailure(name, error)
      }
    }
    return [name, guardedCall]
  })
  return Object.fromEntries(entries) as Required<Adapter>
}

const IN_URL = 'is a part of the URL: { url: "redis://user:password@host:6379/0" }.'
const IN_FIRST = 'belongs in the first argument, which says where the server is.'
const IN_SECOND = 'belongs in the second argument, after what says where the server is.'
const IN_CLIENT = 'belongs in `client`: { url, client: { … } }.'

/** Its members are not checked here, because createClient() checks them. */
const CLIENT_OPTIONS: Shape = { expected: 'an object, the options of createClient()', fits: isPlainObject }

const SERVER: Shape = object<RedisServer>(
  { url: text, client: CLIENT_OPTIONS },
  {
    misplaced: {
      ...underEach(['prefix', 'commandTimeout'], IN_SECOND),
      ...underEach(['host', 'port', 'username', 'password', 'database', 'db'], IN_URL),
      ...underEach(['socket', 'name', 'RESP', 'pingInterval', 'disableOfflineQueue'], IN_CLIENT),
    },
  },
)

const OPTIONS: Shape = object<{ prefix?: string; commandTimeout?: number }>(
  { prefix: text, commandTimeout: timeLimit },
  { misplaced: underEach(['url', 'client', 'socket'], IN_FIRST) },
)

const SERVER_FORM =
  'Call it: redisAdapter({ url: "redis://…", client }), or with a client of the "redis" package that is connected.'

/** Whether the argument is a client, complete or not: an object that is not a literal, or has a method of clients. */
const isClientLike = (given: RedisClient | RedisServer): given is RedisClient => {
  if (typeof given !== 'object' || given === null || isPromise(given)) return false
  return !isPlainObject(given) || CLIENT_METHODS.some((method) => typeof given[method] === 'function')
}

/** @throws {InvalidConfiguration} when it does not say where a server is, or has options that would have no effect */
function checkServer(server: unknown): asserts server is RedisServer {
  const problem = problemWithServer(server)
  if (problem !== null) throw new InvalidConfiguration(`redisAdapter(): ${problem} ${SERVER_FORM}`)
}

function problemWithServer(server: unknown): string | null {
  if (typeof server === 'string') return 'the server is a string. Give it as { url }.'
  const problems = argumentProblems(server, SERVER, { subject: 'The server is' })
  if (problems !== null) return problems
  const given = server as Readonly<Record<string, unknown>>
  if (!('url' in given)) return 'nothing says where the server is.'
  const missing = placeProblem('url', given['url'])
  if (missing !== null) return missing
  return /^rediss?:\/\//i.test(String(given['url'])) ? null : '`url` must begin with redis:// or rediss://.'
}

/** @throws {InvalidConfiguration} when an option is unknown or of a wrong type */
function checkOptions(options: unknown): void {
  const problems = argumentProblems(options, OPTIONS, {
    subject: 'The options are',
    form: 'Call it: redisAdapter({ url }, { prefix, commandTimeout }).',
  })
  if (problems !== null) throw new InvalidConfiguration(`redisAdapter(): ${problems}`)
}
