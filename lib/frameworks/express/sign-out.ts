import type { ConfigSource } from '../../config/options.js'
import { keepOutOfSharedCaches } from '../../kernel/answer-headers.js'
import { appendCookies } from '../../kernel/node-response.js'
import { object } from '../../kernel/object-shape.js'
import { anything, flag } from '../../kernel/shape.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import { engineOf } from './engine-of.js'
import { type MiddlewareRequest, type MiddlewareResponse, requireAwaited } from './middleware.js'
import { forgetSession } from './request-session.js'
import { routeRequestOf, sendRedirect, submitForm } from './submitted-form.js'

/** What follows a sign-out. */
export interface SignOutOptions {
  /**
   * Where the visitor goes: a path or URL, which the `redirect` callback maps. Then the answer is sent. Without it, the
   * route answers.
   */
  readonly redirectTo?: string | undefined
  /**
   * Whether the visitor also signs out at the provider where the session began, if its option `endSession` is set. Then the
   * answer is sent, and the visitor comes back to `redirectTo`, or to `/`.
   */
  readonly endSession?: boolean | undefined
}

const CALL = 'signOut(req, res, config, options)'

const OPTIONS = object<SignOutOptions>({ redirectTo: anything, endSession: flag })

/**
 * Ends the session of a request from a route of the application, as the form of the sign-out page does, and deletes its
 * cookies. From then on, nobody is signed in for this request: `getSession` gives null, and so does `res.locals.session`.
 *
 * It is for a route that is not reached with GET: browsers fetch links ahead, and visitors can write links. The request
 * must come from a page of this origin; the browser says so, and no CSRF token is needed.
 *
 * @throws {RequestRefused} 405 for GET and HEAD
 * @throws {MissingCSRF} when the request may come from another site
 * @throws {SignOutError} when the store could not end the session. The cookies are deleted, but a copy of them may still be
 *   good. With `redirectTo`, the visitor is sent to the page that says so instead, and a script gets 503
 * @throws {InvalidConfiguration} when an option is unknown
 * @throws {AuthError} when the answer has been sent
 */
export async function signOut(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  config: ConfigSource<MiddlewareRequest>,
  options: SignOutOptions = {},
): Promise<void> {
  checkCallOptions(options, OPTIONS, CALL)
  const engine = await engineOf(req, config, CALL)
  requireAwaited(res, CALL)
  const request = routeRequestOf(req, engine)
  const { endSession = false } = options
  const home = `${engine.config.strippedPrefix}/`
  const redirectTo = options.redirectTo ?? (endSession ? home : undefined)
  const isAnswered = redirectTo === undefined
  const wish = isAnswered ? { endSession: 'false' } : endSession ? { endSession: 'true' } : {}
  const target = `${engine.config.basePath}/signout`
  const redirection = await submitForm(request, target, { callbackUrl: redirectTo ?? home, ...wish })
  requireAwaited(res, CALL)
  forgetSession(req, res, engine, request.origin)
  appendCookies(res, redirection.cookies)
  keepOutOfSharedCaches(res)
  if (!isAnswered) return sendRedirect(res, request, redirection)
  if (redirection.fault) throw redirection.fault
}
