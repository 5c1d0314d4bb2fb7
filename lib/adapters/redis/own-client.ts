import { within } from '../../kernel/awaitable.js'
import { isPlainObject, isPromise } from '../../kernel/describe-value.js'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import { type Shape, text, timeLimit } from '../../kernel/shape.js'
import { allMisplaced, argumentProblems, placeProblem } from '../check-argument.js'
import { CONNECT_MS, timeoutError } from '../failures.js'
import { CLIENT_METHODS, type RedisClient, type Scanner } from './client.js'
import { type ConnectedClient, connectClient, placeOf, type RedisServer } from './connect.js'

/** A client that connects at its first use, and again when it has lost its connection. */
export interface OwnClient extends RedisClient, Scanner {
  close(): Promise<void>
}

/** A client that connects or is connected. */
interface Held {
  readonly client: Promise<ConnectedClient>
}

/** The commands that an adapter sends; `scan` is for `deleteExpired`. */
const COMMANDS = [...CLIENT_METHODS, 'scan'] as const
type Command = (typeof COMMANDS)[number]

/** How often an idle connection is used, so that no firewall closes it, and a dead connection is noticed. */
const PING_MS = 10_000
/** How long after a failed attempt to connect the next one is made. Calls in between fail with the same error. */
const RETRY_MS = 100
/**
 * Answers of a server that takes no writes, such as one that was the primary before a failover. Redis 6 puts the answer
 * into the text about a script.
 */
const READ_ONLY = /(?:^|-)(?:READONLY|MASTERDOWN|NOREPLICAS|MISCONF) /

/**
 * A client for a server. If one command gets no answer in time, the connection is closed, and the next call makes a new
 * one. The `redis` package itself notices a dead connection only while nobody uses it, because its `socketTimeout`
 * begins again with each command.
 *
 * @param commandMs how long to wait for a connection, and for an answer; `Infinity` for ever
 */
export function createOwnClient({ url, client: options }: RedisServer, commandMs: number): OwnClient {
  const connectMs = Math.min(CONNECT_MS, commandMs)
  const noAnswer = (name: string) =>
    timeoutError(`${placeOf(url)} gave no answer to ${name}`, { option: 'commandTimeout', milliseconds: commandMs })
  let held: Held | undefined
  let refused: { readonly error: unknown; readonly until: number } | undefined

  async function open(): Promise<ConnectedClient> {
    const { socket, ...others } = options ?? {}
    const timeouts = { socketTimeout: 1.5 * PING_MS, ...(socket as object | undefined) }
    try {
      return await connectClient({ url, client: { pingInterval: PING_MS, ...others, socket: timeouts } }, connectMs)
    } catch (error) {
      refused = { error, until: Date.now() + RETRY_MS }
      throw error
    }
  }

  async function connected(): Promise<Held> {
    if (!held && refused && refused.until > Date.now()) throw refused.error
    held ??= { client: open() }
    const mine = held
    try {
      if ((await mine.client).isReady) return mine
    } catch (error) {
      forget(mine)
      throw error
    }
    forget(mine)
    return connected()
  }

  const forget = (mine: Held) => {
    if (held === mine) held = undefined
  }

  const command =
    (name: Command) =>
    async (...args: unknown[]): Promise<unknown> => {
      const began = performance.now()
      const mine = await connected()
      const client = await mine.client
      const answer = (client[name] as (...args: unknown[]) => Promise<unknown>)(...args)
      try {
        // The time for the connection counts, too.
        return await within(answer, Math.max(1, commandMs - (performance.now() - began)), () => {
          forget(mine)
          client.destroy()
          return noAnswer(name)
        })
      } catch (error) {
        // A new connection may reach another server. Other calls still wait for answers of this one.
        if (held === mine && error instanceof Error && READ_ONLY.test(error.message)) {
          forget(mine)
          void end(client)
        }
        throw error
      }
    }

  // A close waits for the commands under way, and a dead connection answers none of them. So it has a time limit.
  const end = (client: ConnectedClient) =>
    within(client.close(), connectMs, () => noAnswer('close')).catch(() => client.destroy())

  const commands = Object.fromEntries(COMMANDS.map((name) => [name, command(name)])) as unknown as RedisClient & Scanner
  return {
    ...commands,
    async close() {
      const mine = held
      held = undefined
      const client = await mine?.client.catch(() => undefined)
      if (client) await end(client)
    },
  }
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
      ...allMisplaced(['prefix', 'commandTimeout'], IN_SECOND),
      ...allMisplaced(['host', 'port', 'username', 'password', 'database', 'db'], IN_URL),
      ...allMisplaced(['socket', 'name', 'RESP', 'pingInterval', 'disableOfflineQueue'], IN_CLIENT),
    },
  },
)

const OPTIONS: Shape = object<{ prefix?: string; commandTimeout?: number }>(
  { prefix: text, commandTimeout: timeLimit },
  { misplaced: allMisplaced(['url', 'client', 'socket'], IN_FIRST) },
)

const SERVER_FORM =
  'Call it: redisAdapter({ url: "redis://…", client }), or with a client of the "redis" package that is connected.'

/** Whether the argument is a client, complete or not: an object that is not a literal, or has a method of clients. */
export const isClientLike = (given: RedisClient | RedisServer): given is RedisClient => {
  if (typeof given !== 'object' || given === null || isPromise(given)) return false
  return !isPlainObject(given) || CLIENT_METHODS.some((method) => typeof given[method] === 'function')
}

/** @throws {InvalidConfiguration} when it does not say where a server is, or has options that would have no effect */
export function checkServer(server: unknown): asserts server is RedisServer {
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
export function checkOptions(options: unknown): void {
  const problems = argumentProblems(options, OPTIONS, {
    subject: 'The options are',
    form: 'Call it: redisAdapter({ url }, { prefix, commandTimeout }).',
  })
  if (problems !== null) throw new InvalidConfiguration(`redisAdapter(): ${problems}`)
}
