import { hash, timingSafeEqual } from 'node:crypto'

/** SHA-256 of a text, in lower-case hex. */
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex')

/** SHA-256 of a text, in base64url. */
export const sha256Base64url = (text: string): string => hash('sha256', text, 'base64url')

/** Whether two texts are equal, in a time that does not tell how much of them is; only their lengths may be told. */
export function equalInConstantTime(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}
