import { EXPIRY_TOLERANCE_SECONDS } from '../crypto/claims.js'
import type { SessionClaim } from '../crypto/session-claim.js'
import type { SessionJwtCodec } from '../crypto/session-jwt.js'

/** What a token says that was written a moment ago. */
export interface ReadBack {
  /** Undefined if the codec does not accept its own token. */
  readonly kept: SessionClaim | undefined
  /** Whether it expires later than it should, or never. */
  readonly isTooLong: boolean
}

/**
 * Reads a token that was just written: the codec of an application may lose the session claim, and write any expiry.
 *
 * @param expires when the token should expire, milliseconds since the epoch
 */
export async function readBack(codec: SessionJwtCodec, token: string, expires: number): Promise<ReadBack> {
  const written = await codec.decode(token)
  const exp = written?.claims.exp ?? Number.POSITIVE_INFINITY
  // The codec may take the time anew, a moment later.
  const latest = expires + EXPIRY_TOLERANCE_SECONDS * 1000
  // What is no number is too long, too.
  return { kept: written?.sessionClaim, isTooLong: !(exp * 1000 <= latest) }
}
