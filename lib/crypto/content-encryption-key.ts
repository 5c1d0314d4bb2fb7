import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { DerivedKey } from './keys.js'

/** Bytes of the initialisation vector and of the tag. */
export const IV_BYTES = 16
export const TAG_BYTES = 32

/** The two halves of a key for A256CBC-HS512, ready for use. */
export interface ContentEncryptionKey {
  readonly mac: KeyObject
  readonly encryption: KeyObject
}

/** @see RFC 7518 §5.2.2.1: the first half authenticates, the second encrypts */
export function contentEncryptionKey({ bytes }: DerivedKey): ContentEncryptionKey {
  const half = bytes.length / 2
  return { mac: createSecretKey(bytes.subarray(0, half)), encryption: createSecretKey(bytes.subarray(half)) }
}

/** The length in bits, as a 64-bit number. The upper half is always 0, because no header has half a gigabyte. */
const length = Buffer.alloc(8)

/**
 * The authentication tag of an initialisation vector and a ciphertext.
 *
 * @param header the protected header, encoded as it is in the token
 * @see RFC 7518 §5.2.2.1
 */
export function tagOf({ mac }: ContentEncryptionKey, header: string, iv: Uint8Array, ciphertext: Uint8Array): Buffer {
  length.writeUInt32BE(header.length * 8, 4)
  const digest = createHmac('sha512', mac)
    .update(header, 'latin1')
    .update(iv)
    .update(ciphertext)
    .update(length)
    .digest()
  return digest.subarray(0, TAG_BYTES)
}
