import { textMember } from './errors.js'

/**
 * Whether a package can be imported. False only where it is certainly missing: in a bundle, where this package itself is not
 * found, packages may be a part of the bundle.
 *
 * @param name the package. It is a parameter because webpack stops at a name that it cannot resolve
 */
export const isInstalled = (name: string): boolean => isMissing('latchkey/package.json') || !isMissing(name)

function isMissing(name: string): boolean {
  try {
    pathOf(name)
    return false
  } catch (error) {
    // CommonJS and some bundlers have no URL of this file: then nothing is known.
    return error instanceof Error && textMember(error, 'code') === 'MODULE_NOT_FOUND'
  }
}

/**
 * The file that `require` of a package loads. Of `import.meta`, ncc knows the `url` alone, and leaves others in CommonJS, which
 * then does not parse. webpack would take an imported `createRequire` for a `require` of the bundle.
 *
 * @throws {Error} when there is no such file, or this one is not known
 */
export function pathOf(name: string): string {
  // webpack writes the place of the source into a bundle. No ES module of Node has `module`, a bundle of CommonJS has.
  if (typeof module !== 'undefined') throw new Error('The code is in a bundle.')
  return process
    .getBuiltinModule('node:module')
    .createRequire(import.meta.url)
    .resolve(name)
}

/**
 * What a CommonJS package exports. Node and bundlers do not agree: they give the members of `module.exports` as exports of
 * their own, or the whole as the default, or both.
 *
 * @param name a member of what the package exports
 */
export function commonJsExports<Module extends object>(module: Module, name: keyof Module): Module {
  if (name in module) return module
  return (module as { readonly default?: Module }).default ?? module
}
