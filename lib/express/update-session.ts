import type { ConfigSource } from '../config/options.js'
import { refuseForgeable } from '../context/csrf-token.js'
import { keepOutOfSharedCaches } from '../http/answer-headers.js'
import { appendCookies } from '../http/node-response.js'
import { NodeRequestContext } from '../http/request-context.js'
import type { CurrentSession } from '../sessions/session.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest, MiddlewareResponse } from './middleware.js'
import { requireOrigin } from './public-origin.js'
import { rememberSession } from './request-session.js'
import { requireAwaited } from './sent-answer.js'
import { sentRequestOf } from './sent-request.js'

const CALL = 'updateSession(req, res, config, data)'

/**
 * Changes the session of a request from a route of the application, as a client's `POST session` would: `data` reaches
 * the `jwt` callback as `session`, with the trigger `update`, or the `session` callback as `newSession`. What these
 * make of it is what the session becomes.
 *
 * The answer gets the renewed cookie, so it must not have been sent yet. Protect the route against forged requests,
 * with {@link csrfToken} for instance: this function refuses only what the browser says of other sites, and links.
 *
 * @returns the session as it is now, also in `res.locals.session`; null when nobody is signed in
 * @throws {RequestRefused} 405 for GET and HEAD
 * @throws {MissingCSRF} when the browser says that another site sent the request
 * @throws {AuthError} when the session cannot be read or written because of a fault, or when the answer has been sent
 */
export async function updateSession(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  config: ConfigSource<MiddlewareRequest>,
  data: unknown,
): Promise<CurrentSession | null> {
  const engine = await engineOf(req, config, CALL)
  // Before anything is changed, and again when the cookie is there.
  requireAwaited(res, CALL)
  refuseForgeable(sentRequestOf(req, engine.config))
  const lookup = await engine.updateSession(new NodeRequestContext(req, requireOrigin(req, engine.config)), data)
  requireAwaited(res, CALL)
  appendCookies(res, lookup.cookies)
  keepOutOfSharedCaches(res)
  rememberSession(req, engine, lookup)
  res.locals = Object.assign(res.locals ?? {}, { session: lookup.session })
  return lookup.session
}
