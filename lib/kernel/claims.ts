/** How long a token is accepted after its expiry, because the clocks of machines differ a little. Auth.js has the same limit. */
export const EXPIRY_TOLERANCE_SECONDS = 15
/** How far the clocks of two processes may differ: a token that one has just issued must be accepted by the other (TOK-03). */
export const CLOCK_DIFFERENCE_SECONDS = 60

/** Why an encrypted value of Latchkey is not in force now, and by how many seconds. */
export interface OutOfTime {
  readonly state: 'expired' | 'not-yet'
  /** Since its expiry, or until its beginning; more than 0. */
  readonly seconds: number
}

/**
 * The claims that a function of the application returned; null if it returned nothing or `false`, which means no session.
 *
 * @param source the name of the function
 * @throws {TypeError} for a string, an array, a Date, an Error and everything else that is not an object of claims: it must
 *   not be taken for a session
 */
export function requireClaims(given: unknown, source: string): Record<string, unknown> | null {
  if (given === null || given === undefined || given === false) return null
  if (Object.prototype.toString.call(given) === '[object Object]') return given as Record<string, unknown>
  throw new TypeError(`${source} returned neither an object of claims nor null.`)
}

/** The last second that a Date can have (ECMA-262 §21.4.1.1). JSON can have larger numbers; `1e999` is parsed as Infinity. */
const LAST_SECOND = 8.64e12

/** Whether a claim is a time that a Date can have. */
const isTime = (claim: unknown): claim is number => typeof claim === 'number' && Math.abs(claim) <= LAST_SECOND

/**
 * Whether a token has not expired, by its `exp`.
 *
 * @param now milliseconds since the epoch
 */
export const isBeforeEnd = (exp: unknown, now: number): boolean =>
  isTime(exp) && exp > Math.floor(now / 1000) - EXPIRY_TOLERANCE_SECONDS

/**
 * Whether a token is in force. It must have `exp` and `iat`, as all tokens of Latchkey and Auth.js have (TOK-03).
 *
 * @param now milliseconds since the epoch
 * @see RFC 7519 §4.1
 */
export function isInForce({ exp, nbf, iat }: Readonly<Record<string, unknown>>, now: number): boolean {
  return isBeforeEnd(exp, now) && hasBegun(iat, now) && (nbf === undefined || hasBegun(nbf, now))
}

/**
 * Whether a token is well-formed, but begins in the future by the clock of this machine. A machine whose clock is ahead may
 * accept it already.
 */
export const hasYetToBegin = ({ exp, nbf = 0, iat }: Readonly<Record<string, unknown>>, now: number): boolean =>
  isBeforeEnd(exp, now) && isTime(iat) && isTime(nbf) && !(hasBegun(iat, now) && hasBegun(nbf, now))

const hasBegun = (claim: unknown, now: number) =>
  isTime(claim) && claim <= Math.floor(now / 1000) + CLOCK_DIFFERENCE_SECONDS

/**
 * Why claims are not in force; null if the time is not the reason. Only for claims that Latchkey has encrypted.
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

/**
 * Claims for code of the application, which may change them. Those of a remembered token are frozen, because later requests
 * get the same.
 */
export const ownClaims = (claims: JWT): JWT => (Object.isFrozen(claims) ? structuredClone(claims) : claims)

/** Claims of a session token. */
export interface DefaultJWT extends Record<string, unknown> {
  name?: string | null | undefined
  email?: string | null | undefined
  picture?: string | null | undefined
  /** Id of the user. */
  sub?: string
  /** Issued at, seconds since the epoch. */
  iat?: number
  /** Expires at, seconds since the epoch. */
  exp?: number
  /** Id of this token. */
  jti?: string
}

/** Claims of a session token. An application can declare claims of its own by augmenting this interface. */
export interface JWT extends Record<string, unknown>, DefaultJWT {}
