import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What was counted. */
export interface Counted {
  readonly instructions: number
  /** Lines of code that were not in the processor's first cache. */
  readonly codeMisses: number
}

/** A server whose instructions are counted. */
export interface CountedServer {
  readonly port: number
  /** Counts while something is done. */
  count(work: () => Promise<void>): Promise<Counted>
  stop(): Promise<void>
}

/** Room for all garbage of a round: a collection in one of them would be most of what is counted. */
const NODE_FLAGS = ['--no-memory-reducer', '--min-semi-space-size=64', '--max-semi-space-size=64']
const VALGRIND_FLAGS = [
  '--tool=callgrind',
  '--instr-atstart=no',
  '--cache-sim=yes',
  '--I1=32768,8,64',
  '--D1=32768,8,64',
  '--LL=1048576,8,64',
  // Node makes machine code while it runs.
  '--smc-check=all-non-file',
]

/**
 * Starts a file of `servers/` under valgrind.
 *
 * @param folder an empty one, for what valgrind writes
 * @throws {Error} when there is no valgrind
 */
export async function startCounted(file: string, options: object, folder: string): Promise<CountedServer> {
  try {
    execFileSync('valgrind', ['--version'], { stdio: 'ignore' })
  } catch (cause) {
    throw new Error('Counting instructions needs valgrind.', { cause })
  }
  const script = fileURLToPath(new URL('../../harness/serve.js', import.meta.url))
  const command = [process.execPath, ...NODE_FLAGS, script, file, '0', JSON.stringify(options)]
  const child = spawn('valgrind', [...VALGRIND_FLAGS, `--callgrind-out-file=${join(folder, 'out')}`, ...command], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const control = (option: string, ...more: string[]) =>
    execFileSync('callgrind_control', [option, ...more, String(child.pid)], { stdio: 'ignore' })
  return {
    port,
    async count(work) {
      for (const name of await readdir(folder)) await rm(join(folder, name))
      control('-i', 'on')
      control('-z')
      await work()
      control('-d')
      control('-i', 'off')
      return readCounts(folder)
    },
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** The counts of the one dump in a folder. */
async function readCounts(folder: string): Promise<Counted> {
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'latin1')
    const events = /^events: (.+)$/m.exec(text)?.[1]?.split(' ') ?? []
    const totals = /^(?:totals|summary): (.+)$/m.exec(text)?.[1]?.split(' ').map(Number) ?? []
    const of = (event: string) => totals[events.indexOf(event)] ?? Number.NaN
    if (totals.length > 0) return { instructions: of('Ir'), codeMisses: of('I1mr') }
  }
  throw new Error('valgrind wrote no counts.')
}
