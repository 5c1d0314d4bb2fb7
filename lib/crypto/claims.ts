/** How long a token still counts after its expiry, because the clocks of machines differ a little. Auth.js allows as much. */
export const EXPIRY_TOLERANCE_SECONDS = 15
/** How far the clocks of two processes may differ without anybody noticing: what one has just begun must count at the other (TOK-03). */
export const CLOCK_DIFFERENCE_SECONDS = 60

/** A value of ours that is not in force at this time, and by how many seconds. */
export interface OutOfTime {
  readonly state: 'expired' | 'not-yet'
  /** Since its end, or until its beginning; more than 0. */
  readonly seconds: number
}

/** The claims that a token's text holds; null when it is no JSON object. */
export function parseClaims(text: string): Record<string, unknown> | null {
  try {
    const claims: unknown = JSON.parse(text)
    return typeof claims === 'object' && claims !== null && !Array.isArray(claims)
      ? (claims as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/**
 * The claims that an application's function gave; null when it says that there is no session.
 *
 * @param source the name of the function
 * @throws {TypeError} for a text, a list, a date, an error and whatever else is no object of claims: that must not pass for a session
 */
export function requireClaims(given: unknown, source: string): Record<string, unknown> | null {
  if (given === null || given === undefined || given === false) return null
  if (Object.prototype.toString.call(given) === '[object Object]') return given as Record<string, unknown>
  throw new TypeError(`${source} gave neither an object of claims nor null.`)
}

/** The last second that a date can have (ECMA-262 §21.4.1.1). JSON has numbers beyond, and infinite ones, as `1e999`. */
const LAST_SECOND = 8.64e12

/** Whether a claim is a time that a date can have. */
const isTime = (claim: unknown): claim is number => typeof claim === 'number' && Math.abs(claim) <= LAST_SECOND

/**
 * Whether a token has not ended by its `exp`.
 *
 * @param now milliseconds since the epoch
 */
export const isBeforeEnd = (exp: unknown, now: number): boolean =>
  isTime(exp) && exp > Math.floor(now / 1000) - EXPIRY_TOLERANCE_SECONDS

/**
 * Whether a token is in force. It has an end and a beginning: whoever writes one here, or with Auth.js, gives it both (TOK-03).
 *
 * @param now milliseconds since the epoch
 * @see RFC 7519 §4.1
 */
export function isInForce({ exp, nbf, iat }: Readonly<Record<string, unknown>>, now: number): boolean {
  return isBeforeEnd(exp, now) && hasBegun(iat, now) && (nbf === undefined || hasBegun(nbf, now))
}

/** Whether a token is well-formed and begins later by this machine's clock: one whose clock is ahead takes it already. */
export const hasYetToBegin = ({ exp, nbf = 0, iat }: Readonly<Record<string, unknown>>, now: number): boolean =>
  isBeforeEnd(exp, now) && isTime(iat) && isTime(nbf) && !(hasBegun(iat, now) && hasBegun(nbf, now))

const hasBegun = (claim: unknown, now: number) =>
  isTime(claim) && claim <= Math.floor(now / 1000) + CLOCK_DIFFERENCE_SECONDS

/**
 * Why claims with a beginning and an end are not in force; null where the time is not the reason. Only for claims that were shown to be ours.
 *
 * @param now milliseconds since the epoch
 */
export function outOfTime({ exp, nbf, iat }: Readonly<Record<string, unknown>>, now: number): OutOfTime | null {
  if (!isTime(exp) || !isTime(iat) || (nbf !== undefined && !isTime(nbf))) return null
  const time = Math.floor(now / 1000)
  const begins = Math.max(iat, nbf ?? iat)
  if (!hasBegun(begins, now)) return { state: 'not-yet', seconds: begins - time }
  return isBeforeEnd(exp, now) ? null : { state: 'expired', seconds: time - exp }
}
