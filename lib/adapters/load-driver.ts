import { AdapterError } from '../errors.js'

/**
 * A driver, which is an optional peer: imported when it is first used.
 *
 * @throws {AdapterError} that says what to install, when it is not there
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
