import { CLOCK_DIFFERENCE_SECONDS } from '../crypto/claims.js'
import type { Principal } from './session.js'

/** Seconds that a sign-in counts as a recent one, unless the application says otherwise: a quarter of an hour. */
export const RECENT_AUTH_AGE = 15 * 60

/**
 * Whether somebody proved who they are recently enough. Sessions slide, so theirs may be old in an open browser that a stranger finds. A sign-in whose time
 * is not known is not recent, and neither is one that is still to come: the clock was set back since, and it would be recent for longer than it should.
 *
 * @param maxAuthAge seconds; `Infinity` asks nothing
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
