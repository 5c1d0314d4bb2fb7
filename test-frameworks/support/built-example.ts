import { execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packed } from '../../test/support/packed.js'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What npm tells its scripts is about this project, not about the example. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|AUTH_|OIDC_|SMTP_)/i.test(name)),
)
const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']

/** An example that was built for production. */
export interface BuiltExample {
  /** Where it lies, outside of this project, so that it finds only the packages that it installed. */
  readonly folder: string
  /** How long installing and building took, in seconds. */
  readonly seconds: { readonly install: number; readonly build: number }
  remove(): void
}

/**
 * Installs an example by its lockfile, with this project as a package, and builds it for production.
 *
 * With `FRAMEWORKS_FOLDER`, it does so in that folder, and does nothing where the example is built there already.
 *
 * @param name folder in `examples/`
 * @param output what its build makes
 * @param files further files of the test's own, or others in place of those of the example: their texts by path
 * @param env what the build finds in its environment
 * @param variant a folder beside this one with files in place of those of the example, such as those of an older version
 */
export async function buildExample(
  name: string,
  output: string,
  {
    files = {},
    env = {},
    variant,
  }: {
    readonly files?: Readonly<Record<string, string>>
    readonly env?: Readonly<Record<string, string>>
    readonly variant?: string | undefined
  } = {},
): Promise<BuiltExample> {
  const kept = process.env.FRAMEWORKS_FOLDER
  if (kept !== undefined) mkdirSync(kept, { recursive: true })
  const base = realpathSync(kept ?? mkdtempSync(join(tmpdir(), 'latchkey-')))
  const folder = join(base, variant ?? name)
  const remove = () => (kept === undefined ? rmSync(base, { recursive: true, force: true }) : undefined)
  if (existsSync(join(folder, output))) return { folder, seconds: { install: 0, build: 0 }, remove }
  const source = join(ROOT, 'examples', name)
  cpSync(source, folder, {
    recursive: true,
    filter: (path) => !/[\\/](node_modules|\.output|\.next)([\\/]|$)/.test(path),
  })
  writeFiles(folder, files)
  if (variant !== undefined) {
    rmSync(join(folder, 'package-lock.json'))
    cpSync(join(ROOT, 'test-frameworks', variant), folder, { recursive: true })
  }
  const options = { cwd: folder, env: { ...ENVIRONMENT, ...env }, maxBuffer: 64 * 1024 * 1024 }
  const npm = (...args: string[]) => run('npm', args, options)
  const began = Date.now()
  // npm writes no lockfile for the packages of SolidStart 1 that `npm ci` accepts: it forgets binaries for other systems.
  await npm(...(variant === undefined ? ['ci'] : ['install', '--no-save']), ...QUIET)
  const { tarball } = await packed()
  await npm('install', '--no-save', '--no-package-lock', ...QUIET, tarball)
  const installed = Date.now()
  await npm('run', 'build')
  const built = Date.now()
  return { folder, remove, seconds: { install: (installed - began) / 1000, build: (built - installed) / 1000 } }
}

/** Writes files below a folder: their texts by path. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** A server of an example. */
export interface ServedExample {
  readonly origin: string
  /** What it has printed. */
  output(): string
  stop(): Promise<void>
}

/** Starts a program of an example with the example's own Node, and waits until it answers. */
export async function serveExample(
  { folder }: BuiltExample,
  program: readonly string[],
  { port, env }: { readonly port: number; readonly env: Readonly<Record<string, string>> },
): Promise<ServedExample> {
  const own = join(folder, 'node_modules/.bin/node')
  const child = spawn(existsSync(own) ? own : process.execPath, program, {
    cwd: folder,
    env: { ...ENVIRONMENT, PORT: String(port), NODE_ENV: 'production', ...env },
  })
  let output = ''
  const note = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout.on('data', note)
  child.stderr.on('data', note)
  let ended = false
  const end = new Promise<void>((resolve) =>
    child.once('exit', () => {
      ended = true
      resolve()
    }),
  )
  const origin = `http://localhost:${port}`
  for (;;) {
    if (ended) throw new Error(`The example ended:\n${output}`)
    if (await fetch(origin, { redirect: 'manual' }).then(isAnswer, () => false)) break
    await sleep(100)
  }
  return {
    origin,
    output: () => output,
    async stop() {
      child.kill()
      await end
    },
  }
}

const isAnswer = (response: Response) => response.status > 0

/** The texts of all files below a folder, by path. */
export const filesBelow = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        return [path, readFileSync(path, 'latin1')]
      }),
  )
