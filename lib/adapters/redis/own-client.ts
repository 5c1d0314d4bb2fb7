import { within } from '../../awaitable.js'
import { loadDriver } from '../load-driver.js'
import { timeoutError } from '../timeouts.js'
import { CLIENT_METHODS, type RedisClient, type Scanner } from './client.js'

/** Where a Redis server is, for a client of the adapter's own. */
export interface RedisServer {
  /** `redis://…`, or `rediss://…` with TLS. */
  readonly url: string
  /** Options of `createClient` of the `redis` package, beside the URL. */
  readonly client?: Readonly<Record<string, unknown>>
}

/** A client that connects at its first use, and anew whenever its connection is gone. */
export interface OwnClient extends RedisClient, Scanner {
  close(): Promise<void>
}

/** A client of the `redis` package, as far as it is used here. */
interface Client extends RedisClient, Scanner {
  readonly isReady: boolean
  on(event: 'error', listener: () => void): unknown
  connect(): Promise<unknown>
  close(): Promise<void>
  destroy(): void
}

/** A client that is being made, or was. */
interface Held {
  readonly client: Promise<Client>
}

/** What an adapter sends; `scan` for what is over. */
const COMMANDS = [...CLIENT_METHODS, 'scan'] as const
type Command = (typeof COMMANDS)[number]

/** How long a connection may take to be made, at most. */
const CONNECT_MS = 3000
/** How often an idle connection is used, so that a firewall does not forget it, and one that is dead is found. */
const PING_MS = 10_000
/** How long after a failed attempt the next one is made; calls meanwhile fail with its fault. */
const RETRY_MS = 100

/**
 * A client for a server. One command that gets no answer in time ends the connection, and the next call makes a new one: the `redis` package notices by itself
 * that a connection is dead only while nobody uses it, since its `socketTimeout` begins anew with each command that is sent.
 *
 * @param commandMs how long to wait for a connection, and for an answer; `Infinity` for ever
 */
export function createOwnClient({ url, client: options }: RedisServer, commandMs: number): OwnClient {
  const connectMs = Math.min(CONNECT_MS, commandMs)
  const limit = (milliseconds: number) => ({ option: 'commandTimeout' as const, milliseconds })
  const unreachable = () => timeoutError(`${placeOf(url)} could not be reached`, limit(connectMs))
  const noAnswer = (name: Command) => timeoutError(`${placeOf(url)} gave no answer to ${name}`, limit(commandMs))
  let held: Held | undefined
  let refused: { readonly error: unknown; readonly until: number } | undefined

  async function open(): Promise<Client> {
    const { createClient } = await loadDriver('redis', () => import('redis'))
    const { socket, ...others } = options ?? {}
    const client = createClient({
      disableOfflineQueue: true,
      pingInterval: PING_MS,
      ...others,
      url,
      socket: {
        connectTimeout: connectMs,
        socketTimeout: 1.5 * PING_MS,
        ...(socket as object | undefined),
        // A client that lost its connection is not used again.
        reconnectStrategy: false,
      },
    }) as unknown as Client
    // Whoever waits for an answer is told; nobody else needs to be.
    client.on('error', () => {})
    try {
      await within(client.connect(), connectMs, unreachable)
      return client
    } catch (error) {
      client.destroy()
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
      // What was spent on the connection counts.
      return within(answer, Math.max(1, commandMs - (performance.now() - began)), () => {
        forget(mine)
        client.destroy()
        return noAnswer(name)
      })
    }

  const commands = Object.fromEntries(COMMANDS.map((name) => [name, command(name)])) as unknown as RedisClient & Scanner
  return {
    ...commands,
    async close() {
      const mine = held
      held = undefined
      const client = await mine?.client.catch(() => undefined)
      if (!client) return
      // It waits for what is under way, and a dead connection answers nothing.
      await within(client.close(), connectMs, unreachable).catch(() => client.destroy())
    },
  }
}

/** The server without who connects to it, for messages. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'Redis'
  const { hostname, port } = new URL(url)
  return `Redis at ${hostname}:${port || 6379}`
}
