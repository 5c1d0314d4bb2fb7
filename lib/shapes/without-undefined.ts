/**
 * A copy of an object without the members that are undefined. An option that is undefined, for example because a variable
 * is unset, counts as absent. If it were spread over a default, it would replace the default.
 */
export const withoutUndefined = <T extends object>(value: T | undefined): T =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, member]) => member !== undefined)) as T
