import { type Bounded, createSecretMemory } from '../kernel/memory-by-secret.js'
import type { RecordTimes, SessionTimes } from './lifetime.js'
import type { SessionClaim } from './session-claim.js'

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

/** The longest lifetimes of token sessions, among all configurations of this process. */
type LongestTimes = Pick<SessionTimes, 'maxAge' | 'maxLifetime'>

interface TokenTimes {
  longest(): LongestTimes
  /** Records the lifetime of a token that was read, in seconds. */
  note(maxAge: number): void
}

/** What is known of the tokens of one secret. */
class KnownTimes implements Bounded {
  longest = NO_TIMES

  get size() {
    return this.longest === NO_TIMES ? 0 : 1
  }

  shrinkTo(size: number) {
    if (size < 1) this.longest = NO_TIMES
  }
}

const NO_TIMES: LongestTimes = { maxAge: 0, maxLifetime: 0 }

/** For how many secrets the times are kept; far more than a process has. */
const memory = createSecretMemory(() => new KnownTimes(), 10_000)

/**
 * The longest lifetimes of tokens of some secrets, among all configurations of this process that have one of these
 * secrets. An application may give another `maxAge` for each request. Then a copy of the token may live longer than the
 * token with which the visitor signs out.
 *
 * @param now milliseconds since the epoch
 * @param own the times of the configuration that asks
 */
export function tokenTimesOf(secrets: readonly string[], now: () => number, own: LongestTimes): TokenTimes {
  const shared = memory(secrets, 'session times', now)

  const add = (times: LongestTimes) => {
    for (let index = 0; index < shared.keys.length; index += 1) {
      shared.change((known) => {
        known.longest = longer(known.longest, times)
      }, index)
    }
  }

  add(own)
  return {
    longest() {
      let longest = own
      for (const key of shared.keys) longest = longer(longest, shared.memories.get(key)?.longest ?? own)
      return longest
    },
    note: (maxAge) => add({ maxAge, maxLifetime: own.maxLifetime }),
  }
}

const longer = (one: LongestTimes, other: LongestTimes): LongestTimes => ({
  maxAge: Math.max(one.maxAge, other.maxAge),
  maxLifetime: Math.max(one.maxLifetime, other.maxLifetime),
})
