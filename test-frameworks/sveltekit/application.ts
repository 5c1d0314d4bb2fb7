import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../test/docs/documents.js'
import { freePort } from '../../test/support/free-port.js'
import { packed } from '../../test/support/packed.js'

const run = promisify(execFile)

/** What npm tells its scripts is about this project, not about the application. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS|NODE_V8_COVERAGE|AUTH_)/i.test(name)),
)
const NPM_OPTIONS = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']

/** Packages that replace those of the example, for an older SvelteKit. */
export type Versions = Readonly<Record<string, string>>

/** The example, installed in a folder of its own with the package as npm would publish it. */
export interface Application {
  readonly folder: string
  readonly origin: string
  /** Builds it for production, as an application is built: without any secret. */
  build(): Promise<void>
  /** Checks the types of the application with those of its own SvelteKit; it fails with what svelte-check prints. */
  check(): Promise<void>
  start(environment: Record<string, string>): Promise<Server>
  /** Starts the development server, at an origin of its own. */
  develop(environment: Record<string, string>): Promise<Server>
  remove(): void
}

/** A running application. */
export interface Server {
  readonly origin: string
  /** Everything that it printed. */
  output(): string
  stop(): Promise<void>
}

/**
 * Installs the example with routes that only tests need, and with a session that is renewed at every request.
 *
 * @param versions packages that replace those of the lockfile
 */
export async function installApplication(versions: Versions = {}): Promise<Application> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sveltekit-'))
  const isOwn = (path: string) => !/\/(?:node_modules|build|\.svelte-kit)$/.test(path)
  cpSync(join(ROOT, 'examples/sveltekit'), folder, { recursive: true, filter: isOwn })
  cpSync(join(ROOT, 'test-frameworks/sveltekit/routes'), join(folder, 'src/routes'), { recursive: true })
  const edit = (path: string, from: string | RegExp, to: string) => {
    const text = readFileSync(join(folder, path), 'utf8')
    const edited = text.replace(from, to)
    if (edited === text) throw new Error(`${path} of the example has no ${from}`)
    writeFileSync(join(folder, path), edited)
  }
  edit('src/server/auth.ts', "strategy: 'jwt'", "strategy: 'jwt', updateAge: 0")
  // The package is installed below as an application installs it, so SvelteKit must find out by itself.
  edit('vite.config.ts', /^.*Your own application.*\n.*noExternal.*\n/m, '')
  const npm = (...args: string[]) => run('npm', [...args, ...NPM_OPTIONS], { cwd: folder, env: ENVIRONMENT })
  if (Object.keys(versions).length === 0) await npm('ci')
  else {
    rmSync(join(folder, 'package-lock.json'))
    for (const [name, version] of Object.entries(versions))
      edit('package.json', new RegExp(`"${name}": "[^"]+"`), `"${name}": "${version}"`)
    edit('tsconfig.json', '$app/tsconfig', './.svelte-kit/tsconfig.json')
    edit('tsconfig.json', ', "$app/types"', '')
    // SvelteKit 2 takes the origin when it starts, and has no such option.
    edit('vite.config.ts', ', ...(origin ? { paths: { origin } } : {})', '')
  }
  const { tarball } = await packed()
  await npm('install', tarball)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const path = [join(folder, 'node_modules/.bin'), ENVIRONMENT['PATH']].join(delimiter)
  const own = { ...ENVIRONMENT, PATH: path, ORIGIN: origin }
  return {
    folder,
    origin,
    async build() {
      await run('npm', ['run', 'build'], { cwd: folder, env: own, maxBuffer: 1e8 })
    },
    async check() {
      await run('npm', ['run', 'check'], { cwd: folder, env: own }).catch(({ stdout }: { stdout: string }) => {
        throw new Error(stdout)
      })
    },
    start: (environment) =>
      startServer(folder, ['build'], origin, {
        ...own,
        PORT: String(port),
        HOST: '127.0.0.1',
        AUTH_URL: origin,
        ...environment,
      }),
    async develop(environment) {
      const at = await freePort()
      const program = ['node_modules/vite/bin/vite.js', 'dev', '--host', '127.0.0.1', '--port', String(at)]
      return startServer(folder, program, `http://127.0.0.1:${at}`, { ...ENVIRONMENT, PATH: path, ...environment })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function startServer(
  folder: string,
  program: readonly string[],
  origin: string,
  env: NodeJS.ProcessEnv,
): Promise<Server> {
  const child = spawn('node', program, { cwd: folder, env })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await isListening(origin, () => output)
  return {
    origin,
    output: () => output,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function isListening(origin: string, output: () => string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const answer = await fetch(`${origin}/about`).catch(() => null)
    await answer?.arrayBuffer()
    if (answer) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`The application does not listen:\n${output()}`)
}
