import type { JWT } from '../crypto/claims.js'
import { encryptClaims } from '../crypto/session-jwt.js'
import { describeValue, isRecord } from '../shapes/describe-value.js'
import { requireSalt, requireSecrets, type Secrets } from './codec-arguments.js'

/** Auth.js has the same default. */
const THIRTY_DAYS = 30 * 24 * 60 * 60

/** What {@link encode} is called with. */
export interface EncodeParams<Payload = JWT> {
  /** The claims; none by default. Their `iat`, `exp` and `jti` are replaced. */
  token?: Payload | undefined
  /** The secret of the application. Of a list, the first encrypts. */
  secret: Secrets
  /** Name of the session cookie. A token is accepted only in the cookie with this name. */
  salt: string
  /** Seconds until the token expires; 30 days by default. */
  maxAge?: number | undefined
}

/**
 * Makes a session token, in the format of Auth.js. The token gets no session claim of Latchkey. If `token` has one, as
 * {@link decode} gives it, the new token belongs to the same session.
 *
 * @throws {AuthError} if there is no secret, or a weak one in production
 * @throws {TypeError} if another argument cannot be used
 */
export async function encode<Payload = JWT>(params: EncodeParams<Payload>): Promise<string> {
  const { token = {}, secret, salt, maxAge = THIRTY_DAYS } = params
  const secrets = requireSecrets(secret, 'encode({ secret })')
  requireSalt(salt, 'encode({ salt })')
  if (!isRecord(token)) throw new TypeError(`encode({ token }) has ${describeValue(token)}. Give an object of claims.`)
  if (!Number.isFinite(maxAge)) {
    throw new TypeError(`encode({ maxAge }) has ${describeValue(maxAge)}. Give a number of seconds.`)
  }
  const issuedAt = Math.floor(Date.now() / 1000)
  return encryptClaims(secrets, salt, token as JWT, { issuedAt, expiresAt: issuedAt + maxAge })
}
