/**
 * An object without the members that are undefined. An option that is undefined, as from a variable that is not set, counts as absent: spread over a
 * default as it is, it would hide that.
 */
export const withoutUndefined = <T extends object>(value: T | undefined): T =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, member]) => member !== undefined)) as T
