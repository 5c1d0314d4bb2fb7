import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** In the project, so that Node finds the packages. */
const FOLDER = join(ROOT, '.tmp/compiled', String(process.pid))

const made = new Map<string, Promise<string>>()

/**
 * Compiles a module, with all that it imports from this project, to one file of JavaScript. A process that runs the
 * file starts several times faster than a process that has to load TypeScript. Each module is compiled once in a test
 * run.
 *
 * @param entry path from the root of the project
 * @returns path of the file, which is removed when this process ends
 */
export function compiled(entry: string): Promise<string> {
  const known = made.get(entry)
  if (known) return known
  if (made.size === 0) process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }))
  const file = compile(entry)
  made.set(entry, file)
  return file
}

async function compile(entry: string): Promise<string> {
  const outfile = join(FOLDER, `${made.size}-${basename(entry, '.ts')}.mjs`)
  await build({
    entryPoints: [join(ROOT, entry)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  })
  return outfile
}
