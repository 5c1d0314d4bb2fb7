import { spawnSync } from 'node:child_process'

/** What a process took, in ms. */
export interface Start {
  /** From its start to its end. */
  readonly elapsed: number
  /** CPU time, up to the last moment that the process itself could tell it. */
  readonly cpu: number
}

/** Tells the CPU time at the end; its own share is the same in every process that is compared. */
const TELL_CPU = `process.on('exit', () => { const { user, system } = process.cpuUsage(); console.log(user + system) })`

/**
 * Runs a script in a new process.
 *
 * @throws {Error} with what it printed, when it fails
 */
export async function startOnce({ program, args }: { program: string; args: readonly string[] }): Promise<Start> {
  const script = args.at(-1) ?? ''
  const before = ['--import', `data:text/javascript,${encodeURIComponent(TELL_CPU)}`, script]
  const began = process.hrtime.bigint()
  const { status, stdout, stderr } = spawnSync(program, [...args.slice(0, -1), ...before], { encoding: 'utf8' })
  const elapsed = Number(process.hrtime.bigint() - began) / 1e6
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`)
  return { elapsed, cpu: Number(stdout.trim().split('\n').at(-1)) / 1000 }
}
