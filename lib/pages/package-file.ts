import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/**
 * URL of a file or folder of this package, by its path from the package's root. The build joins modules, so none of them can tell by its own
 * place where the root is.
 */
export const packageFile = (path: string): URL =>
  new URL(path, pathToFileURL(createRequire(import.meta.url).resolve('latchkey/package.json')))
