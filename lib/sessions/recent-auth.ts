import { CLOCK_DIFFERENCE_SECONDS } from '../kernel/claims.js'
import { RecentSignInRequired } from '../kernel/errors.js'
import type { Principal } from './session.js'

/** For how many seconds a sign-in is recent, unless the application has set another number: a quarter of an hour. */
export const RECENT_AUTH_AGE = 15 * 60

/**
 * Whether somebody proved recently who they are. Sessions slide, so the session in an open browser may be old, and the
 * person in front of it may be a stranger. A sign-in is not recent if its time is not known, or is in the future: then
 * the clock was set back, and the sign-in would be recent for too long.
 *
 * @param maxAuthAge seconds; with `Infinity`, every sign-in is recent
 * @param now gives milliseconds since the epoch
 */
export const isRecent = (
  { authenticatedAt }: Pick<Principal, 'authenticatedAt'>,
  maxAuthAge: number,
  now: () => number,
) => {
  if (maxAuthAge === Number.POSITIVE_INFINITY) return true
  if (authenticatedAt === null) return false
  const age = now() - authenticatedAt
  return age <= maxAuthAge * 1000 && age >= -CLOCK_DIFFERENCE_SECONDS * 1000
}

/**
 * Whether somebody may add a way to sign in, or keep all of them: the sign-in is recent, and was in this browser. Otherwise the
 * session may have been planted there, and the visitor would give another person a way into their account, or keep it.
 */
export const isRecentHere = (principal: Principal, maxAuthAge: number, now: () => number): boolean =>
  principal.signedInHere === true && isRecent(principal, maxAuthAge, now)

/**
 * Lets somebody do what a stranger at an open browser must not do.
 *
 * @param deed what was to be done, for the log
 * @throws {RecentSignInRequired} if they did not prove recently who they are: {@link isRecent}
 */
export function requireRecent(
  principal: Pick<Principal, 'authenticatedAt'>,
  maxAuthAge: number,
  now: () => number,
  deed: 'to end other sessions of theirs' | 'to get a token' | 'to remove a passkey' | 'to remove an account',
): void {
  if (isRecent(principal, maxAuthAge, now)) return
  throw new RecentSignInRequired(
    `A user asked ${deed}, and signed in longer ago than session.recentAuthAge or the call allows, or nobody knows when.`,
  )
}
