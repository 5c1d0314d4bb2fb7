import { createHash, hash, timingSafeEqual } from 'node:crypto'

/** SHA-256 of a text, in lower-case hex. */
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex')

/** SHA-256 of a text, in base64url. */
export const sha256Base64url = (text: string): string => hash('sha256', text, 'base64url')

/** Whether two texts are equal, in a time that does not tell how much of them is. */
export function equalInConstantTime(left: string, right: string): boolean {
  // Hashing first gives both sides one length, which timingSafeEqual demands, without telling the length of either.
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}
