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
export function createOneTimeLedger(now: () => number, capacity = 100_000): OneTimeLedger {
  const used = new Map<string, number>()
  const forgetOld = () => {
    const time = now()
    for (const [id, expiresAt] of used) {
      // Insertion order is close to expiry order; the first live entry ends the sweep unless the ledger is full.
      if (expiresAt > time && used.size <= capacity) break
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
      forgetOld()
      return true
    },
  }
}
