import { createHash, hkdfSync } from 'node:crypto'

/** A key for one purpose, derived from one secret. */
export interface DerivedKey {
  readonly bytes: Uint8Array
  /** RFC 7638 thumbprint of the key, the `kid` of what it sealed. */
  readonly id: string
}

/** Content encryptions that Latchkey opens; it writes the first. */
export type ContentEncryption = 'A256CBC-HS512' | 'A256GCM'

const FORMS = {
  'A256CBC-HS512': { keyBytes: 64, thumbprint: 'sha512' },
  A256GCM: { keyBytes: 32, thumbprint: 'sha256' },
} as const satisfies Record<ContentEncryption, { keyBytes: number; thumbprint: string }>

/** Whether something, such as a header's `enc`, names a content encryption that is opened here. */
export const isContentEncryption = (name: unknown): name is ContentEncryption =>
  typeof name === 'string' && Object.hasOwn(FORMS, name)

/**
 * Derives the key of a secret for one purpose, as Auth.js does, so that what one sealed the other opens.
 *
 * @param salt the purpose: the name of the cookie that carries the value, or a label of Latchkey's own
 * @see RFC 5869 (HKDF, with SHA-256), RFC 7638 (thumbprint of `{kty:"oct", k}`)
 */
export function deriveKey(secret: string, salt: string, form: ContentEncryption): DerivedKey {
  const { keyBytes, thumbprint } = FORMS[form]
  const info = `Auth.js Generated Encryption Key (${salt})`
  const bytes = new Uint8Array(hkdfSync('sha256', secret, salt, info, keyBytes))
  const k = Buffer.from(bytes).toString('base64url')
  const id = createHash(thumbprint).update(`{"k":"${k}","kty":"oct"}`).digest('base64url')
  return { bytes, id }
}

/** The keys of one purpose: the first secret's seals, all of them open. */
export interface KeyRing {
  /** Purpose of the keys. */
  readonly salt: string
  /** The key that seals. */
  readonly sealing: DerivedKey
  /** The key that fits a token, by its `kid`; without a `kid` the first. Undefined when no secret made it. */
  opening(form: ContentEncryption, keyId: string | undefined): DerivedKey | undefined
}

/**
 * A ring of keys for one purpose. Each key is derived once: the sealing one now, the others when a token first asks for them.
 *
 * @param secrets at least one; the first makes everything
 */
export function createKeyRing(secrets: readonly string[], salt: string): KeyRing {
  const [newest] = secrets
  if (newest === undefined) throw new RangeError('a key ring needs at least one secret')
  const sealing = deriveKey(newest, salt, 'A256CBC-HS512')
  const derived = new Map<ContentEncryption, readonly DerivedKey[]>()
  const keysOf = (form: ContentEncryption): readonly DerivedKey[] => {
    const known = derived.get(form)
    if (known) return known
    const keys = secrets.map((secret) => deriveKey(secret, salt, form))
    derived.set(form, keys)
    return keys
  }
  return {
    salt,
    sealing,
    opening(form, keyId) {
      if (form === 'A256CBC-HS512' && (keyId === undefined || keyId === sealing.id)) return sealing
      const keys = keysOf(form)
      return keyId === undefined ? keys[0] : keys.find(({ id }) => id === keyId)
    },
  }
}

/**
 * The secrets of one instance among several that share them. What one instance seals, signs or hashes is worth nothing to another, since every key comes
 * from these.
 *
 * @param instance undefined for the only one: then the secrets are used as they are, and what Auth.js made with them is accepted
 * @see RFC 5869 §3.2 (the `info` of HKDF binds a key to its context)
 */
export const instanceSecrets = (secrets: readonly string[], instance: string | undefined): readonly string[] =>
  instance === undefined
    ? secrets
    : secrets.map((secret) =>
        Buffer.from(hkdfSync('sha256', secret, 'latchkey:instance', instance, 32)).toString('base64url'),
      )
