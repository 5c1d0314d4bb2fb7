import { execFile } from 'node:child_process'
import { run } from '../../lib/cli/run.js'
import { compiled } from './compiled.js'

const PROGRAM = 'lib/cli/latchkey.ts'

/** What a command line came to. */
export interface Outcome {
  readonly code: number
  readonly output: string
  readonly complaint: string
}

/** Runs a command line in this process. */
export async function latchkey(words: readonly string[], variables: Record<string, string> = {}): Promise<Outcome> {
  const lines = { output: '', complaint: '' }
  const code = await run(words, {
    variables,
    version: '0.0.0',
    colours: false,
    print: (line) => {
      lines.output += `${line}\n`
    },
    complain: (line) => {
      lines.complaint += `${line}\n`
    },
  })
  return { code, ...lines }
}

/** Runs a command line as a process of its own. */
export async function latchkeyProcess(
  words: readonly string[],
  variables: Record<string, string> = {},
  cwd?: string,
): Promise<Outcome> {
  const { DATABASE_URL: _, ...env } = process.env
  const program = await compiled(PROGRAM)
  return new Promise((resolve) => {
    const options = { env: { ...env, ...variables }, ...(cwd !== undefined && { cwd }) }
    execFile(process.execPath, [program, ...words], options, (error, output, complaint) => {
      resolve({ code: error ? Number(error.code) : 0, output, complaint })
    })
  })
}
