import { join } from 'node:path'
import { isError } from './describe-value.js'
import { textMember } from './errors.js'

/**
 * Whether a package can be imported. False only where it is certainly missing: in a bundle, where this package itself is not
 * found, packages may be a part of the bundle.
 *
 * @param name the package. It is a parameter because webpack stops at a name that it cannot resolve
 */
export const isInstalled = (name: string): boolean => isMissing('latchkey') || !isMissing(name)

/** By its description: what was traced for a deployment may have the ES modules of a package alone, which `require` does not find. */
function isMissing(name: string): boolean {
  try {
    requireHere().resolve(`${name}/package.json`)
    return false
  } catch (error) {
    // Some packages do not export it. CommonJS and some bundlers have no URL of this file: then nothing is known.
    return isError(error) && textMember(error, 'code') === 'MODULE_NOT_FOUND'
  }
}

/**
 * The files that may be the description of an installed package, the one that counts first.
 *
 * @throws {Error} in a bundle, where none is known
 */
export const descriptionsOf = (name: string): readonly string[] =>
  (requireHere().resolve.paths(name) ?? []).map((folder) => join(folder, name, 'package.json'))

/**
 * The `require` of this file. Of `import.meta`, ncc knows the `url` alone, and leaves others in CommonJS, which then does not
 * parse. webpack would take an imported `createRequire` for a `require` of the bundle.
 *
 * @throws {Error} when this file is not known
 */
function requireHere(): NodeJS.Require {
  // webpack writes the place of the source into a bundle. No ES module of Node has `module`, a bundle of CommonJS has.
  if (typeof module !== 'undefined') throw new Error('The code is in a bundle.')
  return process.getBuiltinModule('node:module').createRequire(import.meta.url)
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
