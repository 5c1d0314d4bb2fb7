import type { RedisClientOptions } from 'redis'
import { within } from '../../kernel/awaitable.js'
import { commonJsExports } from '../../kernel/packages.js'
import { isAbsoluteUrl } from '../../kernel/urls.js'
import { CONNECT_MS, driverFault, unreachableError } from '../failures.js'
import { type RedisClient, type Scanner, withOwnTypes } from './client.js'

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
export async function connectClient(
  { url, client: options }: RedisServer,
  connectMs = CONNECT_MS,
): Promise<ConnectedClient> {
  return open({ url, client: options ?? {} }, connectMs)
}

async function open({ url, client: options }: Required<RedisServer>, connectMs: number) {
  const { createClient } = await importRedis()
  const { socket, ...others } = options
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
export function placeOf(url: string): string {
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
  connectMs = CONNECT_MS,
): Promise<RedisClient & { destroy(): void }> {
  const client = await open({ url, client: {} }, connectMs)
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
