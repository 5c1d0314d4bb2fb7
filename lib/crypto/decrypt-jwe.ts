import { createDecipheriv, timingSafeEqual } from 'node:crypto'
import {
  type ContentEncryptionKey,
  contentEncryptionKey,
  IV_BYTES,
  TAG_BYTES,
  tagOf,
} from './content-encryption-key.js'
import { isContentEncryption, type KeyRing } from './keys.js'

/** Headers that were seen with good tokens: one per secret, unless somebody else writes them in another order. */
const MAX_HEADERS = 64
const BASE64URL = /^[A-Za-z0-9_-]+$/

/**
 * What came of opening a token: its plaintext; null when it is not ours or was changed; `unknown` when it is not in the one form that is
 * opened here, so that jose must say.
 */
export type Decrypted = { readonly plaintext: string } | null | 'unknown'

/**
 * Opens compact JWEs of the one form that session tokens have, `dir` with `A256CBC-HS512`, without the detour through WebCrypto. Tests
 * hold it equal to jose.
 *
 * @param options `needsKeyId` when a token without a `kid` is none of ours
 * @see RFC 7516 §5.2 (decryption), RFC 7518 §5.2.2.2 (the tag is verified before anything is decrypted)
 */
export function createJweDecrypter(ring: () => KeyRing, { needsKeyId = false } = {}): (token: string) => Decrypted {
  const keys = new Map<string, ContentEncryptionKey | null>()
  const keyOf = (header: string): ContentEncryptionKey | null | undefined => {
    const known = keys.get(header)
    if (known !== undefined) return known
    const key = readHeader(header, ring(), needsKeyId)
    // Whoever asks chooses the header, so the list must not grow with it.
    if (key && keys.size < MAX_HEADERS) keys.set(header, key)
    return key
  }
  // Nearly every token has the header of the one before, and comparing it is quicker than looking it up.
  let last: { readonly header: string; readonly key: ContentEncryptionKey } | undefined
  return (token) => {
    const beforeKey = token.indexOf('.')
    const beforeIv = beforeKey + 1
    const beforeCiphertext = token.indexOf('.', beforeIv + 1)
    const beforeTag = token.indexOf('.', beforeCiphertext + 1)
    // Four dots, of which the second follows the first: `dir` has no encrypted key.
    if (beforeKey < 1 || beforeCiphertext < 0 || beforeTag < 0 || token.includes('.', beforeTag + 1)) return 'unknown'
    if (token.charCodeAt(beforeIv) !== DOT) return 'unknown'
    const iv = token.slice(beforeIv + 1, beforeCiphertext)
    const ciphertext = token.slice(beforeCiphertext + 1, beforeTag)
    const tag = token.slice(beforeTag + 1)
    if (!BASE64URL.test(iv) || !BASE64URL.test(ciphertext) || !BASE64URL.test(tag)) return 'unknown'
    const header = token.slice(0, beforeKey)
    if (header === last?.header) return decrypt(last.key, header, iv, ciphertext, tag)
    const key = keyOf(header)
    if (!key) return key === undefined ? 'unknown' : null
    last = { header, key }
    return decrypt(key, header, iv, ciphertext, tag)
  }
}

const DOT = 46

/**
 * Whether a token that was refused here may be good where other secrets are known: it has the form of a token, and names a key that no secret of this
 * ring makes. One that names a key of the ring, or is no token at all, is good nowhere. Only the header is looked at, which anybody can read and write.
 *
 * @param options as those of {@link createJweDecrypter}; a token without a `kid` is opened with the first secret, which another process may have another of
 */
export function mayBeOfOtherKey(token: string, ring: KeyRing, { needsKeyId = false } = {}): boolean {
  const [headerText = '', encryptedKey, ...parts] = token.split('.', 6)
  if (encryptedKey !== '' || parts.length !== 3 || !parts.every((part) => BASE64URL.test(part))) return false
  const { alg, enc, kid, zip } = parseHeader(headerText) ?? {}
  if (alg !== 'dir' || !isContentEncryption(enc) || zip !== undefined) return false
  if (kid === undefined) return !needsKeyId
  return typeof kid === 'string' && ring.opening(enc, kid) === undefined
}

/** The members of a header; undefined when it is no JSON object. */
function parseHeader(text: string): Record<string, unknown> | undefined {
  if (!BASE64URL.test(text)) return undefined
  try {
    const header: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    const isObject = typeof header === 'object' && header !== null && !Array.isArray(header)
    return isObject ? (header as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The key for a header; null when no secret made it; undefined when the header has anything that only jose should judge. */
function readHeader(text: string, ring: KeyRing, needsKeyId: boolean): ContentEncryptionKey | null | undefined {
  const header = parseHeader(text)
  if (header === undefined) return undefined
  const { alg, enc, kid, ...more } = header
  if (alg !== 'dir' || enc !== 'A256CBC-HS512' || Object.keys(more).length > 0) return undefined
  if (kid !== undefined && typeof kid !== 'string') return undefined
  if (kid === undefined && needsKeyId) return undefined
  const key = ring.opening('A256CBC-HS512', kid)
  if (!key) return null
  return contentEncryptionKey(key)
}

// Of the token that is being opened. Nothing waits in between, so that there is one at a time.
const iv = Buffer.alloc(IV_BYTES)
const tag = Buffer.alloc(TAG_BYTES)
const IV_LENGTH = Math.ceil((IV_BYTES * 4) / 3)
const TAG_LENGTH = Math.ceil((TAG_BYTES * 4) / 3)

function decrypt(
  key: ContentEncryptionKey,
  header: string,
  ivText: string,
  ciphertextText: string,
  tagText: string,
): Decrypted {
  if (ivText.length !== IV_LENGTH || tagText.length !== TAG_LENGTH) return null
  iv.write(ivText, 'base64url')
  tag.write(tagText, 'base64url')
  const ciphertext = Buffer.from(ciphertextText, 'base64url')
  if (!timingSafeEqual(tagOf(key, header, iv, ciphertext), tag)) return null
  try {
    const decipher = createDecipheriv('aes-256-cbc', key.encryption, iv)
    return { plaintext: Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8') }
  } catch {
    // The tag was right, so only a holder of the key could have made this; it is refused like anything else (TOK-06).
    return null
  }
}
