import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from 'redis'
import { freePort } from '../../support/free-port.js'

const run = promisify(execFile)

/**
 * The server that developers and CI have at hand. Each process of a run has one of its sixteen databases: a test that looks
 * through all keys meets none of another's.
 */
export const REDIS_URL =
  process.env['TEST_REDIS_URL'] ?? `redis://127.0.0.1:6379/${Number(process.env['MOCHA_WORKER_ID'] ?? 0) % 16}`

/** A Redis server of a test's own. */
export interface OwnServer {
  readonly port: number
  readonly url: string
  stop(): Promise<void>
}

export { skipSuite } from '../../support/skip-suite.js'

/** Whether the programs that a test starts are installed. */
export async function hasRedisPrograms(): Promise<boolean> {
  const versions = ['redis-server', 'redis-cli'].map((program) => run(program, ['--version']))
  return (await Promise.allSettled(versions)).every(({ status }) => status === 'fulfilled')
}

/** A client of a server, or null when nobody answers there. */
export async function connect(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 10_000 } })
  client.on('error', () => undefined)
  try {
    return await client.connect()
  } catch {
    return null
  }
}

/**
 * A client with `around` in place of each command, which it may send. The members are `unknown`: by the type of every
 * possible name, they would be most of the work of checking the types of this whole project.
 */
export const aroundCommands = <C extends object>(
  client: C,
  around: (send: () => Promise<unknown>) => Promise<unknown>,
): C =>
  new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function' || name in EventEmitter.prototype) return member
      return (...args: unknown[]) => around(async () => member.apply(target, args))
    },
  })

/** Starts a server, on a free port unless one is given, with its data in a directory that goes when it stops. */
export async function startServer(settings: readonly string[] = [], onPort?: number): Promise<OwnServer> {
  const [port, busPort] = [onPort ?? (await freePort()), await freePort()]
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-redis-'))
  const cluster = settings.includes('--cluster-enabled') ? ['--cluster-port', String(busPort)] : []
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '', '--appendonly', 'no']
  const server = spawn('redis-server', [...place, ...settings, ...cluster], { stdio: ['ignore', 'pipe', 'inherit'] })
  await readiness(server)
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      if (server.exitCode === null && server.signalCode === null) {
        server.kill('SIGKILL')
        await once(server, 'exit')
      }
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Starts three servers and makes them one cluster. */
export async function startCluster(): Promise<{ readonly nodes: readonly OwnServer[]; stop(): Promise<void> }> {
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000']
  const nodes = [await startServer(settings), await startServer(settings), await startServer(settings)]
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  try {
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
    await run('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'], { timeout: 15_000 })
    await Promise.all(nodes.map(settled))
    return { nodes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Waits until a node knows that all slots are served. */
async function settled({ port }: OwnServer): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const { stdout } = await run('redis-cli', ['-p', String(port), 'cluster', 'info'])
    if (stdout.includes('cluster_state:ok') && stdout.includes('cluster_slots_ok:16384')) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('The cluster did not settle.')
}

async function readiness(server: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    server.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('Ready to accept connections')) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`redis-server ended:\n${output}`)))
  })
  server.stdout?.resume()
}
