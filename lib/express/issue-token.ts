import { checkTokenRequest } from '../config/check-call-options.js'
import type { ConfigSource } from '../config/options.js'
import { checkSender } from '../context/csrf-token.js'
import { NodeRequestContext } from '../http/request-context.js'
import type { IssuedToken, TokenRequest } from '../sessions/session.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest } from './middleware.js'
import { requireOrigin } from './public-origin.js'
import { sentRequestOf } from './sent-request.js'

const CALL = 'issueToken(req, config, { maxAge })'

/**
 * Issues a token for a script or a mobile app of the signed-in user, which sends it as `Authorization: Bearer` (RFC 6750
 * §2.1). The token is a session of its own, with a fixed end. It can be listed and revoked, and is never a cookie.
 *
 * It is for a route that is not reached with GET. The request must come from a page of this origin; the browser says so, and
 * no CSRF token is needed. Show the token once: nothing keeps it.
 *
 * @throws {InvalidConfiguration} when `bearer: true` is missing, or an option is missing, unknown or of a wrong type
 * @throws {MissingAdapterMethods} when the adapter cannot keep such a session
 * @throws {RequestRefused} 401 when nobody is signed in; 403 when the request comes with a bearer token itself; 405 for GET
 *   and HEAD
 * @throws {MissingCSRF} when the request may come from another site
 * @throws {RecentSignInRequired} when the user signed in longer ago than `session.recentAuthAge`
 * @throws {AuthError} when the session or the store fails: then no token was issued
 */
export async function issueToken(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  wanted: TokenRequest,
): Promise<IssuedToken> {
  const engine = await engineOf(req, config, CALL)
  checkSender(sentRequestOf(req, engine.config))
  checkTokenRequest(wanted, CALL)
  return engine.issueToken(new NodeRequestContext(req, requireOrigin(req, engine.config)), wanted)
}
