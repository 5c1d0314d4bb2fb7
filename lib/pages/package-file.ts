import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/**
 * URL of a file or folder of this package, by its path from the package's root. The build joins modules, so the root
 * cannot be found by the place of a module.
 */
export const packageFile = (path: string): URL =>
  new URL(path, pathToFileURL(createRequire(import.meta.url).resolve('latchkey/package.json')))
