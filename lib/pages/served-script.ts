import { createHash } from 'node:crypto'
import { loadOnce } from '../awaitable.js'

/** The one script of the built-in pages. */
export interface ServedScript {
  /** Path under the mount, with the hash of the source in it: `assets/passkey.{hash}.js`. */
  readonly path: string
  /** An ES module without imports. */
  readonly source: string
}

/** The script, loaded at the first call and kept for the process. */
export const loadScript: () => Promise<ServedScript> = loadOnce(async () => {
  const { readScript } = await import('./assets.js')
  const source = await readScript()
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 22)
  return { path: `assets/passkey.${hash}.js`, source }
})

/** Path of the script under the mount, in this version or another. */
export const SCRIPT_PATH = /^\/assets\/passkey\.[\w-]{1,64}\.js$/
