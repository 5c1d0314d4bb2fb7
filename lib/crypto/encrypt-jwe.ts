import { createCipheriv } from 'node:crypto'
import { type ContentEncryptionKey, contentEncryptionKey, IV_BYTES, tagOf } from './content-encryption-key.js'
import type { KeyRing } from './keys.js'
import { randomBytes } from './random.js'

/**
 * Makes compact JWEs of the only form that Latchkey writes, `dir` with `A256CBC-HS512`. It calls `node:crypto` directly,
 * which is faster than jose with WebCrypto. Tests compare the results with those of jose.
 *
 * @returns encrypts a plaintext with the key of the first secret
 * @see RFC 7516 §5.1 (encryption), RFC 7518 §5.2.2.1
 */
export function createJweEncrypter(ring: () => KeyRing): (plaintext: string) => string {
  let made: { readonly header: string; readonly key: ContentEncryptionKey } | undefined
  const make = () => {
    const { encryptionKey } = ring()
    const header = JSON.stringify({ alg: 'dir', enc: 'A256CBC-HS512', kid: encryptionKey.id })
    return { header: Buffer.from(header).toString('base64url'), key: contentEncryptionKey(encryptionKey) }
  }
  return (plaintext) => {
    made ??= make()
    const { header, key } = made
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-cbc', key.encryption, iv)
    const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
    const tag = tagOf(key, header, iv, ciphertext)
    return `${header}..${iv.toString('base64url')}.${ciphertext.toString('base64url')}.${tag.toString('base64url')}`
  }
}
