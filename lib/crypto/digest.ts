import { hash, timingSafeEqual } from 'node:crypto'

/** SHA-256 of a text, in lower-case hex. */
export const sha256Hex = (text: string): string => hash('sha256', text, 'hex')

/** SHA-256 of a text, in base64url. */
export const sha256Base64url = (text: string): string => hash('sha256', text, 'base64url')

/** Whether two strings are equal. The time that it takes reveals nothing about them, except whether they have one length. */
export function equalInConstantTime(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}
