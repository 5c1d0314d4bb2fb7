import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import { deriveKey } from './keys.js'

/** SHA-256 of a text, in lower-case hex. */
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex')

/** SHA-256 of a text, in base64url. */
export const sha256Base64url = (text: string): string => hash('sha256', text, 'base64url')

/** Whether two strings are equal. The time that it takes reveals nothing about them, except whether they have one length. */
export function equalInConstantTime(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Digests a list of strings; two different lists never have the same input. */
export type KeyedDigest = (texts: readonly string[], encoding?: 'hex' | 'base64url') => string

/**
 * Makes digests that can be made and checked only with the secret: 64 characters of lower-case hex, or 43 of base64url. The key is
 * derived at the first use.
 *
 * @param purpose what the digests are for. The same texts have different digests for different purposes
 */
export function keyedDigest(secret: string, purpose: string): KeyedDigest {
  // An object, because Node 24 takes ten times as long with the bytes.
  let key: KeyObject | undefined
  return (texts, encoding = 'hex') => {
    key ??= createSecretKey(deriveKey(secret, `latchkey:${purpose}`, 'A256GCM').bytes)
    return createHmac('sha256', key).update(JSON.stringify(texts)).digest(encoding)
  }
}

/** Characters of a public id: 132 bits, which nobody can guess. */
const PUBLIC_ID_LENGTH = 22

/**
 * Makes ids that browsers may see of rows of one kind, whose keys they should not see. Without a secret of the configuration,
 * nobody can find out whether an id is that of a row whose key they guess.
 *
 * @param secrets at least one; the first makes ids, and ids of all of them are accepted
 * @param purpose another one for each kind of rows
 */
export function createPublicIds(secrets: readonly string[], purpose: string) {
  const digests = secrets.map((secret) => keyedDigest(secret, purpose))
  const idWith = (digest: KeyedDigest, key: readonly string[]) => digest(key, 'base64url').slice(0, PUBLIC_ID_LENGTH)
  return {
    /** The id of a key: 22 characters of base64url. It reveals nothing of the key. */
    make(key: readonly string[]): string {
      const [newest] = digests
      if (newest === undefined) throw new RangeError('public ids need at least one secret')
      return idWith(newest, key)
    },
    /** Whether an id is that of a key, made with any of the secrets. */
    fits: (id: string, key: readonly string[]): boolean => digests.some((digest) => idWith(digest, key) === id),
  }
}
