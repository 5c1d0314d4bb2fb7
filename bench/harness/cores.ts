import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Which side of a measurement a process is on: what is measured, or what puts it under load. */
export type Side = 'server' | 'load'

/** Processor cores for the two sides; null where processes cannot be pinned, or where there is no second core. */
const cores: Readonly<Record<Side, number>> | null = pickCores()

/** Program and arguments that start Node on the core of a side. */
export function nodeOn(side: Side, flags: readonly string[]): { program: string; args: string[] } {
  if (!cores) return { program: process.execPath, args: [...flags] }
  return { program: 'taskset', args: ['-c', String(cores[side]), process.execPath, ...flags] }
}

/** Keeps this process, with all its threads, on the core of the load. */
export function pinLoad(): void {
  if (cores) execFileSync('taskset', ['-a', '-c', '-p', String(cores.load), String(process.pid)], { stdio: 'ignore' })
}

/** Says how the processes were placed, for the text beside the figures. */
export function placement(): string {
  return cores
    ? `Servers ran on core ${cores.server}, the load on core ${cores.load}.`
    : 'Processes could not be pinned to two cores here, so they disturbed each other: take the figures as rough.'
}

function pickCores(): Readonly<Record<Side, number>> | null {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
    const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? ''
    const [server, load] = allowed.split(',').flatMap(expandRange)
    return server === undefined || load === undefined ? null : { server, load }
  } catch {
    // No taskset or no /proc: another system than Linux.
    return null
  }
}

function expandRange(range: string): number[] {
  const [first = 0, last = first] = range.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
