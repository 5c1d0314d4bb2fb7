import { createKeyRing, type KeyRing } from './keys.js'

/** Larger than any sealed value of ours; checked before anything is decoded. */
const MAX_SEALED_LENGTH = 8192
const CLOCK_TOLERANCE_SECONDS = 15

/**
 * What a sealed value is for. Each purpose has keys of its own, and the purpose is inside the value as well, so that a value
 * made for one place can never be used in another (CVE-2023-48309).
 */
export type SealPurpose = 'state' | 'pkce' | 'nonce' | 'proxy-state' | 'webauthn-challenge' | 'email-request'

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
}

/** A sealer for one purpose. The first secret seals; all of them open. */
export function createSealer(secrets: readonly string[], purpose: SealPurpose, now: () => number): Sealer {
  let keys: KeyRing | undefined
  const ring = () => {
    keys ??= createKeyRing(secrets, `latchkey:${purpose}`)
    return keys
  }
  return {
    async seal(value, lifetimeSeconds) {
      if (!(lifetimeSeconds >= 1))
        throw new RangeError(`a sealed value lives at least 1 second, not ${lifetimeSeconds}`)
      const issuedAt = Math.floor(now() / 1000)
      const { sealing } = ring()
      // Loaded when first needed, as in session-token.ts: it is a third of what an application would load at its start.
      const { EncryptJWT } = await import('jose')
      return new EncryptJWT({ value, purpose })
        .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: sealing.id })
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + Math.ceil(lifetimeSeconds))
        .encrypt(sealing.bytes)
    },
    async open(sealed) {
      if (sealed.length > MAX_SEALED_LENGTH) return null
      const { jwtDecrypt } = await import('jose')
      try {
        const { payload } = await jwtDecrypt(
          sealed,
          ({ kid, zip }) => {
            const key = kid && !zip ? ring().opening('A256CBC-HS512', kid) : undefined
            if (!key) throw new Error('no key')
            return key.bytes
          },
          {
            keyManagementAlgorithms: ['dir'],
            contentEncryptionAlgorithms: ['A256CBC-HS512'],
            clockTolerance: CLOCK_TOLERANCE_SECONDS,
            currentDate: new Date(now()),
            requiredClaims: ['iat', 'exp', 'purpose'],
          },
        )
        return payload['purpose'] === purpose ? (payload['value'] ?? null) : null
      } catch {
        // Every failure looks alike from outside (TOK-06): a caller learns only that there is no value.
        return null
      }
    },
  }
}
