import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Path of the route without any guard, which every server has beside its own routes. */
export const BARE_ROUTE = '/bare'

/** What a server process used since it was asked last. */
export interface Usage {
  /** CPU microseconds of all threads for each batch: a series of requests for the bare route, or for other routes. */
  readonly batches: readonly number[]
  /** Bytes that are resident, and bytes of the heap. With `--expose-gc`, garbage is collected first. */
  readonly memory: readonly [resident: number, heap: number]
}

/** A server in a process of its own. */
export interface Server {
  readonly origin: string
  readonly pid: number
  usage(): Promise<Usage>
}

/**
 * Starts a file of `servers/`, with options that survive JSON, in a process of its own. The command runs Node, by default on the
 * core of the servers. A process that ends before it is ready is an error, which has its output.
 */
export type StartServer = (file: string, options?: object, command?: readonly string[]) => Promise<Server>

/** Runs some work with servers, and ends all of them afterwards. */
export async function withServers<Result>(work: (start: StartServer) => Promise<Result>): Promise<Result> {
  if (CORES) execFileSync(TASKSET, ['-a', '-c', '-p', String(CORES.load), String(process.pid)], { stdio: 'ignore' })
  const stops: (() => Promise<unknown>)[] = []
  try {
    return await work(async (file, options = {}, command = nodeOn('server')) => {
      const script = fileURLToPath(new URL('serve.js', import.meta.url))
      // The memory reducer collects garbage when a server is idle. The next batch would pay for that.
      const [program = '', ...args] = [...command, '--no-memory-reducer', script, file, JSON.stringify(options)]
      // No other variables: AUTH_URL, for example, would change what is measured.
      const env = { PATH: process.env['PATH'], NODE_ENV: 'production' }
      const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
      const exited = once(child, 'exit')
      stops.push(() => {
        child.kill('SIGKILL')
        return exited
      })
      let output = ''
      child.stderr?.on('data', (text: Buffer) => {
        output = `${output}${text}`.slice(-4000)
      })
      const ask = async (question?: 'usage') => {
        const ended = exited.then(() => Promise.reject(new Error(`The server ${file} ended unexpectedly.\n${output}`)))
        if (question) child.send(question)
        const [message] = await Promise.race([once(child, 'message'), ended])
        return message
      }
      return { origin: await ask(), pid: child.pid ?? 0, usage: () => ask('usage') }
    })
  } finally {
    await Promise.all(stops.map((stop) => stop()))
  }
}

/** The command that runs Node on the core of the servers or of the load, or on any core where that is not possible. */
export function nodeOn(core: 'server' | 'load'): readonly string[] {
  return [...(CORES ? [TASKSET, '-c', String(CORES[core])] : []), process.execPath]
}

const TASKSET = '/usr/bin/taskset'
const CORES = existsSync(TASKSET) && availableParallelism() > 1 ? { server: 0, load: 1 } : null
