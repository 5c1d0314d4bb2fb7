import { textMember } from './errors.js'

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
    return error instanceof Error && textMember(error, 'code') === 'ERR_MODULE_NOT_FOUND'
  }
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
