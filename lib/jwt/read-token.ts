import { type CustomCodecFunctions, createCustomCodec } from '../crypto/custom-codec.js'
import { processClock } from '../crypto/memory-by-secret.js'
import type { DecodedSessionToken } from '../crypto/session-claim.js'
import { createSessionJwtCodec } from '../crypto/session-jwt.js'
import { JWTSessionError, withoutDetails } from '../errors.js'
import { revokedTokensOf } from '../sessions/revoked-tokens.js'

const THIRTY_DAYS = 30 * 24 * 60 * 60

/** A token, and what is needed to read it. */
interface TokenToRead {
  readonly token: string
  readonly secrets: readonly string[]
  /** The secrets as the application gave them, for its own `decode`. */
  readonly secret: string | string[]
  readonly salt: string
  readonly decode: CustomCodecFunctions['decode']
}

/**
 * Reads a session token. Gives null for every token that is not valid, and for a token whose session was signed out in
 * this process.
 *
 * @throws {JWTSessionError} if `decode` of the application fails: then it is unknown whether the token is valid
 */
export async function readToken(given: TokenToRead): Promise<DecodedSessionToken | null> {
  const { token, secrets, secret, salt, decode } = given
  // The list of sign-outs belongs to this function of the clock.
  const now = processClock
  const builtIn = createSessionJwtCodec(secrets, salt, now, 0)
  const settings = { secret, salt, maxAge: THIRTY_DAYS, now, onFirst: () => {} }
  const codec = createCustomCodec(decode ? { decode } : {}, builtIn, settings)
  let found: DecodedSessionToken | null
  try {
    found = await codec.decode(token)
  } catch (error) {
    throw new JWTSessionError('Could not read a session token.', { err: withoutDetails(error) })
  }
  // Tokens for programs may be restricted to a scope, which the caller would not learn. `getSession` has them.
  if (found?.sessionClaim.kind === 'token') return null
  // This only reads the list, so nothing is forgotten.
  const revoked = revokedTokensOf(secrets, now, () => {})
  return found === null || revoked.has(found.sessionClaim) ? null : found
}
