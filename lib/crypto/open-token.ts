import { createDecipheriv, timingSafeEqual } from 'node:crypto'
import { type ContentKey, contentKey, IV_BYTES, TAG_BYTES, tagOf } from './content-key.js'
import type { KeyRing } from './keys.js'

/** Headers that were seen with good tokens: one per secret, unless somebody else writes them in another order. */
const MAX_HEADERS = 64
const BASE64URL = /^[A-Za-z0-9_-]+$/

/**
 * What came of opening a token: its plaintext; null when it is not ours or was changed; `unknown` when it is not in the one form that is
 * opened here, so that jose must say.
 */
export type Opened = { readonly plaintext: string } | null | 'unknown'

/**
 * Opens compact JWEs of the one form that session tokens have, `dir` with `A256CBC-HS512`, without the detour through WebCrypto. Tests
 * hold it equal to jose.
 *
 * @param options `needsKeyId` when a token without a `kid` is none of ours
 * @see RFC 7516 §5.2 (decryption), RFC 7518 §5.2.2.2 (the tag is verified before anything is decrypted)
 */
export function createTokenOpener(ring: () => KeyRing, { needsKeyId = false } = {}): (token: string) => Opened {
  const keys = new Map<string, ContentKey | null>()
  const keyOf = (header: string): ContentKey | null | undefined => {
    const known = keys.get(header)
    if (known !== undefined) return known
    const key = readHeader(header, ring(), needsKeyId)
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
function readHeader(text: string, ring: KeyRing, needsKeyId: boolean): ContentKey | null | undefined {
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
  if (kid === undefined && needsKeyId) return undefined
  const key = ring.opening('A256CBC-HS512', kid)
  if (!key) return null
  return contentKey(key)
}

function decrypt(
  key: ContentKey,
  parts: { readonly header: string; readonly iv: string; readonly ciphertext: string; readonly tag: string },
): Opened {
  const iv = Buffer.from(parts.iv, 'base64url')
  const ciphertext = Buffer.from(parts.ciphertext, 'base64url')
  const tag = Buffer.from(parts.tag, 'base64url')
  if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES) return null
  if (!timingSafeEqual(tagOf(key, parts.header, iv, ciphertext), tag)) return null
  try {
    const decipher = createDecipheriv('aes-256-cbc', key.encryption, iv)
    return { plaintext: Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8') }
  } catch {
    // The tag was right, so only a holder of the key could have made this; it is refused like anything else (TOK-06).
    return null
  }
}
