import { randomFillSync, randomInt, randomUUID } from 'node:crypto'

/**
 * Random bytes for later calls: one call of the generator takes as long as two kilobytes of random bytes. Bytes that were
 * returned are overwritten here.
 */
const pool = Buffer.alloc(4096)
let used = pool.length

/** New random bytes in a new buffer. */
export function randomBytes(count: number): Buffer {
  if (count > pool.length) return randomFillSync(Buffer.alloc(count))
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const taken = pool.subarray(used, used + count)
  const bytes = Buffer.from(taken)
  taken.fill(0)
  used += count
  return bytes
}

/** `bytes` random bytes in base64url; 32 bytes give 43 characters, which are safe in cookies and URLs. */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url')

/** `bytes` random bytes in lower-case hex; 32 bytes give 64 characters. */
export const randomHex = (bytes = 32): string => randomBytes(bytes).toString('hex')

/** A random text in the characters of an alphabet, each as likely as every other. */
export const randomText = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')

/** A random UUID, version 4. */
export const randomId = (): string => randomUUID()
