import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** JavaScript that a process read from files. */
export interface Loaded {
  readonly files: number
  readonly bytes: number
}

/**
 * Lists at the end of a process which files it has loaded: a hook sees what is imported, and the cache of CommonJS what is required. Hooks
 * run in a thread of their own, so they write to a file descriptor.
 */
const LIST_LOADED = `
import { createRequire, register } from 'node:module'
import { pathToFileURL } from 'node:url'
const hook = \`
import { writeSync } from 'node:fs'
export async function load(url, context, next) {
  if (url.startsWith('file:')) writeSync(2, 'loaded ' + url + String.fromCharCode(10))
  return next(url, context)
}\`
register('data:text/javascript,' + encodeURIComponent(hook))
const { cache } = createRequire('/')
process.on('exit', () => {
  for (const file of Object.keys(cache)) console.error('loaded ' + pathToFileURL(file).href)
})
`

/**
 * The files that a script loads, itself left out.
 *
 * @throws {Error} with what it printed, when it fails
 */
export async function listLoaded(script: string): Promise<Loaded> {
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(LIST_LOADED)}`]
  const { status, stderr } = spawnSync(process.execPath, [...flags, script], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`)
  const urls = stderr.matchAll(/^loaded (file:\S+)$/gm)
  const files = new Set(Array.from(urls, ([, url = '']) => fileURLToPath(url.split('?', 1)[0] ?? '')))
  files.delete(script)
  const sizes = [...files].map((file) => statSync(file).size)
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}
