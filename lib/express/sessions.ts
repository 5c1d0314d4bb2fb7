import { checkTokenRequest } from '../config/check-call-options.js'
import type { AuthConfig, ConfigSource } from '../config/options.js'
import { checkSender } from '../context/csrf-token.js'
import { engineOfObject } from '../engine/engines.js'
import { InvalidConfiguration } from '../errors.js'
import { keepOutOfSharedCaches } from '../http/answer-headers.js'
import type { CookieChange } from '../http/cookies.js'
import { appendCookies } from '../http/node-response.js'
import { NodeRequestContext } from '../http/request-context.js'
import type { ListedSession } from '../sessions/listed-session.js'
import type { IssuedToken, TokenRequest } from '../sessions/session.js'
import {
  listOwnSessions,
  type OwnRequest,
  type RevocationOptions,
  revokeOwnOthers,
  revokeOwnSession,
} from '../web/own-sessions.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest } from './middleware.js'
import { requireOrigin, sentRequestOf } from './public-origin.js'
import { forgetSession, ownRequestOf } from './request-session.js'

/**
 * Where the signed-in user of a request is signed in: their sessions in all browsers and programs, the newest first.
 *
 * @throws {RequestRefused} 401 when nobody is signed in
 * @throws {AuthError} when the configuration keeps no list of sessions, or the store or the session fails
 */
export async function listSessions(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
): Promise<readonly ListedSession[]> {
  const call = 'listSessions(req, config)'
  const request = await ownRequestOf(req, config, call)
  return listOwnSessions(request)
}

/**
 * Ends one session of the signed-in user, such as one on a lost device. For a route that is not reached with GET. The request
 * must come from a page of this origin; the browser says so, and no CSRF token is needed. If it is the session of the request, the user is signed out here: the answer deletes the cookies, unless it has been sent.
 *
 * @param id as {@link listSessions} gives it; what a form brought can be handed on as it is
 * @returns false when the user has no such session: it has ended, it is that of another user, or there never was one
 * @throws {RequestRefused} 401 when nobody is signed in; 405 for GET and HEAD
 * @throws {RecentSignInRequired} when they must sign in again first, which is not asked for the session of the request
 * @throws {MissingCSRF} when the request may come from another site
 * @throws {SignOutError} when the store could not end the session of the request. The cookies are deleted, but a copy of them
 *   may still be good
 * @throws {AuthError} as {@link listSessions}
 */
export async function revokeSession(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  id: string,
  options: RevocationOptions = {},
): Promise<boolean> {
  const call = 'revokeSession(req, config, id, options)'
  const request = await ownRequestOf(req, config, call)
  checkSender(sentRequestOf(req, request.engine.config))
  const { isRevoked, cookies, fault } = await revokeOwnSession(request, id, options, call)
  // As it was read before: with a bearer token, there are no cookies to show that it was the session of the request.
  if (id === (await request.read()).id) signOutHere(req, request, cookies)
  if (fault) throw fault
  return isRevoked
}

function signOutHere(req: MiddlewareRequest, { engine, context }: OwnRequest, cookies: readonly CookieChange[]): void {
  const { res } = req
  forgetSession(req, res, engine, context.origin)
  if (!res || res.headersSent) return
  appendCookies(res, cookies)
  keepOutOfSharedCaches(res)
}

/**
 * Ends all sessions of the signed-in user but that of the request, as after a change of the password. For a route that is
 * not reached with GET.
 *
 * @returns how many sessions ended
 * @throws as {@link revokeSession}
 */
export async function revokeOtherSessions(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  options: RevocationOptions = {},
): Promise<number> {
  const call = 'revokeOtherSessions(req, config, options)'
  const request = await ownRequestOf(req, config, call)
  checkSender(sentRequestOf(req, request.engine.config))
  return revokeOwnOthers(request, options, call)
}

/**
 * Ends all sessions of a user, in every browser and program: for administrators, and for a user whose password was reset.
 * Nothing here asks who calls it.
 *
 * @param config the configuration itself, because there is no request that a function could choose one for
 * @param userId the id of the user, as in `session.user.id`
 * @returns how many sessions were known
 * @throws {InvalidConfiguration} when a function was given, or no id
 * @throws {AuthError} when the configuration cannot end sessions, or the store fails: then call it again
 */
export async function revokeAllSessions(config: AuthConfig, userId: string): Promise<number> {
  const call = 'revokeAllSessions(config, userId)'
  if (typeof config === 'function') throw new InvalidConfiguration(NO_FUNCTION)
  return engineOfObject(config, { call }).revokeAllSessions(userId)
}

const NO_FUNCTION =
  'revokeAllSessions(config, userId) has no request, so it needs the configuration itself and not a function that ' +
  'chooses one. Call it with the configuration of each tenant that the user belongs to.'

const ISSUE_TOKEN = 'issueToken(req, config, { maxAge })'

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
  const engine = await engineOf(req, config, ISSUE_TOKEN)
  checkSender(sentRequestOf(req, engine.config))
  checkTokenRequest(wanted, ISSUE_TOKEN)
  return engine.issueToken(new NodeRequestContext(req, requireOrigin(req, engine.config)), wanted)
}
