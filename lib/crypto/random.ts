import { randomFillSync, randomUUID } from 'node:crypto'

/** Random bytes in stock, since each call of the generator costs as much as two kilobytes of them. What was handed out is no longer in it. */
const stock = Buffer.alloc(4096)
let used = stock.length

/** New random bytes, which nobody else is handed. */
export function randomBytes(count: number): Buffer {
  if (count > stock.length) return randomFillSync(Buffer.alloc(count))
  if (used + count > stock.length) {
    randomFillSync(stock)
    used = 0
  }
  const taken = stock.subarray(used, used + count)
  const bytes = Buffer.from(taken)
  taken.fill(0)
  used += count
  return bytes
}

/** Text of `bytes` random bytes in base64url; 32 bytes give 43 characters, safe in cookies and URLs. */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url')

/** Text of `bytes` random bytes in lower-case hex; 32 bytes give 64 characters. */
export const randomHex = (bytes = 32): string => randomBytes(bytes).toString('hex')

/** A random UUID, version 4. */
export const randomId = (): string => randomUUID()
