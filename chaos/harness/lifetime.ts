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

/** Starts a process that ends when this process ends, for any reason. */
export function startProcess(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, options)
  children.add(child)
  child.once('exit', () => children.delete(child))
  // The program is not installed. The caller notices by the exit code.
  child.once('error', () => children.delete(child))
  return child
}

/** Kills a process, and waits for its end. */
export async function killProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** A folder that is removed when the program ends. */
export async function ownFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `latchkey-chaos-${name}-`))
  folders.add(folder)
  return folder
}

/** The running processes that another process has started. None if the system has no `/proc`. */
export function childrenOf(parent: number): number[] {
  const names = attempted(() => readdirSync('/proc')) ?? []
  return names.filter((name) => /^\d+$/.test(name) && parentOf(name) === parent).map(Number)
}

/** "pid (command) state ppid …". A command may contain blanks and brackets, and the process may have ended by now. */
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

/** Kills every started process and removes every folder. Runs once, when the program ends. */
function endEverything(): void {
  for (const child of children) {
    // The processes of a frozen PostgreSQL are frozen too, and would not notice its end.
    const theirs = child.pid === undefined ? [] : childrenOf(child.pid)
    child.kill('SIGKILL')
    for (const pid of theirs) attempted(() => process.kill(pid, 'SIGKILL'))
  }
  children.clear()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  folders.clear()
}

/** Makes sure that nothing remains when the program ends. */
export function endWithProgram(): void {
  process.once('exit', endEverything)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
}
