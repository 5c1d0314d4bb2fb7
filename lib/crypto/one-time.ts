import { type Bounded, createSecretMemory } from './by-secret.js'

/** Remembers which one-time values this process has seen used, until they expire by themselves. */
export interface OneTimeLedger {
  /** True the first time a value is consumed, false ever after while it lives. Decided without waiting, so a race has one winner. */
  consume(id: string, expiresAtMs: number): boolean
  /** Whether a value was consumed. */
  has(id: string): boolean
}

/**
 * A ledger in memory, bounded: past `capacity` live entries the oldest are forgotten first.
 *
 * @param now milliseconds since the epoch
 */
export function createOneTimeLedger(now: () => number, capacity = 100_000): OneTimeLedger & Bounded {
  const used = new Map<string, number>()
  /** Insertion order is close to expiry order. */
  const forgetOldest = (size: number) => {
    const time = now()
    for (const [id, expiresAt] of used) {
      if (expiresAt > time && used.size <= size) break
      used.delete(id)
    }
  }
  const has = (id: string) => {
    const expiresAt = used.get(id)
    return expiresAt !== undefined && expiresAt > now()
  }
  return {
    has,
    consume(id, expiresAtMs) {
      if (has(id)) return false
      used.delete(id)
      used.set(id, expiresAtMs)
      forgetOldest(capacity)
      return true
    },
    get size() {
      return used.size
    },
    shrinkTo(size) {
      const time = now()
      for (const [id, expiresAt] of used) if (expiresAt <= time) used.delete(id)
      forgetOldest(size)
    },
  }
}

/** A quarter of a million values: what a flood of sign-ins leaves behind within the quarter of an hour that they live. */
const memory = createSecretMemory((now) => createOneTimeLedger(now), 250_000)

/**
 * The ledger of all configurations that have a secret: a value made with it is used up for all of them, and stays so while the secret rotates.
 *
 * @param secrets at least one; the first makes everything
 * @param purpose what the values are for
 * @param now milliseconds since the epoch
 */
export function sharedLedger(secrets: readonly string[], purpose: string, now: () => number): OneTimeLedger {
  const shared = memory(secrets, purpose, now)
  const has = (id: string) => {
    for (let index = 0; index < shared.count; index += 1) if (shared.at(index)?.has(id)) return true
    return false
  }
  return {
    has,
    consume: (id, expiresAtMs) => !has(id) && shared.change((own) => own.consume(id, expiresAtMs)),
  }
}
