import type { OutOfTime } from './claims.js'
import { isFirstTime, type Log } from './logger.js'
import { type Bounded, createSecretMemory, onceInProcess } from './memory-by-secret.js'

/** Remembers which one-time values this process has seen used, until the values expire. */
export interface OneTimeLedger {
  /**
   * Returns true for the first use of a value, and false for every later use. It is synchronous, so of several requests at
   * the same time only one gets true.
   */
  consume(id: string, expiresAtMs: number): boolean
  /** Whether a value was consumed, or may have been: one that expires as late was forgotten. {@link consume} refuses it. */
  has(id: string, expiresAtMs: number): boolean
}

/** The ledger of one secret. */
interface OwnLedger extends OneTimeLedger, Bounded {
  /** Values that expire at this time or earlier count as used: some of them were forgotten. Milliseconds since the epoch. */
  readonly cutoff: number
}

/** By clock: the cutoff of ledgers that have become empty, and are gone. Another copy of this package may make the next ones. */
const floors = onceInProcess('floors of one-time values', () => new WeakMap<() => number, number>())

/** When a value may be forgotten. */
interface Expiry {
  /** By the wall clock, in milliseconds since the epoch. */
  readonly wall: number
  /** By the monotonic clock, in milliseconds. */
  readonly monotonic: number
}

/**
 * A ledger in memory. If it has more than `capacity` entries, it forgets the oldest first, and from then on refuses every
 * value that expires at the same time as these or earlier: anybody can use up many values, and must not make a used one good
 * again. Without that, it forgets a value only when the value has expired by both clocks. Somebody may set the wall clock forward
 * and back again: a value that was forgotten between the two could be used a second time.
 *
 * @param now milliseconds since the epoch
 * @param elapsed milliseconds of a monotonic clock
 */
export function createOneTimeLedger(
  now: () => number,
  capacity = 100_000,
  elapsed = () => performance.now(),
): OwnLedger {
  const used = new Map<string, Expiry>()
  let cutoff = 0
  const isOver = ({ wall, monotonic }: Expiry) => wall <= now() && monotonic <= elapsed()
  /** The oldest entries expire first, or nearly so. */
  const forgetOldest = (size: number) => {
    for (const [id, expiry] of used) {
      const isPast = isOver(expiry)
      if (used.size <= size && !isPast) break
      used.delete(id)
      if (!isPast) cutoff = Math.max(cutoff, expiry.wall)
    }
  }
  const has = (id: string, expiresAtMs: number) => {
    const expiry = used.get(id)
    return expiresAtMs <= cutoff || (expiry !== undefined && !isOver(expiry))
  }
  return {
    has,
    consume(id, expiresAtMs) {
      if (has(id, expiresAtMs)) return false
      used.delete(id)
      used.set(id, { wall: expiresAtMs, monotonic: elapsed() + expiresAtMs - now() })
      forgetOldest(capacity)
      return true
    },
    get size() {
      return used.size
    },
    shrinkTo(size) {
      for (const [id, expiry] of used) if (isOver(expiry)) used.delete(id)
      forgetOldest(size)
      if (used.size === 0) floors.set(now, Math.max(floors.get(now) ?? 0, cutoff))
    },
    get cutoff() {
      return cutoff
    },
  }
}

/** At most 250 000 values: as many as a flood of sign-ins makes in the 15 minutes before the values expire. */
const memory = createSecretMemory('one-time values', (now) => createOneTimeLedger(now), 250_000)

/**
 * The ledger that all configurations with one secret share. A value that was used with one of them is used for all of them,
 * also while the secret is rotated.
 *
 * @param secrets at least one, the newest first
 * @param purpose what the values are for
 * @param now milliseconds since the epoch
 * @param warn called at each use of a value after one that still counted was forgotten
 */
export function sharedLedger(
  secrets: readonly string[],
  purpose: string,
  now: () => number,
  warn: () => void = () => {},
): OneTimeLedger {
  const shared = memory(secrets, purpose, now)
  const each = () => shared.keys.map((key) => shared.memories.get(key))
  const has = (id: string, expiresAtMs: number) =>
    expiresAtMs <= (floors.get(now) ?? 0) || each().some((own) => own?.has(id, expiresAtMs))
  return {
    has,
    consume(id, expiresAtMs) {
      if (Math.max(floors.get(now) ?? 0, ...each().map((own) => own?.cutoff ?? 0)) > now()) warn()
      return !has(id, expiresAtMs) && shared.change((own) => own.consume(id, expiresAtMs))
    },
  }
}

/**
 * Says to an operator why a one-time value has expired or is not valid yet, as the end of a sentence.
 *
 * @param lifetimeSeconds how long the value counts
 */
export function validityMessage({ state, seconds }: OutOfTime, lifetimeSeconds: number): string {
  const clocks = 'or the clocks of your processes differ'
  return state === 'not-yet'
    ? `was begun ${seconds} s in the future by this machine's clock: the clock was set back meanwhile, ${clocks}`
    : `expired ${seconds} s ago by this machine's clock. It took longer than ${inMinutes(lifetimeSeconds)}; or, since browsers delete its cookies by then, the clock was set forward meanwhile, ${clocks}`
}

/** A lifetime as messages show it: `15 minutes`. */
export const inMinutes = (seconds: number): string => `${seconds / 60} minutes`

/** Warns once that used answers were forgotten, for each ledger of them. */
export const warnOfForgotten = (logger: Log) => (): void => {
  if (isFirstTime(logger, 'used-answers-forgotten')) logger.warn('used-answers-forgotten')
}
