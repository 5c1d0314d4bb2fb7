import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Runs a program to its end. */
export const execute = promisify(execFile)

const children = new Set<ChildProcess>()
const folders = new Set<string>()

/** Starts a process that dies with this one, however this one ends. */
export function startProcess(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, options)
  children.add(child)
  child.once('exit', () => children.delete(child))
  // A program that is not installed; whoever waits for it hears of it by its exit code.
  child.once('error', () => children.delete(child))
  return child
}

/** Kills a process, and waits until it is gone. */
export async function killProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** A folder that goes when the program ends. */
export async function ownFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `latchkey-chaos-${name}-`))
  folders.add(folder)
  return folder
}

/** The processes that another one has started and that still run; none where the system has no `/proc`. */
export function childrenOf(parent: number): number[] {
  const names = attempted(() => readdirSync('/proc')) ?? []
  return names.filter((name) => /^\d+$/.test(name) && parentOf(name) === parent).map(Number)
}

/** "pid (command) state ppid …"; a command may have blanks and brackets in it, and a process may be gone by now. */
function parentOf(name: string): number {
  const stat = attempted(() => readFileSync(`/proc/${name}/stat`, 'utf8')) ?? ''
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function attempted<Value>(work: () => Value): Value | null {
  try {
    return work()
  } catch {
    return null
  }
}

/** Whatever was started is killed, and every folder removed. Once: when the program ends. */
function endEverything(): void {
  for (const child of children) {
    // Those of a frozen PostgreSQL are frozen, and would not notice that it is gone.
    const theirs = child.pid === undefined ? [] : childrenOf(child.pid)
    child.kill('SIGKILL')
    for (const pid of theirs) attempted(() => process.kill(pid, 'SIGKILL'))
  }
  children.clear()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  folders.clear()
}

/** Sees to it that nothing outlives the program. */
export function endWithProgram(): void {
  process.once('exit', endEverything)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
}
