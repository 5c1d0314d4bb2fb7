import type { SessionClaim } from '../crypto/session-claim.js'
import type { RecordTimes } from './lifetime.js'
import type { LongestTimes } from './token-times.js'

/** What a token session says about its times. */
export interface TokenSessionTimes extends RecordTimes {
  /** Nothing moves the end of an issued token. */
  readonly kind?: 'token' | null | undefined
  /** As {@link SessionClaim.until}. */
  readonly until?: number | undefined
}

/** Gives from when on no token of a session can be valid, milliseconds since the epoch. */
export type LastExpiry = (session: TokenSessionTimes) => number

/**
 * The claim for another token of a session, after a token that lived longer: `maxAge` was shortened since. Other tokens of
 * then may still be issued at this moment, in processes that are about to end, and each lives as long.
 */
export const claimAfter = (
  claim: SessionClaim,
  before: { readonly expires: number | null; readonly issuedAt: number | null },
  { issuedAt, expires }: { readonly issuedAt: number; readonly expires: number },
): SessionClaim => {
  if (before.expires === null || before.expires <= expires + MARGIN_MS) return claim
  const lifetime = before.expires - (before.issuedAt ?? before.expires)
  return { ...claim, until: Math.max(claim.until ?? 0, before.expires, issuedAt + lifetime) }
}

/** The clocks of processes differ a little, and a token still counts for a short time after its expiry. */
const MARGIN_MS = 60 * 1000

/**
 * 400 days, in milliseconds. A token without an expiry is valid as long as the application's own codec accepts it. What
 * says that its session has ended is kept for this time.
 */
export const ENDLESS_MS = 400 * 24 * 60 * 60 * 1000

/**
 * The time after which nothing needs to be known of the revocation of a token session: no copy of a token can be valid.
 *
 * @param longestTimes the longest lifetimes that any token of these secrets may have, in seconds
 * @param now milliseconds since the epoch
 */
export function lastExpiries(longestTimes: () => LongestTimes, now: () => number): LastExpiry {
  return ({ authenticatedAt, expires, lifetime, kind, until = 0 }) => {
    if (kind === 'token' && expires !== null) return expires + MARGIN_MS
    const { maxAge, maxLifetime } = longestTimes()
    const time = now()
    const renewed = Math.max(expires ?? time + ENDLESS_MS, time + Math.max(maxAge, lifetime?.maxAge ?? 0) * 1000)
    const limit = authenticatedAt === null ? Number.POSITIVE_INFINITY : authenticatedAt + maxLifetime * 1000
    // A token may expire after the limit if the limit was configured later.
    return Math.max(Math.min(renewed, limit), expires ?? 0, until) + MARGIN_MS
  }
}
