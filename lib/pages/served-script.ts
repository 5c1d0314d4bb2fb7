import { createHash } from 'node:crypto'
import { loadOnce } from '../awaitable.js'
import type { PasskeyTexts } from '../client/passkey-texts.js'

/** The one script of the built-in pages, which only the sign-in page has. */
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

/** The script for passkey buttons of pages of the application, without its texts; loaded once. */
const loadButtons = loadOnce(async () => (await import('./assets.js')).readButtonsScript())

/** The same script, with what it says. */
export async function buttonsScript(texts: PasskeyTexts): Promise<string> {
  // In a block, so that the page does not get the name.
  return `{const PASSKEY_TEXTS=${JSON.stringify(texts)};\n${await loadButtons()}}\n`
}

/** Its path under the mount. It has no hash: the application writes it into its pages. */
export const BUTTONS_PATH = '/assets/passkey-buttons.js'

/** Path of the script of the sign-in page under the mount, in this version or another. */
export const SCRIPT_PATH = /^\/assets\/passkey\.[\w-]{1,64}\.js$/
