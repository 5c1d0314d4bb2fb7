import { createDecipheriv, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { KeyRing } from './keys.js'

const IV_BYTES = 16
const TAG_BYTES = 32
/** Headers that were seen with good tokens: one per secret, unless somebody else writes them in another order. */
const MAX_HEADERS = 64
const BASE64URL = /^[A-Za-z0-9_-]+$/

interface OpeningKey {
  readonly mac: KeyObject
  readonly encryption: KeyObject
}

/**
 * What came of opening a token: its plaintext; null when it is not ours or was changed; `unknown` when it is not in the one form that is
 * opened here, so that jose must say.
 */
export type Opened = { readonly plaintext: string } | null | 'unknown'

/**
 * Opens compact JWEs of the one form that session tokens have, `dir` with `A256CBC-HS512`, without the detour through WebCrypto. Tests
 * hold it equal to jose.
 *
 * @see RFC 7516 §5.2 (decryption), RFC 7518 §5.2.2.2 (the tag is verified before anything is decrypted)
 */
export function createTokenOpener(ring: () => KeyRing): (token: string) => Opened {
  const keys = new Map<string, OpeningKey | null>()
  const keyOf = (header: string): OpeningKey | null | undefined => {
    const known = keys.get(header)
    if (known !== undefined) return known
    const key = readHeader(header, ring())
    // Whoever asks chooses the header, so the list must not grow with it.
    if (key && keys.size < MAX_HEADERS) keys.set(header, key)
    return key
  }
  return (token) => {
    const parts = token.split('.')
    const [header, encryptedKey, iv, ciphertext, tag] = parts
    if (parts.length !== 5 || !header || encryptedKey !== '' || !iv || !ciphertext || !tag) return 'unknown'
    if (!BASE64URL.test(iv) || !BASE64URL.test(ciphertext) || !BASE64URL.test(tag)) return 'unknown'
    const key = keyOf(header)
    if (key === undefined) return 'unknown'
    return key === null ? null : decrypt(key, { header, iv, ciphertext, tag })
  }
}

/** The key for a header; null when no secret made it; undefined when the header has anything that only jose should judge. */
function readHeader(text: string, ring: KeyRing): OpeningKey | null | undefined {
  if (!BASE64URL.test(text)) return undefined
  let header: unknown
  try {
    header = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) return undefined
  const { alg, enc, kid, ...more } = header as Record<string, unknown>
  if (alg !== 'dir' || enc !== 'A256CBC-HS512' || Object.keys(more).length > 0) return undefined
  if (kid !== undefined && typeof kid !== 'string') return undefined
  const key = ring.opening('A256CBC-HS512', kid)
  if (!key) return null
  const half = key.bytes.length / 2
  return {
    mac: createSecretKey(key.bytes.subarray(0, half)),
    encryption: createSecretKey(key.bytes.subarray(half)),
  }
}

function decrypt(
  { mac, encryption }: OpeningKey,
  parts: { readonly header: string; readonly iv: string; readonly ciphertext: string; readonly tag: string },
): Opened {
  const iv = Buffer.from(parts.iv, 'base64url')
  const ciphertext = Buffer.from(parts.ciphertext, 'base64url')
  const tag = Buffer.from(parts.tag, 'base64url')
  if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES) return null
  // The length in bits, as a 64-bit number: a header of half a gigabyte is not possible, so the upper half is always 0.
  const length = Buffer.alloc(8)
  length.writeUInt32BE(parts.header.length * 8, 4)
  const expected = createHmac('sha512', mac)
    .update(parts.header, 'latin1')
    .update(iv)
    .update(ciphertext)
    .update(length)
    .digest()
  if (!timingSafeEqual(expected.subarray(0, TAG_BYTES), tag)) return null
  try {
    const decipher = createDecipheriv('aes-256-cbc', encryption, iv)
    return { plaintext: decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8') }
  } catch {
    // The tag was right, so only a holder of the key could have made this; it is refused like anything else (TOK-06).
    return null
  }
}
