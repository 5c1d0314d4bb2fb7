import { newSessionClaim, type SessionToken } from '../crypto/session-claim.js'
import type { SessionJwtCodec } from '../crypto/session-jwt.js'
import { JWTSessionError } from '../errors.js'
import { readBack } from './read-back.js'
import type { IssuedToken } from './session.js'
import type { TokenBeginning } from './session-store.js'

/** Gives the function that issues encrypted tokens: each has the claims of the session in which it is issued. */
export function createTokenIssuer(codec: SessionJwtCodec) {
  return async (
    { claims: own, sessionClaim: { subject, unconfirmed } }: SessionToken,
    { claims = own, scope, issuedAt, expires }: TokenBeginning,
  ): Promise<IssuedToken> => {
    const sessionClaim = newSessionClaim({
      subject,
      // A program proves nothing about the person, so no rule about a recent sign-in lets it pass.
      authenticatedAt: null,
      kind: 'token',
      ...(unconfirmed !== undefined && { unconfirmed }),
      ...(scope !== null && { scope }),
    })
    const { id } = sessionClaim
    const content = { claims, sessionClaim }
    const token = await codec.encode(content, { issuedAt: issuedAt / 1000, expiresAt: expires / 1000 })
    const { kept, isTooLong } = await readBack(codec, token, expires)
    const isKept = kept?.kind === 'token' && kept.id === id && (kept.scope ?? null) === scope
    if (!isKept || isTooLong) throw new JWTSessionError(LOST_CLAIM)
    return { token, id, expires: new Date(expires) }
  }
}

/** Without the claim, the token would be that of a browser session, without a scope, whose id nobody knows. */
const LOST_CLAIM =
  'No token was issued: jwt.encode or jwt.decode of the application lost the claim `latchkey`, or wrote another `exp` than that of `maxAge`.'
