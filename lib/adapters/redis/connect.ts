import type { RedisClientOptions } from 'redis'
import { within } from '../../kernel/awaitable.js'
import { isError } from '../../kernel/describe-value.js'
import { commonJsExports } from '../../kernel/packages.js'
import { isAbsoluteUrl } from '../../kernel/urls.js'
import { CONNECT_MS, driverFault, timeoutError, unreachableError } from '../failures.js'
import { CLIENT_METHODS, type RedisClient, type Scanner, withOwnTypes } from './client.js'

/** Where a Redis server is, for a client that the adapter makes. */
export interface RedisServer {
  /** `redis://…`, or `rediss://…` with TLS. */
  readonly url: string
  /** Options of `createClient` of the `redis` package, beside the URL. */
  readonly client?: Readonly<Record<string, unknown>>
}

/** A client of the `redis` package, as far as it is used here. */
export interface ConnectedClient extends RedisClient, Scanner {
  readonly isReady: boolean
  close(): Promise<void>
  destroy(): void
}

/** Whether a text can be the URL of a server. */
export const isRedisUrl = (url: unknown): url is string =>
  typeof url === 'string' && /^rediss?:\/\//i.test(url) && isAbsoluteUrl(url)

/**
 * Connects a client, which does not connect again after it has lost its connection.
 *
 * @throws when it takes too long, or the server refuses the connection
 */
async function connectClient({ url, client: { socket, ...others } = {} }: RedisServer, connectMs: number) {
  const { createClient } = await importRedis()
  const settings = { connectTimeout: connectMs, ...(socket as object | undefined), reconnectStrategy: false } as const
  const client = withOwnTypes(createClient({ disableOfflineQueue: true, ...others, url, socket: settings as Socket }))
  // Each call that waits for an answer gets the error. The listener does nothing, but without it the error would end
  // the process.
  client.on('error', () => {})
  try {
    await within(client.connect(), connectMs, () => unreachable(url, connectMs))
    return client
  } catch (error) {
    client.destroy()
    throw error
  }
}

type Socket = NonNullable<RedisClientOptions['socket']>

const unreachable = (url: string, milliseconds: number) =>
  unreachableError(placeOf(url), { option: 'commandTimeout', milliseconds })

/** The server for messages, without user name and password. */
function placeOf(url: string): string {
  if (!isAbsoluteUrl(url)) return 'Redis'
  const { hostname, port } = new URL(url)
  return `Redis at ${hostname}:${port || 6379}`
}

/**
 * Connects a client of a server, or of the whole cluster if the server is a node of a cluster.
 *
 * @throws when it takes too long, or a server refuses the connection
 */
export async function connectServerOrCluster(
  url: string,
  connectMs: number,
): Promise<RedisClient & { destroy(): void }> {
  const client = await connectClient({ url }, connectMs)
  try {
    if (modeOf(await client.sendCommand(['HELLO'])) !== 'cluster') return client
    // The client of a cluster sends the same command, but does not report a refusal.
    await client.sendCommand(['CLUSTER', 'SLOTS'])
  } catch (error) {
    client.destroy()
    throw error
  }
  client.destroy()
  return connectCluster(url, connectMs)
}

/** Reads the reply to `HELLO`, which is a map, or a list of names and values. Every user may send `HELLO`. */
function modeOf(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply[reply.indexOf('mode') + 1]
  return (reply as { mode?: unknown }).mode
}

async function connectCluster(url: string, connectMs: number) {
  const { createCluster } = await importRedis()
  const { username, password, protocol } = new URL(url)
  const socket = { reconnectStrategy: false, connectTimeout: connectMs } as const
  const cluster = createCluster({
    rootNodes: [{ url }],
    defaults: {
      socket: protocol === 'rediss:' ? { ...socket, tls: true } : socket,
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
    },
  })
  cluster.on('error', () => {})
  try {
    await cluster.connect()
    return cluster
  } catch (error) {
    cluster.destroy()
    throw error
  }
}

async function importRedis() {
  try {
    return commonJsExports(await import('redis'), 'createClient')
  } catch (error) {
    throw driverFault('redis', error)
  }
}

/** A client that connects at its first use, and again when it has lost its connection. */
export interface OwnClient extends RedisClient, Scanner {
  close(): Promise<void>
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
  let held: Promise<ConnectedClient> | undefined
  /** Clients that are connected, and are not to be used again. */
  const givenUp = new WeakSet<ConnectedClient>()
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

  async function connected(): Promise<ConnectedClient> {
    if (!held && refused && refused.until > Date.now()) throw refused.error
    held ??= open()
    const mine = held
    const client = await mine.catch(() => undefined)
    if (client?.isReady && !givenUp.has(client)) return client
    if (held === mine) held = undefined
    // Throws the failure of this attempt, which all who waited for it share.
    if (!client) return mine
    return connected()
  }

  const command =
    (name: Command) =>
    async (...args: unknown[]): Promise<unknown> => {
      const began = performance.now()
      const client = await connected()
      const answer = (client[name] as (...args: unknown[]) => Promise<unknown>)(...args)
      try {
        // The time for the connection counts, too.
        return await within(answer, Math.max(1, commandMs - (performance.now() - began)), () => {
          givenUp.add(client)
          client.destroy()
          return noAnswer(name)
        })
      } catch (error) {
        // A new connection may reach another server. Other calls still wait for answers of this one.
        if (!givenUp.has(client) && isError(error) && READ_ONLY.test(error.message)) {
          givenUp.add(client)
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
      const client = await mine?.catch(() => undefined)
      if (client) await end(client)
    },
  }
}
