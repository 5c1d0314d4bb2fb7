import { randomBytes, randomUUID } from 'node:crypto'

/** Text of `bytes` random bytes in base64url; 32 bytes give 43 characters, safe in cookies and URLs. */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url')

/** Text of `bytes` random bytes in lower-case hex; 32 bytes give 64 characters. */
export const randomHex = (bytes = 32): string => randomBytes(bytes).toString('hex')

/** A random UUID, version 4. */
export const randomId = (): string => randomUUID()
