import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ROOT } from '../../docs/documents.js'
import { ENVIRONMENT, packed } from '../../support/packed.js'

/** The packages that npm installs with Latchkey. */
export const OWN_DEPENDENCIES = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies)

const HERE = dirname(fileURLToPath(import.meta.url))

/**
 * Makes a project with the applications of this folder, and with Latchkey as it is published.
 *
 * @param installed packages that the project has beside Latchkey; those of this checkout are linked
 */
export async function makeProject(project: string, installed: readonly string[]): Promise<void> {
  const { tarball } = await packed()
  const latchkey = join(project, 'node_modules/latchkey')
  mkdirSync(latchkey, { recursive: true })
  await promisify(execFile)('tar', ['xzf', tarball, '-C', latchkey, '--strip-components=1'])
  linkPackages(project, installed)
  for (const file of ['app.js', 'stores.js', 'package.json']) cpSync(join(HERE, file), join(project, file))
}

/** Links packages of this checkout into the `node_modules` of a folder. */
export function linkPackages(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), link)
  }
}

/** A bundled application that runs. */
export interface Program {
  readonly origin: string
  /** Everything that it has written. */
  log(): string
  stop(): Promise<void>
}

/** Starts a bundled application, and waits until it listens. */
export async function startProgram(cwd: string, file: string, env: Record<string, string>): Promise<Program> {
  const child = spawn(process.execPath, [file], { cwd, env: { ...ENVIRONMENT, NODE_ENV: 'development', ...env } })
  let written = ''
  const origin = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      written += chunk.toString()
      const port = /"port":(\d+)/.exec(written)?.[1]
      if (port !== undefined) resolve(`http://localhost:${port}`)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}:\n${written}`)))
  })
  return {
    origin,
    log: () => written,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}
