import { CompactEncrypt, EncryptJWT, type JWTPayload } from 'jose'
import type { JWT } from '../../lib/kernel/claims.js'
import { createJweDecrypter } from '../../lib/kernel/jwe.js'
import { type ContentEncryption, createKeyRing, deriveKey } from '../../lib/kernel/keys.js'
import type { SessionToken } from '../../lib/sessions/session-claim.js'
import { SECRET } from './app.js'
import { SESSION } from './test-app.js'

export interface ForgeOptions {
  readonly secret?: string
  readonly salt?: string
  readonly enc?: ContentEncryption
  /** Over the header that fits the key. */
  readonly header?: Record<string, unknown>
  readonly withKid?: boolean
}

/** The second after all tests. */
const FAR = Date.parse('2100-01-01T00:00:00Z') / 1000

/**
 * A token made by hand with the right key, so that every other part of it can be wrong. It has what every token has, unless a claim is given as
 * undefined.
 */
export function forge(
  claims: JWTPayload,
  { secret = SECRET, salt = SESSION, enc = 'A256CBC-HS512', header = {}, withKid = true }: ForgeOptions = {},
): Promise<string> {
  const key = deriveKey(secret, salt, enc)
  return new EncryptJWT({ iat: 1, exp: FAR, jti: crypto.randomUUID(), ...claims })
    .setProtectedHeader({ alg: 'dir', enc, ...(withKid && { kid: key.id }), ...header })
    .encrypt(key.bytes)
}

/** Bytes in place of claims, sealed with the right key. */
export function forgeBytes(text: string, salt = SESSION): Promise<string> {
  const key = deriveKey(SECRET, salt, 'A256CBC-HS512')
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: key.id })
    .encrypt(key.bytes)
}

/** What a codec of session tokens writes, with these claims. */
export const tokenWith = (claims: JWT): SessionToken => ({
  claims,
  sessionClaim: { id: 'a session', personDigest: null, authenticatedAt: null },
})

/** The claims of a session token, ours aside, whatever the time. */
export async function claimsOf(token: string, options: { secret?: string; salt?: string } = {}): Promise<JWT> {
  const { latchkey: _, ...claims } = await allClaimsOf(token, options)
  return claims
}

/** The claims of a session token, and ours, whatever the time. */
export async function allClaimsOf(token: string, { secret = SECRET, salt = SESSION } = {}): Promise<JWT> {
  const opened = createJweDecrypter(() => createKeyRing([secret], salt))(token)
  if (opened === null || opened === 'unknown') throw new Error('the token does not open')
  return JSON.parse(opened.plaintext)
}
