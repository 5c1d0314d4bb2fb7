import { bearerCredentialOf } from '../kernel/bearer-token.js'
import type { Config } from './config.js'

/** A request, as far as its bearer token is concerned. */
interface BearerAware {
  readonly config: Pick<Config, 'acceptsBearer'>
  header(name: string): string | undefined
}

/**
 * Whether a request comes with a bearer token, good or bad, and the configuration accepts such tokens. Then its cookies do
 * not count. A browser never sends this header by itself, and no page of another origin can make it send the header: that
 * takes permission of this server (Fetch §3.2.2, CORS), which Latchkey never gives. So no CSRF token is needed.
 */
export const comesWithBearer = (request: BearerAware): boolean =>
  bearerCredentialOf(request.config.acceptsBearer, (name) => request.header(name)) !== undefined

/** RFC 6750 §3: a challenge has one parameter at least. */
const CHALLENGE = 'Bearer realm="session"'

/**
 * Value of the header `WWW-Authenticate`, without an error code if the request has no token (RFC 6750 §3.1).
 *
 * @param error what is wrong with the token: a code, and parameters after it
 */
export const bearerChallenge = (request: BearerAware, error = 'error="invalid_token"'): string =>
  comesWithBearer(request) ? `${CHALLENGE}, ${error}` : CHALLENGE
