import { textOf } from '../errors.js'

/**
 * Whether a package can be imported. False only where it is certainly missing: in a bundle, where this package itself is not
 * found, packages may be a part of the bundle.
 *
 * @param name the package. It is a parameter because webpack stops at a name that it cannot resolve
 */
export const isInstalled = (name: string): boolean => isMissing('latchkey') || !isMissing(name)

function isMissing(name: string): boolean {
  try {
    import.meta.resolve(name)
    return false
  } catch (error) {
    // CommonJS and some bundlers have no such function: then nothing is known.
    return error instanceof Error && textOf(error, 'code') === 'ERR_MODULE_NOT_FOUND'
  }
}
