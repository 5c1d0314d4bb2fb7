import { isInForce, type OutOfTime, outOfTime, parseClaims } from './claims.js'
import { createKeyRing, type KeyRing } from './keys.js'
import { createTokenOpener, mayBeOfOtherKey } from './open-token.js'
import { createTokenSealer } from './seal-token.js'

/** Larger than any sealed value of ours; checked before anything is decoded. */
const MAX_SEALED_LENGTH = 8192

/**
 * What a sealed value is for. Each purpose has keys of its own, and the purpose is inside the value as well, so that a value
 * made for one place can never be used in another (CVE-2023-48309).
 */
export const SEAL_PURPOSES = ['state', 'pkce', 'nonce', 'proxy-state', 'webauthn-challenge', 'email-request'] as const

/** One of {@link SEAL_PURPOSES}. */
export type SealPurpose = (typeof SEAL_PURPOSES)[number]

/** Seals and opens small JSON values for one purpose. */
export interface Sealer {
  /**
   * Seals a JSON value so that only a holder of a secret can read or change it.
   *
   * @param lifetimeSeconds how long {@link open} accepts it, from now; at least 1
   * @returns compact JWE, ASCII, safe as a cookie value and in a URL; about 4/3 of the JSON length plus 250 characters
   * @see RFC 7516 §3.1
   */
  seal(value: unknown, lifetimeSeconds: number): Promise<string>
  /** The value, or null when it is not sealed by us for this purpose, has expired, or is damaged; it does not tell which. */
  open(sealed: string): Promise<unknown>
  /**
   * As {@link open}, and tells of a value that is ours and for this purpose when its time is over or to come. What anybody else made is null, so
   * nothing can be learned by trying (TOK-06).
   */
  openInTime(sealed: string): Promise<OpenedInTime | null>
  /** Whether a value that does not open here may open where other secrets are known: another process may have made it a moment ago. */
  mayBeOfOtherKey(sealed: string): boolean
}

/** A sealed value that is ours: what it holds, or why it does not count now. */
export type OpenedInTime = { readonly value: unknown } | { readonly outOfTime: OutOfTime }

/** A sealer for one purpose. The first secret seals; all of them open. */
export function createSealer(secrets: readonly string[], purpose: SealPurpose, now: () => number): Sealer {
  let keys: KeyRing | undefined
  const ring = () => {
    keys ??= createKeyRing(secrets, `latchkey:${purpose}`)
    return keys
  }
  const sealText = createTokenSealer(ring)
  const openText = createTokenOpener(ring, { needsKeyId: true })
  /** The claims of a value that we sealed for this purpose, at whatever time. Every failure looks alike (TOK-06). */
  const authentic = (sealed: string): Record<string, unknown> | null => {
    if (sealed.length > MAX_SEALED_LENGTH) return null
    const opened = openText(sealed)
    const claims = opened === null || opened === 'unknown' ? null : parseClaims(opened.plaintext)
    return claims?.['purpose'] === purpose ? claims : null
  }
  return {
    async seal(value, lifetimeSeconds) {
      if (!(lifetimeSeconds >= 1)) {
        throw new RangeError(`a sealed value lives at least 1 second, not ${lifetimeSeconds}`)
      }
      const iat = Math.floor(now() / 1000)
      return sealText(JSON.stringify({ value, purpose, iat, exp: iat + Math.ceil(lifetimeSeconds) }))
    },
    async open(sealed) {
      const claims = authentic(sealed)
      return claims && isInForce(claims, now()) ? (claims['value'] ?? null) : null
    },
    async openInTime(sealed) {
      const claims = authentic(sealed)
      if (!claims) return null
      const time = now()
      if (isInForce(claims, time)) return { value: claims['value'] ?? null }
      const reason = outOfTime(claims, time)
      return reason && { outOfTime: reason }
    },
    mayBeOfOtherKey: (sealed) =>
      sealed.length <= MAX_SEALED_LENGTH && mayBeOfOtherKey(sealed, ring(), { needsKeyId: true }),
  }
}
