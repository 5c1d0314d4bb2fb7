import { AdapterError, textOf } from '../kernel/errors.js'
import { isInstalled } from '../kernel/packages.js'

/*
 * A driver is an optional peer, which is imported when it is first used. Each import is written out, and stands directly
 * in a `try`: bundlers then take it for one that may fail, and do not stop where the driver is not installed.
 */

/**
 * Called when an adapter is made, so that a driver that is missing stops the start and not the first sign-in.
 *
 * @throws {AdapterError} when the driver is not installed
 */
export function requireDriver(name: string): void {
  if (!isInstalled(name)) throw notInstalled(name)
}

const notInstalled = (name: string) => new AdapterError(`The package "${name}" is not installed: npm install ${name}`)

/** What the import of a driver fails with: an {@link AdapterError} that says what to install, where it is missing. */
export function driverFault(name: string, error: unknown): unknown {
  if (!isMissing(error)) return error
  return notInstalled(name)
}

/** Node and webpack give a code. Vite only says it, and ncc leaves a `require` where there is none. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  (textOf(error, 'code').endsWith('MODULE_NOT_FOUND') ||
    /^Could not resolve |^require is not defined/.test(textOf(error, 'message')))
