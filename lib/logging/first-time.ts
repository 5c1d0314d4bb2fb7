const known = new WeakMap<object, Set<string>>()

/**
 * True at the first call with an owner and a name, false at later calls. A condition that visitors can cause is logged
 * once with it.
 *
 * @param owner what the log line is about, such as an adapter or a configuration; it is held weakly
 * @param what name of the condition, such as the code of a warning
 */
export function isFirstTime(owner: object, what: string): boolean {
  const met = known.get(owner) ?? new Set()
  known.set(owner, met)
  if (met.has(what)) return false
  met.add(what)
  return true
}
