import type { ActionContext } from '../context/action-context.js'
import { type CookieChange, type CookieKey, clearSuffixed } from '../http/cookies.js'

/** The cookies that a sign-in keeps while it is on its way. */
const ATTEMPT_COOKIES = [
  'state',
  'pkceCodeVerifier',
  'nonce',
  'webauthnChallenge',
  'emailRequest',
] as const satisfies readonly CookieKey[]

/**
 * Ends every sign-in that is open in the browser: those at providers, passkeys that were asked for, and the knowledge that it asked for a mailed link, which
 * then asks before it signs in. What was begun before somebody signed in or out was begun by somebody else.
 */
export const endAttempts = ({ cookies, specs }: Pick<ActionContext, 'cookies' | 'specs'>): readonly CookieChange[] =>
  ATTEMPT_COOKIES.flatMap((key) => clearSuffixed(cookies, specs[key]))
