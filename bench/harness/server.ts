import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { fileURLToPath } from 'node:url'
import { nodeOn, pinLoad, type Side } from './cores.js'

/** What a file of `servers/` exports. */
export interface ServerModule {
  /** @param origin where browsers find the server */
  serve(origin: string, options: Readonly<Record<string, unknown>>): RequestListener | Promise<RequestListener>
}

/** Path of the route without any guard, which every server has beside its own. */
export const BARE_ROUTE = '/bare'

/** What a server process is asked. */
export type Question = 'turns' | 'memory'

/** Memory of a server process after a garbage collection, in bytes. */
export interface MemoryUse {
  readonly rss: number
  readonly heapUsed: number
}

/** How a server process is started. */
export interface ServerSettings {
  /** Given to the server's file; must survive JSON. */
  readonly options?: object
  readonly port?: number
  /** The core it runs on: that of servers, unless it only helps the load. */
  readonly side?: Side
  /** Whether memory will be asked for: garbage is then collected on demand. */
  readonly memory?: boolean
}

/** A server in a process of its own. */
export interface Server {
  readonly origin: string
  /**
   * CPU microseconds of each turn since the last call, of all threads, in user and system mode. A turn is a row of requests for the bare route, or
   * for others.
   */
  turns(): Promise<readonly number[]>
  memory(): Promise<MemoryUse>
  stop(): Promise<void>
}

/**
 * Starts a file of `servers/` in a process of its own.
 *
 * @throws {Error} with what the process printed, when it ends before it is ready
 */
export async function startServer(file: string, settings: ServerSettings = {}): Promise<Server> {
  pinLoad()
  const { options = {}, port = 0, side = 'server', memory = false } = settings
  const script = fileURLToPath(new URL('serve.js', import.meta.url))
  // The memory reducer collects garbage whenever a server is idle, which would be charged to whoever waits for its slice.
  const { program, args } = nodeOn(side, ['--no-memory-reducer', ...(memory ? ['--expose-gc'] : [])])
  const child = spawn(program, [...args, script, file, String(port), JSON.stringify(options)], {
    // Nothing else: variables such as AUTH_URL would change what is measured.
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const ask = conversation(file, child)
  const ready = (await ask()) as { port: number }
  return {
    origin: `http://localhost:${ready.port}`,
    turns: () => ask('turns') as Promise<readonly number[]>,
    memory: () => ask('memory') as Promise<MemoryUse>,
    async stop() {
      const gone = once(child, 'exit')
      child.kill()
      await gone
    },
  }
}

/** One question at a time, and its answer; without a question, the first word of the process. */
function conversation(file: string, child: ChildProcess): (question?: Question) => Promise<unknown> {
  let printed = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-4000)
  })
  return (question) =>
    new Promise((resolve, reject) => {
      const onExit = () => reject(new Error(`The server ${file} ended unexpectedly.\n${printed}`))
      child.once('exit', onExit)
      child.once('message', (answer) => {
        child.off('exit', onExit)
        resolve(answer)
      })
      if (question !== undefined) child.send(question)
    })
}
