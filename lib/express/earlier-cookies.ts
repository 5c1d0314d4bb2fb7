import type { Config } from '../config/config.js'
import type { CookieChange } from '../http/cookies.js'
import { removeCookies, setsCookies } from '../http/node-response.js'
import { parseCookies } from '../http/request-cookies.js'
import { isSessionCookie } from '../http/session-cookie.js'
import type { MiddlewareRequest, MiddlewareResponse } from './middleware.js'

/**
 * Takes the session cookies back that were added to an answer before, as `authSession` does when it renews the session. A
 * renewed cookie may be in other pieces than the cookie of the request, and a sign-out deletes the pieces of the request:
 * the others would sign the browser in again.
 *
 * @param origin the public origin
 */
export function takeBackSession(res: MiddlewareResponse, { schemeFor }: Config, origin: string): void {
  const { sessionToken } = schemeFor(origin).specs
  removeCookies(res, (name) => isSessionCookie(name, sessionToken))
}

/** As {@link takeBackSession}, if the changes of an answer begin a session or end the one of the request. */
export function takeBackReplaced(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  config: Config,
  origin: string,
  changes: readonly CookieChange[],
): void {
  if (!setsCookies(res)) return
  const { sessionToken } = config.schemeFor(origin).specs
  const own = changes.filter(({ name }) => isSessionCookie(name, sessionToken))
  const isDeleted = (name: string) => own.some((change) => change.name === name)
  const ofRequest = [...parseCookies(req.headers.cookie).keys()].filter((name) => isSessionCookie(name, sessionToken))
  // Pieces that are left over beside a whole cookie are deleted alone, and that ends no session.
  const replaces = own.some(({ value }) => value !== '') || (own.length > 0 && ofRequest.every(isDeleted))
  if (replaces) takeBackSession(res, config, origin)
}
