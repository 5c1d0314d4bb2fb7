import { type Bounded, createSecretMemory } from '../crypto/memory-by-secret.js'
import { groupOf, type SessionClaim } from '../crypto/session-claim.js'
import type { LongestTimes } from './token-times.js'

/** Token sessions that were signed out. No copy of their cookie counts any more, in whichever form it was renewed. */
export interface RevokedTokens {
  has(sessionClaim: SessionClaim): boolean
  /** @param until when no form of the session can be valid any more, milliseconds since the epoch */
  add(sessionClaim: SessionClaim, until: number): void
}

/** The revocation list of one secret. */
export interface RevocationList extends RevokedTokens, Bounded {
  /** How many were forgotten while a copy of them may still be valid. */
  readonly forgotten: number
}

/** Revokes all sessions of one person, or of a provider's people without ids, that began no later than `began`. */
interface Cutoff {
  readonly began: number | null
  readonly until: number
}

interface Revocation extends Cutoff {
  readonly subject: string | null
}

/**
 * A list in memory, of bounded size. When it is full, those people make room who fill most of it. One cutoff takes the place
 * of their oldest entries: all their sessions that began until then are revoked, and those that were signed out are among
 * them. People whose names may be made up are first taken together by their provider. So nobody can make the list forget
 * sessions, of themselves or of others. Only where more people with ids of their own have signed out than there is room
 * for, the oldest are forgotten.
 *
 * @param now milliseconds since the epoch
 */
export function createRevocationList(now: () => number, capacity = 100_000): RevocationList {
  const ids = new Map<string, Revocation>()
  const cutoffs = new Map<string, Cutoff>()
  let forgotten = 0
  const size = () => ids.size + cutoffs.size

  const forgetExpired = () => {
    const time = now()
    for (const [id, { until }] of ids) if (until <= time) ids.delete(id)
    for (const [subject, { until }] of cutoffs) if (until <= time) cutoffs.delete(subject)
  }

  const shrinkTo = (most: number) => {
    forgetExpired()
    const counts = new Map<string, number>()
    for (const { subject } of ids.values()) if (subject !== null) counts.set(subject, (counts.get(subject) ?? 0) + 1)
    let share = counts.size === 0 ? 0 : [...counts.values()].reduce((one, other) => Math.max(one, other))
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

  /** Folds the oldest sessions of those who have more than their share, until there is room. */
  const foldAbove = (share: number, counts: Map<string, number>, most: number) => {
    for (const [id, { subject, began, until }] of ids) {
      if (size() <= most) return
      const count = subject === null ? 0 : (counts.get(subject) ?? 0)
      if (subject === null || count <= share) continue
      foldInto(subject, began ?? 0, until)
      counts.set(subject, count - 1)
      ids.delete(id)
    }
  }

  /** Folds the oldest of those without ids, together with others of their provider, until there is room. */
  const foldGroups = (most: number) => {
    const fold = <T extends Cutoff>(list: Map<string, T>, subjectOf: (key: string, entry: T) => string | null) => {
      for (const [key, entry] of list) {
        if (size() <= most) return
        const subject = subjectOf(key, entry)
        const group = subject === null ? null : groupOf(subject)
        if (group === null) continue
        foldInto(group, entry.began ?? 0, entry.until)
        list.delete(key)
      }
    }
    fold(ids, (_id, { subject }) => subject)
    fold(cutoffs, (subject) => subject)
  }

  const foldInto = (subject: string, began: number, until: number) => {
    const cutoff = cutoffs.get(subject)
    cutoffs.set(subject, { began: Math.max(began, cutoff?.began ?? 0), until: Math.max(until, cutoff?.until ?? 0) })
  }

  const isBeforeAnyCutoff = (subject: string, began: number | null) => {
    const group = groupOf(subject)
    return isBeforeCutoff(subject, began) || (group !== null && isBeforeCutoff(group, began))
  }

  const isBeforeCutoff = (subject: string, began: number | null) => {
    const cutoff = cutoffs.get(subject)
    return cutoff !== undefined && cutoff.until > now() && (began === null || began <= (cutoff.began ?? 0))
  }

  return {
    has({ id, subject, authenticatedAt }) {
      const revocation = ids.get(id)
      if (revocation !== undefined && revocation.until > now()) return true
      return cutoffs.size > 0 && subject !== null && isBeforeAnyCutoff(subject, authenticatedAt)
    },
    add({ id, subject, authenticatedAt }, until) {
      ids.delete(id)
      ids.set(id, { subject, began: authenticatedAt, until })
      // More room than is needed now, since all of it has to be looked through.
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

/** Processes' clocks differ a little, and a token counts a little after its expiry. */
const MARGIN_MS = 60 * 1000
/** A token without an expiry is good for as long as the application's own codec takes it; its revocation is kept for 400 days. */
const ENDLESS_MS = 400 * 24 * 60 * 60 * 1000

/**
 * When no form of a session can be valid any more: for so long its revocation is kept. All times but those of `longest` are
 * milliseconds since the epoch.
 *
 * @param expires of the form that is known; null where it has no expiry
 * @param longest how long any form may have been made to live, seconds
 */
export function lastExpiryOf(
  expires: number | null,
  authenticatedAt: number | null,
  longest: LongestTimes,
  time: number,
): number {
  const renewed = Math.max(expires ?? time + ENDLESS_MS, time + longest.maxAge * 1000)
  const limit = authenticatedAt === null ? Number.POSITIVE_INFINITY : authenticatedAt + longest.maxLifetime * 1000
  // A form that has an expiry may outlive the limit, where that was configured later.
  return Math.max(Math.min(renewed, limit), expires ?? 0) + MARGIN_MS
}

/** Twice as many as there is room for under one secret. */
const memory = createSecretMemory((now) => createRevocationList(now), 200_000)

/**
 * The sessions that were signed out under some secrets, in this process, for all configurations with these secrets.
 *
 * @param secrets at least one; the first makes everything
 * @param now milliseconds since the epoch
 * @param warn called once, when there were too many to be remembered
 */
export function revokedTokensOf(secrets: readonly string[], now: () => number, warn: () => void): RevokedTokens {
  const shared = memory(secrets, 'signed-out sessions', now)
  let isWarned = false
  return {
    has(sessionClaim) {
      for (let index = 0; index < shared.count; index += 1) if (shared.at(index)?.has(sessionClaim)) return true
      return false
    },
    add(sessionClaim, until) {
      const forgotten = shared.change((own) => {
        own.add(sessionClaim, until)
        return own.forgotten
      })
      if (forgotten === 0 || isWarned) return
      isWarned = true
      warn()
    },
  }
}
