import { AdapterError } from '../errors.js'

/**
 * Imports a driver. Drivers are optional peer dependencies, so they are imported when they are first used.
 *
 * @throws {AdapterError} when the driver is not installed; the message says how to install it
 */
export async function loadDriver<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && String(error.code).endsWith('MODULE_NOT_FOUND')
    if (!isMissing) throw error
    throw new AdapterError(`The package "${name}" is not installed: npm install ${name}`)
  }
}
