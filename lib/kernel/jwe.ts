import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { parseObject } from './json-object.js'
import { type DerivedKey, isContentEncryption, type KeyRing } from './keys.js'
import { randomBytes } from './random.js'

/** Bytes of the initialisation vector and of the tag. */
const IV_BYTES = 16
const TAG_BYTES = 32

/** The two halves of a key for A256CBC-HS512, ready for use. */
interface ContentEncryptionKey {
  readonly mac: KeyObject
  readonly encryption: KeyObject
}

/** @see RFC 7518 §5.2.2.1: the first half authenticates, the second encrypts */
function contentEncryptionKey({ bytes }: DerivedKey): ContentEncryptionKey {
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
function tagOf({ mac }: ContentEncryptionKey, header: string, iv: Uint8Array, ciphertext: Uint8Array): Buffer {
  length.writeUInt32BE(header.length * 8, 4)
  const digest = createHmac('sha512', mac)
    .update(header, 'latin1')
    .update(iv)
    .update(ciphertext)
    .update(length)
    .digest()
  return digest.subarray(0, TAG_BYTES)
}

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

/** The most headers that are remembered. Tokens of one secret usually have one header. */
const MAX_HEADERS = 64
const BASE64URL = /^[A-Za-z0-9_-]+$/

/**
 * The result of decrypting a token: its plaintext; null if no secret made it or it was changed; `unknown` if it has another
 * form than the one that is decrypted here. Then jose has to decrypt it.
 */
type Decrypted = { readonly plaintext: string } | null | 'unknown'

/**
 * Decrypts compact JWEs of the form that session tokens have, `dir` with `A256CBC-HS512`. It calls `node:crypto` directly,
 * which is faster than jose with WebCrypto. Tests compare the results with those of jose.
 *
 * @param options `needsKeyId` refuses tokens without a `kid`
 * @see RFC 7516 §5.2 (decryption), RFC 7518 §5.2.2.2 (the tag is verified before anything is decrypted)
 */
export function createJweDecrypter(ring: () => KeyRing, { needsKeyId = false } = {}): (token: string) => Decrypted {
  const keys = new Map<string, ContentEncryptionKey | null>()
  const keyOf = (header: string): ContentEncryptionKey | null | undefined => {
    const known = keys.get(header)
    if (known !== undefined) return known
    const key = readHeader(header, ring(), needsKeyId)
    // A visitor can send any header, so the number of remembered headers is limited.
    if (key && keys.size < MAX_HEADERS) keys.set(header, key)
    return key
  }
  // Nearly every token has the same header as the token before, and a comparison is faster than a look-up.
  let last: { readonly header: string; readonly key: ContentEncryptionKey } | undefined
  return (token) => {
    const beforeKey = token.indexOf('.')
    const beforeIv = beforeKey + 1
    const beforeCiphertext = token.indexOf('.', beforeIv + 1)
    const beforeTag = token.indexOf('.', beforeCiphertext + 1)
    // A compact JWE has four dots. The second one follows the first at once, because `dir` has no encrypted key.
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
 * Whether a process with other secrets may accept a token that was refused here: it has the form of a token, and its `kid`
 * is not that of a key of this ring. Without a `kid` it may be accepted as well, because the first secret of another process
 * may be another one. Only the header is checked, which anybody can read and write.
 *
 * @param options as those of {@link createJweDecrypter}
 */
export function mayBeOfOtherKey(token: string, ring: KeyRing, { needsKeyId = false } = {}): boolean {
  const [headerText = '', encryptedKey, ...parts] = token.split('.', 6)
  if (encryptedKey !== '' || parts.length !== 3 || !parts.every((part) => BASE64URL.test(part))) return false
  const { alg, enc, kid, zip } = parseHeader(headerText) ?? {}
  if (alg !== 'dir' || !isContentEncryption(enc) || zip !== undefined) return false
  if (kid === undefined) return !needsKeyId
  return typeof kid === 'string' && ring.decryptionKey(enc, kid) === undefined
}

/** The `kid` in the header of a token, which nobody has checked; undefined if there is none. */
export const keyIdOf = (token: string): unknown => parseHeader(token.split('.', 1)[0] ?? '')?.['kid']

/** The members of a header; undefined if it is not a JSON object. */
function parseHeader(text: string): Record<string, unknown> | undefined {
  if (!BASE64URL.test(text)) return undefined
  return parseObject(Buffer.from(text, 'base64url').toString('utf8')) ?? undefined
}

/** The key for a header; null if no secret makes the key; undefined if only jose can decrypt a token with this header. */
function readHeader(text: string, ring: KeyRing, needsKeyId: boolean): ContentEncryptionKey | null | undefined {
  const header = parseHeader(text)
  if (header === undefined) return undefined
  const { alg, enc, kid, ...more } = header
  if (alg !== 'dir' || enc !== 'A256CBC-HS512' || Object.keys(more).length > 0) return undefined
  if (kid !== undefined && typeof kid !== 'string') return undefined
  if (kid === undefined && needsKeyId) return undefined
  const key = ring.decryptionKey('A256CBC-HS512', kid)
  if (!key) return null
  return contentEncryptionKey(key)
}

// Of the token that is being decrypted. Decryption is synchronous, so there is never a second one at the same time.
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
    // The tag is right, so this was made with the key, but not by Latchkey. It is refused like any other token (TOK-06).
    return null
  }
}
