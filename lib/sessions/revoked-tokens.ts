import { type Bounded, createSecretMemory } from '../kernel/memory-by-secret.js'
import type { FoundTimes, SessionTimes } from './lifetime.js'
import { groupOf, type SessionClaim } from './session-claim.js'

/** Token sessions that were revoked. No copy of their cookie counts any more, not even a copy with a renewed token. */
export interface RevokedTokens {
  has(sessionClaim: SessionClaim): boolean
  /** @param until from when on no token of the session can be valid, milliseconds since the epoch */
  add(sessionClaim: SessionClaim, until: number): void
}

interface RevocationList extends RevokedTokens, Bounded {
  /** How many revocations were forgotten while a copy of their tokens may still be valid. */
  readonly forgotten: number
}

/**
 * The revocation of one session; or, as a cutoff, of all sessions that began at `began` or earlier, of one person or of
 * all people of a provider that gives no ids. A session whose beginning is not known counts as the earliest.
 */
interface Revocation {
  /** The person, or the group of all people of a provider; null if it is not known. */
  readonly personDigest: string | null
  readonly began: number
  readonly until: number
}

/**
 * A list in memory, of limited size. When it is full, the people with the most entries make room. One cutoff replaces
 * their oldest entries: it revokes all their sessions that began until then, and so also the sessions of these entries.
 * Before that, people whose names may be made up are put together by their provider. So nobody can make the list forget
 * sessions, neither their own nor those of others. Only if more people with ids have signed out than the list can hold,
 * the oldest entries are forgotten.
 *
 * @param now milliseconds since the epoch
 */
export function createRevocationList(now: () => number, capacity = 100_000): RevocationList {
  const ids = new Map<string, Revocation>()
  /** By person. */
  const cutoffs = new Map<string, Revocation>()
  let forgotten = 0
  const size = () => ids.size + cutoffs.size

  const forgetExpired = () => {
    const time = now()
    for (const list of [ids, cutoffs]) for (const [key, { until }] of list) if (until <= time) list.delete(key)
  }

  const shrinkTo = (most: number) => {
    forgetExpired()
    const counts = new Map<string, number>()
    for (const { personDigest } of ids.values())
      if (personDigest !== null) counts.set(personDigest, (counts.get(personDigest) ?? 0) + 1)
    let share = [...counts.values()].reduce((one, other) => Math.max(one, other), 0)
    while (size() > most && share > 1) {
      share = Math.floor(share / 2)
      foldAbove(share, counts, most)
    }
    foldGroups(most)
    for (const list of [ids, cutoffs]) {
      for (const key of list.keys()) {
        if (size() <= most) return
        list.delete(key)
        forgotten += 1
      }
    }
  }

  /** Replaces the oldest entries of people with more than `share` entries by cutoffs, until there is room. */
  const foldAbove = (share: number, counts: Map<string, number>, most: number) => {
    for (const [id, revocation] of ids) {
      if (size() <= most) return
      const { personDigest } = revocation
      const count = personDigest === null ? 0 : (counts.get(personDigest) ?? 0)
      if (personDigest === null || count <= share) continue
      foldInto(personDigest, revocation)
      counts.set(personDigest, count - 1)
      ids.delete(id)
    }
  }

  /** Replaces the oldest entries of people without ids by one cutoff for each provider, until there is room. */
  const foldGroups = (most: number) => {
    for (const list of [ids, cutoffs]) {
      for (const [key, revocation] of list) {
        if (size() <= most) return
        const { personDigest } = revocation
        const group = personDigest === null ? null : groupOf(personDigest)
        if (group === null) continue
        foldInto(group, revocation)
        list.delete(key)
      }
    }
  }

  const foldInto = (personDigest: string, { began, until }: Revocation) => {
    const cutoff = cutoffs.get(personDigest)
    cutoffs.set(personDigest, {
      personDigest,
      began: Math.max(began, cutoff?.began ?? 0),
      until: Math.max(until, cutoff?.until ?? 0),
    })
  }

  const isBeforeCutoff = (personDigest: string | null, began: number | null) => {
    const cutoff = personDigest === null ? undefined : cutoffs.get(personDigest)
    return cutoff !== undefined && cutoff.until > now() && (began === null || began <= cutoff.began)
  }

  return {
    has({ id, personDigest, authenticatedAt }) {
      const revocation = ids.get(id)
      if (revocation !== undefined && revocation.until > now()) return true
      if (cutoffs.size === 0 || personDigest === null) return false
      return [personDigest, groupOf(personDigest)].some((each) => isBeforeCutoff(each, authenticatedAt))
    },
    add({ id, personDigest, authenticatedAt }, until) {
      ids.delete(id)
      ids.set(id, { personDigest, began: authenticatedAt ?? 0, until })
      // It makes more room than is needed now, because it has to look through the whole list.
      if (size() > capacity) shrinkTo(Math.floor(capacity * 0.9))
    },
    get size() {
      return size()
    },
    get forgotten() {
      return forgotten
    },
    shrinkTo,
  }
}

/** For all secrets together, twice as many entries as for one secret. */
const memory = createSecretMemory('signed-out sessions', (now) => createRevocationList(now), 200_000)

/**
 * The sessions that were signed out under some secrets, in this process, for all configurations with these secrets.
 *
 * @param secrets at least one; the first encrypts
 * @param now milliseconds since the epoch
 * @param warn called each time that something is revoked after an entry was forgotten
 */
export function revokedTokensOf(secrets: readonly string[], now: () => number, warn: () => void): RevokedTokens {
  const shared = memory(secrets, 'signed-out sessions', now)
  return {
    has(sessionClaim) {
      for (const key of shared.keys) if (shared.memories.get(key)?.has(sessionClaim)) return true
      return false
    },
    add(sessionClaim, until) {
      const forgotten = shared.change((own) => {
        own.add(sessionClaim, until)
        return own.forgotten
      })
      if (forgotten > 0) warn()
    },
  }
}

/** What a token session says about its times. */
export interface TokenSessionTimes extends FoundTimes {
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
    const most = Math.min(lifetime?.maxLifetime ?? maxLifetime, maxLifetime)
    const limit = authenticatedAt === null ? Number.POSITIVE_INFINITY : authenticatedAt + most * 1000
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
const memoryOfTimes = createSecretMemory('session times', () => new KnownTimes(), 10_000)

/**
 * The longest lifetimes of tokens of some secrets, among all configurations of this process that have one of these
 * secrets. An application may give another `maxAge` for each request. Then a copy of the token may live longer than the
 * token with which the visitor signs out.
 *
 * @param now milliseconds since the epoch
 * @param own the times of the configuration that asks
 */
export function tokenTimesOf(secrets: readonly string[], now: () => number, own: LongestTimes): TokenTimes {
  const shared = memoryOfTimes(secrets, 'session times', now)

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
