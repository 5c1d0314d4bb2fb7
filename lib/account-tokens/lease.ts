import { randomToken } from '../crypto/random.js'

/*
 * A lease says that one process refreshes the tokens of an account. It is a nonce and the time until which it counts, so
 * that a process that was killed does not keep the others waiting.
 */

/** A new lease, which no other process has. */
export const newLease = (now: number, lengthMs: number): string => `${randomToken(16)}.${now + lengthMs}`

/**
 * Whether a stored lease counts. One that ends later than any process would choose was not made by Latchkey, or by a
 * process whose clock is far ahead: it must not keep everybody out for ever.
 */
export function isLeaseInForce(stored: string | null | undefined, now: number, lengthMs: number): boolean {
  const until = Number(/^[\w-]{22}\.(\d{1,16})$/.exec(stored ?? '')?.[1] ?? Number.NaN)
  return until > now && until <= now + lengthMs + CLOCK_DIFFERENCE_MS
}

const CLOCK_DIFFERENCE_MS = 60_000
