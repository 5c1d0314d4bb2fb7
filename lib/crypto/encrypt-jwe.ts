import { createCipheriv } from 'node:crypto'
import { type ContentEncryptionKey, contentEncryptionKey, IV_BYTES, tagOf } from './content-encryption-key.js'
import type { KeyRing } from './keys.js'
import { randomBytes } from './random.js'

/**
 * Writes compact JWEs of the one form that Latchkey writes, `dir` with `A256CBC-HS512`, without the detour through WebCrypto. Tests hold
 * them equal to those of jose.
 *
 * @returns seals a plaintext with the first secret's key
 * @see RFC 7516 §5.1 (encryption), RFC 7518 §5.2.2.1
 */
export function createJweEncrypter(ring: () => KeyRing): (plaintext: string) => string {
  let made: { readonly header: string; readonly key: ContentEncryptionKey } | undefined
  const make = () => {
    const { sealing } = ring()
    const header = JSON.stringify({ alg: 'dir', enc: 'A256CBC-HS512', kid: sealing.id })
    return { header: Buffer.from(header).toString('base64url'), key: contentEncryptionKey(sealing) }
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
