import { createHash, hkdfSync } from 'node:crypto'

/** A key for one purpose, derived from one secret. */
export interface DerivedKey {
  readonly bytes: Uint8Array
  /** RFC 7638 thumbprint of the key: the `kid` of the tokens that are encrypted with it. */
  readonly id: string
}

/** Content encryptions that Latchkey decrypts. It encrypts with the first one. */
export type ContentEncryption = 'A256CBC-HS512' | 'A256GCM'

const FORMS = {
  'A256CBC-HS512': { keyBytes: 64, thumbprint: 'sha512' },
  A256GCM: { keyBytes: 32, thumbprint: 'sha256' },
} as const satisfies Record<ContentEncryption, { keyBytes: number; thumbprint: string }>

/** Whether a value, such as the `enc` of a header, names a content encryption that Latchkey decrypts. */
export const isContentEncryption = (name: unknown): name is ContentEncryption =>
  typeof name === 'string' && Object.hasOwn(FORMS, name)

/**
 * Derives the key of a secret for one purpose. Auth.js derives the same key, so each can decrypt what the other encrypted.
 *
 * @param salt the purpose: the name of the cookie that has the value, or another name that Latchkey chooses
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

/** The keys of one purpose. The key of the first secret encrypts; the keys of all secrets decrypt. */
export interface KeyRing {
  /** Purpose of the keys. */
  readonly salt: string
  readonly encryptionKey: DerivedKey
  /** The key with this id; the first key if the token has no `kid`. Undefined if no secret makes the key. */
  decryptionKey(form: ContentEncryption, keyId: string | undefined): DerivedKey | undefined
}

/**
 * Creates the keys of one purpose. Each key is derived once: the first one now, the others when they are first needed.
 *
 * @param secrets at least one; the first encrypts
 */
export function createKeyRing(secrets: readonly string[], salt: string): KeyRing {
  const [newest] = secrets
  if (newest === undefined) throw new RangeError('a key ring needs at least one secret')
  const encryptionKey = deriveKey(newest, salt, 'A256CBC-HS512')
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
    encryptionKey,
    decryptionKey(form, keyId) {
      if (form === 'A256CBC-HS512' && (keyId === undefined || keyId === encryptionKey.id)) return encryptionKey
      const keys = keysOf(form)
      return keyId === undefined ? keys[0] : keys.find(({ id }) => id === keyId)
    },
  }
}

/**
 * The secrets of one instance, derived from secrets that several instances share. All keys are derived from these, so
 * another instance refuses whatever this one encrypts, signs or hashes.
 *
 * @param instance undefined for a single instance: then the secrets stay as they are, and tokens of Auth.js are accepted
 * @see RFC 5869 §3.2 (the `info` of HKDF binds a key to its context)
 */
export const instanceSecrets = (secrets: readonly string[], instance: string | undefined): readonly string[] =>
  instance === undefined
    ? secrets
    : secrets.map((secret) =>
        Buffer.from(hkdfSync('sha256', secret, 'latchkey:instance', instance, 32)).toString('base64url'),
      )
