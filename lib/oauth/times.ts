/**
 * Seconds from the start of a sign-in at a provider to its callback. The one-time values of the transaction count for so
 * long, and so does the state that a redirect proxy reads.
 */
export const TRANSACTION_LIFETIME_SECONDS = 15 * 60

/** Seconds that the clock of a provider may differ from the clock of this machine. */
export const PROVIDER_CLOCK_TOLERANCE_SECONDS = 60

/**
 * A clock that never goes back, in milliseconds; it measures ages. Between two readings it advances as far as the wall
 * clock or as the machine's own clock, as far as the faster of the two: the wall clock may be set back, and the
 * machine's clock stands still while the machine sleeps.
 *
 * @param now milliseconds since the epoch
 * @param elapsed milliseconds since any time, on a clock that nobody sets
 */
export function createSteadyClock(now: () => number, elapsed = () => performance.now()): () => number {
  let time = 0
  let before = { wall: now(), machine: elapsed() }
  return () => {
    const read = { wall: now(), machine: elapsed() }
    time += Math.max(read.wall - before.wall, read.machine - before.machine, 0)
    before = read
    return time
  }
}

const TIMES: Readonly<Record<string, string>> = {
  exp: 'its end (exp)',
  iat: 'the moment it was issued (iat)',
  nbf: 'its beginning (nbf)',
  auth_time: 'the moment the person signed in there (auth_time)',
}

/**
 * What to add to the error when a token is refused because of one of its times: how far the time is from this machine's
 * clock. This clock is wrong more often than that of a provider. Empty for every other refusal.
 *
 * @param error of `jose`, or of the protocol library, which keeps the claim and the claims in its cause
 * @param now milliseconds since the epoch
 * @param date the `Date` header of the answer that brought the token (RFC 9110 §6.6.1): it shows which of the two clocks is off
 */
export function clockHint(error: unknown, now: number, date: string | null = null): string {
  const found = refusedTime(error)
  if (!found) return ''
  const seconds = Math.round(found.time - now / 1000)
  const where = seconds > 0 ? `${seconds} s ahead of` : `${-seconds} s behind`
  return ` ${found.name} is ${where} this machine's clock: see that the clock is right.${providerClock(date, now)}`
}

/** How far the clock of the provider is from this one. A difference of a few seconds is the way of the answer. */
function providerClock(date: string | null, now: number): string {
  const time = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(time)) return ''
  const seconds = Math.round((time - now) / 1000)
  if (Math.abs(seconds) < 5) return ' By the Date header of its answer, the clock of the provider agrees with it.'
  const where = seconds > 0 ? `${seconds} s ahead of` : `${-seconds} s behind`
  return ` By the Date header of its answer, the clock of the provider is ${where} it.`
}

function refusedTime(error: unknown, depth = 0): { readonly name: string; readonly time: number } | null {
  if (typeof error !== 'object' || error === null || depth > 3) return null
  const { claim, payload, claims, cause } = error as Record<string, unknown>
  const members = payload ?? claims
  const name = typeof claim === 'string' ? TIMES[claim] : undefined
  if (name === undefined || typeof members !== 'object' || members === null) return refusedTime(cause, depth + 1)
  const time = (members as Record<string, unknown>)[claim as string]
  return typeof time === 'number' && Math.abs(time) < Number.MAX_SAFE_INTEGER ? { name, time } : null
}
