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

/**
 * A new random id, a UUID of version 8, that says when something began: 48 bits of time, 74 of chance.
 *
 * @param moment milliseconds since the epoch
 * @see RFC 9562 §5.8
 */
export function datedId(moment: number): string {
  const time = Math.floor(moment).toString(16).padStart(12, '0')
  const chance = randomId()
  return `${time.slice(0, 8)}-${time.slice(8)}-8${chance.slice(15)}`
}

/** The moment of a {@link datedId}, milliseconds since the epoch; null for any other text. */
export function momentOfId(id: string | undefined): number | null {
  if (id === undefined || id.length !== 36 || id[14] !== '8') return null
  let moment = 0
  // Read digit by digit, since that is asked at every request and makes no texts.
  for (let at = 0; at < 13; at += 1) {
    if (at === 8) continue
    const digit = hexDigit(id.charCodeAt(at))
    if (digit < 0) return null
    moment = moment * 16 + digit
  }
  return moment
}

/** What a lower-case hex digit stands for; -1 for any other character. */
function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  return code >= 97 && code <= 102 ? code - 87 : -1
}
