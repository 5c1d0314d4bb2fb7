import { createCipheriv, createHmac, randomBytes, randomUUID } from 'node:crypto'
import type * as Keys from '../../dist/crypto/keys.js'
import { loadInternal } from '../subject.js'

/** Name of the session cookie where there is no https. */
export const SESSION_COOKIE = 'authjs.session-token'

/** The secret of the measured configurations, where they have one only. */
export const SECRET = 'measured-measured-measured-measured-0123456789'

/** The address of a numbered user. */
export const emailOf = (user: number): string => `user${user}@app.example`

/** Makes session tokens. */
export type Mint = (user: number, more?: Record<string, unknown>) => string

/**
 * A maker of session tokens that needs a tenth of the time that a general library does: a million of them are presented. What it makes
 * is checked by being opened.
 *
 * @see RFC 7516 §3.1 (compact form), RFC 7518 §5.2.2.1 (A256CBC-HS512)
 */
export async function createMint(secret: string): Promise<Mint> {
  const { deriveKey } = await loadInternal<typeof Keys>('crypto/keys.js')
  const { bytes, id } = deriveKey(secret, SESSION_COOKIE, 'A256CBC-HS512')
  const macKey = bytes.subarray(0, 32)
  const encryptionKey = bytes.subarray(32)
  const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256CBC-HS512', kid: id })).toString('base64url')
  const headerBits = Buffer.alloc(8)
  headerBits.writeUInt32BE(header.length * 8, 4)
  const nextIv = ivSource()
  return (user, more = {}) => {
    const time = Math.floor(Date.now() / 1000)
    const claims = { ...claimsOf(user), ...more, iat: time, exp: time + 30 * 24 * 60 * 60, jti: randomUUID() }
    const iv = nextIv()
    const cipher = createCipheriv('aes-256-cbc', encryptionKey, iv)
    const ciphertext = Buffer.concat([cipher.update(JSON.stringify(claims), 'utf8'), cipher.final()])
    const mac = createHmac('sha512', macKey).update(header).update(iv).update(ciphertext).update(headerBits).digest()
    const parts = [iv, ciphertext, mac.subarray(0, 32)].map((part) => part.toString('base64url'))
    return [header, '', ...parts].join('.')
  }
}

/** Initialization vectors, drawn many at a time: one by one they would take as long as the encryption. */
function ivSource(): () => Buffer {
  let drawn = Buffer.alloc(0)
  return () => {
    if (drawn.length === 0) drawn = randomBytes(16 * 1024)
    const iv = drawn.subarray(0, 16)
    drawn = drawn.subarray(16)
    return iv
  }
}

/** What a sign-in puts into a token. */
const claimsOf = (user: number) => ({
  name: `User ${user}`,
  email: emailOf(user),
  picture: `https://img.app.example/${user}.png`,
  sub: `00000000-0000-4000-8000-${String(user).padStart(12, '0')}`,
})

/** A `Cookie` header as browsers send it: the session among others. */
export const cookieHeader = (session: string): string => `${OTHERS}; ${SESSION_COOKIE}=${session}`

const OTHERS = [
  '_ga=GA1.1.1184772904.1763712345',
  'theme=dark',
  'locale=en-GB',
  `authjs.csrf-token=${'5f3a'.repeat(16)}%7C${'c81d'.repeat(16)}`,
  'authjs.callback-url=http%3A%2F%2F127.0.0.1%3A3000%2Fprivate',
].join('; ')
