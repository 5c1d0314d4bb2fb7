import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Visitor } from './visitor.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** An example, running as a process of its own. */
export interface RunningExample {
  readonly url: string
  visitor(): Visitor
  stop(): Promise<void>
}

/**
 * Starts an example as a developer does, on a free port, and waits until it prints its URL.
 *
 * @param file path from the root of the project
 */
export function runExample(file: string, env: Record<string, string> = {}): Promise<RunningExample> {
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', ...env },
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const url = /http:\/\/localhost:(\d+)/.exec(output)?.[0]
      if (!url) return
      resolve({
        url,
        visitor: () => new Visitor(url),
        stop: async () => {
          child.kill()
          await ended
        },
      })
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}:\n${output}`)))
  })
}
