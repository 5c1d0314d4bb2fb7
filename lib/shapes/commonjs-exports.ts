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
