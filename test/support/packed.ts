import { execFile } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../docs/documents.js'

const run = promisify(execFile)

/** What npm tells its scripts is about this project, not about the ones that tests make. */
export const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS|NODE_V8_COVERAGE|AUTH_)/i.test(name)),
)

/** Runs npm in a folder. */
export const npm = (cwd: string, args: string[]) =>
  run('npm', args, { cwd, env: ENVIRONMENT, maxBuffer: 16 * 1024 * 1024 })

/** The package as it is published. */
export interface Packed {
  readonly tarball: string
  /** Paths of its files. */
  readonly files: readonly string[]
}

let made: Promise<Packed> | undefined

/** Builds and packs the package, once in a test run. The tarball is removed when this process ends. */
export function packed(): Promise<Packed> {
  made ??= pack()
  return made
}

async function pack(): Promise<Packed> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-packed-')))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const { stdout } = await npm(ROOT, ['pack', '--json', '--pack-destination', folder])
  // The build prints before the list.
  const list = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string; files: { path: string }[] }]
  return { tarball: join(folder, list[0].filename), files: list[0].files.map(({ path }) => path) }
}
