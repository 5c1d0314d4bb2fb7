import { generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import type { Claims } from './person.js'

/** A key of a provider. */
export interface SigningKey {
  readonly privateKey: KeyObject
  /** The public half, as the provider publishes it (RFC 7517). */
  readonly jwk: JsonWebKey
}

/** The algorithm of the keys (RFC 7518 §3.4). It is chosen for tests: such a key is made in a millisecond. */
export const ALGORITHM = 'ES256'
const KEY_ID = 'test-key'

/** Makes a key. All keys have the same id, so a signature of another key is wrong, and not only unknown. */
export function makeKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: ALGORITHM, use: 'sig' } }
}

/** A signed token with these claims (RFC 7515 §7.1). */
export function signToken(claims: Claims, { privateKey }: SigningKey): string {
  const signed = [{ alg: ALGORITHM, kid: KEY_ID, typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}
