import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { AppMessage, AppOrder, AppSettings } from '../app/settings.js'
import { hasEnded, killProcess, startProcess } from './lifetime.js'
import { atMost } from './wait.js'

/** One process of the application. */
export interface App {
  readonly origin: string
  readonly settings: AppSettings
  /** The output so far, of both streams. */
  readonly output: string
  readonly hasEnded: boolean
  /** Kills the process at once. */
  kill(): Promise<void>
  /** Sets the clock of the process. @param offset milliseconds that are added to the right time */
  setClock(offset: number): Promise<void>
}

const SCRIPT = fileURLToPath(new URL('../app/app.ts', import.meta.url))
const START_MS = 30_000

export async function startApp(settings: AppSettings): Promise<App> {
  const child = startProcess(process.execPath, ['--import', 'tsx', SCRIPT], {
    // In this folder, the program finds its own packages, no matter in which folder it was started.
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, NODE_ENV: 'production', CHAOS_APP: JSON.stringify(settings) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const origin = await atMost(
    START_MS,
    'Starting the application',
    originOf(child, () => output),
  )
  return {
    origin,
    settings,
    get output() {
      return output
    },
    get hasEnded() {
      return hasEnded(child)
    },
    kill: () => killProcess(child),
    async setClock(offset) {
      const isSet = new Promise<void>((resolve) => child.once('message', () => resolve()))
      child.send({ clockOffset: offset } satisfies AppOrder)
      await atMost(5000, 'Setting the clock', isSet)
    },
  }
}

/** Starts the same process again, on the same port. */
export const startAgain = ({ origin, settings }: App): Promise<App> =>
  startApp({ ...settings, port: Number(new URL(origin).port) })

const originOf = (child: ChildProcess, output: () => string) =>
  new Promise<string>((resolve, reject) => {
    child.on('message', ({ origin }: AppMessage) => origin !== undefined && resolve(origin))
    child.once('exit', (code) => reject(new Error(`The application ended with ${code}.\n${output().slice(-2000)}`)))
  })
