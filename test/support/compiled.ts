import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** In the project, so that Node finds the packages. */
const FOLDER = join(ROOT, '.tmp/compiled', String(process.pid))

const modules = new Map<string, Promise<string>>()
let files = 0

/**
 * Compiles a module, with all that it imports from this project, to one file of JavaScript. A process that runs the
 * file starts several times faster than a process that has to load TypeScript. Each module is compiled once in a test
 * run.
 *
 * @param entry path from the root of the project
 * @returns path of the file, which is removed when this process ends
 */
export function compiled(entry: string): Promise<string> {
  const known = modules.get(entry)
  if (known) return known
  const file = compile(join(ROOT, entry))
  modules.set(entry, file)
  return file
}

/**
 * Compiles a file that a test has written to one file of JavaScript, as {@link compiled} does. The same path is compiled
 * again each time.
 *
 * @param entry absolute path
 * @param tsconfig absolute path of the tsconfig.json whose `paths` apply to the imports; none by default
 * @param plugins of esbuild
 * @returns path of the file, which is removed when this process ends
 */
export async function compile(entry: string, tsconfig?: string, plugins: Plugin[] = []): Promise<string> {
  if (files === 0) process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }))
  files += 1
  const outfile = join(FOLDER, `${files}-${basename(entry, '.ts')}.mjs`)
  await build({
    entryPoints: [entry],
    outfile,
    ...(tsconfig !== undefined && { tsconfig }),
    plugins,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    // Only the report of coverage reads it, and it doubles the time that a process takes to start.
    sourcemap: process.env['NODE_V8_COVERAGE'] ? 'inline' : false,
    logLevel: 'warning',
  })
  return outfile
}
