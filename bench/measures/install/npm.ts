import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageFolder } from '../../subject.js'

const run = promisify(execFile)

/** What lies in `node_modules`. */
export interface Installed {
  readonly packages: number
  /** Sum of the sizes of all files. */
  readonly bytes: number
}

/**
 * Packs the package as it is built now.
 *
 * @returns the file, for {@link install}
 */
export async function packSubject(folder: string): Promise<string> {
  // Without its scripts, which would build it anew while it is measured.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', args, { cwd: packageFolder })
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>)
  if (!packed) throw new Error('npm pack made no file.')
  return join(folder, packed.filename)
}

/** Installs packages into a new folder below the given one. */
export async function install(folder: string, packages: readonly string[]): Promise<Installed> {
  const cwd = await mkdtemp(join(folder, 'app-'))
  await writeFile(join(cwd, 'package.json'), '{ "private": true }')
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier']
  await run('npm', ['install', ...flags, ...packages], { cwd })
  const modules = join(cwd, 'node_modules')
  const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as { packages: object }
  return { packages: Object.keys(lock.packages).length, bytes: await sizeOf(modules) }
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
