import { createHmac } from 'node:crypto'
import { deriveKey } from './keys.js'

/**
 * A digest that nobody without the secret can make or check, in lower-case hex; 64 characters.
 *
 * @param purpose what it is for: digests of the same texts for two purposes have nothing in common
 * @param texts are told apart whatever they hold
 */
export function keyedDigest(secret: string, purpose: string, texts: readonly string[]): string {
  const { bytes } = deriveKey(secret, `latchkey:${purpose}`, 'A256GCM')
  return createHmac('sha256', bytes).update(JSON.stringify(texts)).digest('hex')
}
