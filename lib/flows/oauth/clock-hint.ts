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
