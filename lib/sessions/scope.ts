import type { Shape } from '../kernel/shape.js'
import type { CurrentReading } from './current-session.js'
import { nobody, type SessionReading } from './session.js'

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

/**
 * A session with a scope, for code that does not know of scopes: nobody is signed in. What was read is in `restricted`, for
 * code that names the scope it needs.
 */
export const restrictedReading = <Reading extends SessionReading>(restricted: Reading) => ({ ...nobody(), restricted })

/**
 * The session of a request, for code that needs a scope. A session that has no scope may do everything, so the reading
 * stays as it is. One that has the needed words is shown, and every other one is not.
 *
 * @param needed undefined if the code names no scope: then no session with a scope is shown
 */
export function readingForScope(reading: CurrentReading, needed: string | undefined): CurrentReading {
  const full = reading.restricted ?? reading
  if (full.scope === null || (needed !== undefined && covers(full.scope, needed))) return full
  return reading === full ? restrictedReading(full) : reading
}
