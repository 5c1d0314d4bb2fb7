/** A value as a program without types would pass it. */
export const untyped = <T>(value: unknown) => value as T
