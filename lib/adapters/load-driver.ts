import { AdapterError, textOf } from '../errors.js'

/*
 * A driver is an optional peer, which is imported when it is first used. Each import is written out, and stands directly
 * in a `try`: bundlers then take it for one that may fail, and do not stop where the driver is not installed.
 */

/** What the import of a driver fails with: an {@link AdapterError} that says what to install, where it is missing. */
export function driverFault(name: string, error: unknown): unknown {
  if (!isMissing(error)) return error
  return new AdapterError(`The package "${name}" is not installed: npm install ${name}`)
}

/** Node and webpack give a code. Vite only says it, and ncc leaves a `require` where there is none. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  (textOf(error, 'code').endsWith('MODULE_NOT_FOUND') ||
    /^Could not resolve |^require is not defined/.test(textOf(error, 'message')))
