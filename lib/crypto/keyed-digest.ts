import { createHmac } from 'node:crypto'
import { deriveKey } from './keys.js'

/**
 * A digest that can be made and checked only with the secret: 64 characters of lower-case hex.
 *
 * @param purpose what the digest is for. The same texts have different digests for different purposes
 * @param texts a list of strings; two different lists never have the same input
 */
export function keyedDigest(secret: string, purpose: string, texts: readonly string[]): string {
  const { bytes } = deriveKey(secret, `latchkey:${purpose}`, 'A256GCM')
  return createHmac('sha256', bytes).update(JSON.stringify(texts)).digest('hex')
}
