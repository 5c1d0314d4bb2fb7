import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nodeOn } from '../harness/cores.js'

/**
 * Runs a module in a Node process of its own, on the core of the servers, and gives what it hands to {@link report}.
 *
 * @param module URL of the module, as `import.meta.resolve` gives it
 * @param task what the module gets from {@link taskOf}; must survive JSON
 */
export function runPinned<Result>(module: string, task: unknown, flags: readonly string[] = []): Promise<Result> {
  // The memory reducer collects garbage when a process is idle; that would fall into the round of whichever loop comes next.
  const { program, args } = nodeOn('server', ['--no-memory-reducer', ...flags])
  const child = spawn(program, [...args, fileURLToPath(module), JSON.stringify(task)], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    // Infinity and undefined survive, which JSON would lose.
    serialization: 'advanced',
  })
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4000)
    })
    let result: { readonly value: Result } | undefined
    child.on('message', (value) => {
      result = { value: value as Result }
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0 && result) resolve(result.value)
      else reject(new Error(`${fileURLToPath(module)} ended with ${signal ?? `code ${code}`}.\n${printed}`))
    })
  })
}

/** The task of the process, as {@link runPinned} gave it. */
export const taskOf = <Task>(): Task => JSON.parse(process.argv[2] ?? 'null') as Task

/** Hands the result to the process that started this one. */
export function report(result: unknown): void {
  process.send?.(result, () => process.disconnect?.())
}
