const known = new WeakMap<object, Set<string>>()

/**
 * Whether something is met for the first time with its owner: what visitors bring about is told once, however often they do.
 *
 * @param owner what it is told of, such as an adapter or a configuration; as long as that lives it is remembered
 * @param what tells it from others of the same owner, such as the code of a warning
 */
export function once(owner: object, what: string): boolean {
  const met = known.get(owner) ?? new Set()
  known.set(owner, met)
  if (met.has(what)) return false
  met.add(what)
  return true
}
