import { isInForce, type OutOfTime, outOfTime } from './claims.js'
import { parseObject } from './json-object.js'
import { createJweDecrypter, createJweEncrypter, mayBeOfOtherKey } from './jwe.js'
import { createKeyRing, type KeyRing } from './keys.js'

/**
 * The most characters of an encrypted value that a request brings. It is checked before anything is decoded. Whoever encrypts what a
 * visitor or a provider can make longer has to look at the result, too.
 */
export const MAX_ENCRYPTED_LENGTH = 8192

/** The same for values in a store. An answer of a token endpoint has at most 1 MiB. */
const MAX_STORED_LENGTH = 2 * 1024 * 1024

export type ValueEncryption = ReturnType<typeof createValueEncryption>

/** A value that Latchkey encrypted, or why it is not in force now. */
export type DecryptedInTime = { readonly value: unknown } | { readonly outOfTime: OutOfTime }

/**
 * Encrypts and decrypts small JSON values for one purpose. Each purpose has its own keys, and the purpose is also inside of the
 * value, so that a value of one purpose is never accepted for another one (CVE-2023-48309).
 *
 * @param secrets the first encrypts; all of them decrypt
 * @param purpose what the values are for, in a word that no other place uses. It never changes: values of before would be refused
 * @param isInStore whether the values are kept in a store. Such a value may have no expiry, because the store decides how long it
 *   is kept, and it may be long. It must never be taken from a request
 */
export function createValueEncryption(
  secrets: readonly string[],
  purpose: string,
  now: () => number,
  { isInStore = false }: { readonly isInStore?: boolean } = {},
) {
  let keys: KeyRing | undefined
  const ring = () => {
    keys ??= createKeyRing(secrets, `latchkey:${purpose}`)
    return keys
  }
  const maxLength = isInStore ? MAX_STORED_LENGTH : MAX_ENCRYPTED_LENGTH
  const encryptText = createJweEncrypter(ring)
  const decryptText = createJweDecrypter(ring, { needsKeyId: true })
  /** The claims of a value that was encrypted here for this purpose, also if it has expired. All failures give null (TOK-06). */
  const authentic = (encrypted: string): Record<string, unknown> | null => {
    if (encrypted.length > maxLength) return null
    const decrypted = decryptText(encrypted)
    const claims = decrypted === null || decrypted === 'unknown' ? null : parseObject(decrypted.plaintext)
    return claims?.['purpose'] === purpose ? claims : null
  }
  const counts = (claims: Record<string, unknown>, time: number): boolean =>
    isInStore && claims['exp'] === undefined ? true : isInForce(claims, time)
  return {
    /**
     * Encrypts a JSON value so that it can be read and changed only with a secret of the configuration.
     *
     * @param lifetimeSeconds how long {@link decrypt} accepts it, from now; at least 1. `Infinity` only for values in a
     *   store: then it has no expiry
     * @returns compact JWE, ASCII, safe as a cookie value and in a URL; about 4/3 of the JSON length plus 250 characters
     * @see RFC 7516 §3.1
     */
    encrypt(value: unknown, lifetimeSeconds: number): string {
      const endless = lifetimeSeconds === Number.POSITIVE_INFINITY
      if (!(lifetimeSeconds >= 1) || (endless && !isInStore)) {
        throw new RangeError(`an encrypted value lives at least 1 second, and not for ever: ${lifetimeSeconds}`)
      }
      const iat = Math.floor(now() / 1000)
      if (endless) return encryptText(JSON.stringify({ value, purpose, iat }))
      return encryptText(JSON.stringify({ value, purpose, iat, exp: iat + Math.ceil(lifetimeSeconds) }))
    },
    /** The value; null for every value that was not encrypted here for this purpose, has expired, or is damaged. */
    decrypt(encrypted: string): unknown {
      const claims = authentic(encrypted)
      return claims && counts(claims, now()) ? (claims['value'] ?? null) : null
    },
    /**
     * As {@link decrypt}, but for a value that Latchkey encrypted for this purpose, it also says whether the value has expired
     * or begins later. A value that somebody else made is always null, so nothing is learned by trying (TOK-06).
     */
    decryptInTime(encrypted: string): DecryptedInTime | null {
      const claims = authentic(encrypted)
      if (!claims) return null
      const time = now()
      if (counts(claims, time)) return { value: claims['value'] ?? null }
      const reason = outOfTime(claims, time)
      return reason && { outOfTime: reason }
    },
    /**
     * Whether a process with other secrets may be able to decrypt a value that cannot be decrypted here. While secrets are
     * rotated, such a process may have made it.
     */
    mayBeOfOtherKey: (encrypted: string): boolean =>
      encrypted.length <= maxLength && mayBeOfOtherKey(encrypted, ring(), { needsKeyId: true }),
  }
}
