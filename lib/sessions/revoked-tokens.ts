import { type Bounded, createSecretMemory } from '../kernel/memory-by-secret.js'
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
  readonly subject: string | null
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
  /** By subject. */
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
    for (const { subject } of ids.values()) if (subject !== null) counts.set(subject, (counts.get(subject) ?? 0) + 1)
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
      const { subject } = revocation
      const count = subject === null ? 0 : (counts.get(subject) ?? 0)
      if (subject === null || count <= share) continue
      foldInto(subject, revocation)
      counts.set(subject, count - 1)
      ids.delete(id)
    }
  }

  /** Replaces the oldest entries of people without ids by one cutoff for each provider, until there is room. */
  const foldGroups = (most: number) => {
    for (const list of [ids, cutoffs]) {
      for (const [key, revocation] of list) {
        if (size() <= most) return
        const { subject } = revocation
        const group = subject === null ? null : groupOf(subject)
        if (group === null) continue
        foldInto(group, revocation)
        list.delete(key)
      }
    }
  }

  const foldInto = (subject: string, { began, until }: Revocation) => {
    const cutoff = cutoffs.get(subject)
    cutoffs.set(subject, {
      subject,
      began: Math.max(began, cutoff?.began ?? 0),
      until: Math.max(until, cutoff?.until ?? 0),
    })
  }

  const isBeforeCutoff = (subject: string | null, began: number | null) => {
    const cutoff = subject === null ? undefined : cutoffs.get(subject)
    return cutoff !== undefined && cutoff.until > now() && (began === null || began <= cutoff.began)
  }

  return {
    has({ id, subject, authenticatedAt }) {
      const revocation = ids.get(id)
      if (revocation !== undefined && revocation.until > now()) return true
      if (cutoffs.size === 0 || subject === null) return false
      return [subject, groupOf(subject)].some((each) => isBeforeCutoff(each, authenticatedAt))
    },
    add({ id, subject, authenticatedAt }, until) {
      ids.delete(id)
      ids.set(id, { subject, began: authenticatedAt ?? 0, until })
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
const memory = createSecretMemory((now) => createRevocationList(now), 200_000)

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
