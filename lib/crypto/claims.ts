/** Machines' clocks differ a little; Auth.js allows as much. */
export const CLOCK_TOLERANCE_SECONDS = 15

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
 * Whether a token is in force, by the rules of jose: `exp`, `nbf` and `iat` are numbers where they are there.
 *
 * @param now milliseconds since the epoch
 * @see RFC 7519 §4.1
 */
export function isInForce({ exp, nbf, iat }: Readonly<Record<string, unknown>>, now: number): boolean {
  const time = Math.floor(now / 1000)
  if (iat !== undefined && typeof iat !== 'number') return false
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= time + CLOCK_TOLERANCE_SECONDS)) return false
  return exp === undefined || (typeof exp === 'number' && exp > time - CLOCK_TOLERANCE_SECONDS)
}
