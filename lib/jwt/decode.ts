import type { JWT } from '../crypto/claims.js'
import { withSessionClaim } from '../crypto/session-claim.js'
import { requireSalt, requireSecrets, type Secrets } from './codec-arguments.js'
import { readToken } from './read-token.js'

/** What {@link decode} is called with. */
export interface DecodeParams {
  /** The token. Without one, the result is null. */
  token?: string | null | undefined
  /** The secret of the application. Of a list, any secret may have made the token. */
  secret: Secrets
  /** Name of the cookie that has the token. */
  salt: string
}

/**
 * The claims of a session token of Latchkey or Auth.js. Null if the token was made with another secret or for another
 * cookie, is damaged, has expired, or if its session was signed out in this process.
 *
 * It does not know whether somebody has confirmed the address of the user since the sign-in: `getSession` refuses a token
 * that began before that.
 *
 * The claim `latchkey` stays in the result, so that `encode` of changed claims continues the same session. Do not send it
 * to browsers. {@link getToken} removes it.
 *
 * @throws {AuthError} if there is no secret, or a weak one in production
 */
export async function decode<Payload = JWT>(params: DecodeParams): Promise<Payload | null> {
  const { token, secret, salt } = params
  const secrets = requireSecrets(secret, 'decode({ secret })')
  requireSalt(salt, 'decode({ salt })')
  if (typeof token !== 'string' || token === '') return null
  const found = await readToken({ token, secrets, secret: [...secrets], salt, decode: undefined })
  if (found === null) return null
  return (found.hasSessionClaim ? withSessionClaim(found) : found.claims) as Payload
}
