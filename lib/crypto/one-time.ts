import { type Bounded, createSecretMemory } from './memory-by-secret.js'

/** Remembers which one-time values this process has seen used, until they expire by themselves. */
export interface OneTimeLedger {
  /** True the first time a value is consumed, false ever after while it lives. Decided without waiting, so a race has one winner. */
  consume(id: string, expiresAtMs: number): boolean
  /** Whether a value was consumed. */
  has(id: string): boolean
}

/** When a value may be forgotten, in milliseconds. */
interface Expiry {
  /** Of the wall clock, since the epoch. */
  readonly wall: number
  /** Of the machine's own clock. */
  readonly machine: number
}

/**
 * A ledger in memory, bounded: past `capacity` live entries the oldest are forgotten first. A value lives for as long as either clock says: the wall clock may
 * be set forward and back, and a value that was forgotten between would be good once more.
 *
 * @param now milliseconds since the epoch
 * @param elapsed milliseconds since any time, on a clock that nobody sets
 */
export function createOneTimeLedger(
  now: () => number,
  capacity = 100_000,
  elapsed = () => performance.now(),
): OneTimeLedger & Bounded {
  const used = new Map<string, Expiry>()
  const isOver = ({ wall, machine }: Expiry) => wall <= now() && machine <= elapsed()
  /** Insertion order is close to expiry order. */
  const forgetOldest = (size: number) => {
    for (const [id, expiry] of used) {
      if (used.size <= size && !isOver(expiry)) break
      used.delete(id)
    }
  }
  const has = (id: string) => {
    const expiry = used.get(id)
    return expiry !== undefined && !isOver(expiry)
  }
  return {
    has,
    consume(id, expiresAtMs) {
      if (has(id)) return false
      used.delete(id)
      used.set(id, { wall: expiresAtMs, machine: elapsed() + expiresAtMs - now() })
      forgetOldest(capacity)
      return true
    },
    get size() {
      return used.size
    },
    shrinkTo(size) {
      for (const [id, expiry] of used) if (isOver(expiry)) used.delete(id)
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
