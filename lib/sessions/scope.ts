import type { Shape } from '../shapes/shape.js'

/** One word or several, with one blank between them. A word has visible ASCII without `"` and `\` (RFC 6749 §3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/** Stores keep it in a column. */
const MAX_LENGTH = 500

/**
 * A scope. Without one there is no restriction, so a member that is present and undefined is refused: a variable that is
 * not set must not lift it.
 */
export const scopeShape: Shape<string> = {
  expected: `a scope: words with one blank between them, such as "reports:read users:list", at most ${MAX_LENGTH} characters`,
  fits: (value) => typeof value === 'string' && value.length <= MAX_LENGTH && SCOPE.test(value),
  isPublic: true,
  isLimit: true,
}

/** Whether a session may do what needs some words: it has all of them. The order does not count. */
export function covers(granted: string, needed: string): boolean {
  const words = new Set(granted.split(' '))
  return needed.split(' ').every((word) => words.has(word))
}

/**
 * The scope in a token or a row; null if the session is not restricted. A value that cannot be a scope is a restriction to
 * nothing.
 */
export const scopeIn = (value: unknown): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : ''
