import type { ConfigSource } from '../../config/options.js'
import { keepOutOfSharedCaches } from '../../kernel/answer-headers.js'
import { comesWithBearer } from '../../kernel/bearer-token.js'
import { isCrossSite } from '../../kernel/csrf.js'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { isFromFrontEnd } from '../../kernel/front-end-origins.js'
import { appendCookies } from '../../kernel/node-response.js'
import { parseCookies } from '../../kernel/request-cookies.js'
import {
  engineOf,
  type MiddlewareRequest,
  type MiddlewareResponse,
  prepareEngine,
  requireAwaited,
  runMiddleware,
} from './middleware.js'
import { requestContextOf, requireOrigin } from './public-origin.js'

/** What `cors` of npm does with one request. */
interface CorsAnswer {
  origin: string[]
  credentials: true
}

/** What `cors` of npm takes: it is asked for each request. */
export type CorsDelegate = (req: MiddlewareRequest, done: (error: Error | null, answer?: CorsAnswer) => void) => void

/**
 * Lets the pages of `origins` read the answers of routes of the application, with the cookies of the visitor, as they read
 * those of the mount: `app.use('/api', cors(corsOptions(config)))`, with `cors` of npm. It goes before the guard, because a
 * preflight has no cookies, and because a page shall be able to read that it was refused.
 *
 * CORS says who may read an answer. Whoever sends a request that changes something shows it with {@link verifyCsrfToken}.
 *
 * @throws {AuthError} when a configuration given as an object cannot work
 */
export function corsOptions(config: ConfigSource<MiddlewareRequest>): CorsDelegate {
  const prepared = prepareEngine(config, 'corsOptions(config)')
  return (req, done) => {
    const answer = (sender: string | undefined, isListed: boolean) =>
      // With an empty list and not with `false`, for which `cors` would leave out `Vary: Origin`.
      done(null, { origin: isListed && sender !== undefined ? [sender] : [], credentials: true })
    runMiddleware(
      () => (typeof prepared === 'function' ? prepared(req) : prepared),
      ({ config: { origins } }) => answer(req.headers.origin, origins?.has(req.headers.origin) ?? false),
      (error) => done(error as Error),
    )
  }
}

const CSRF_TOKEN = 'csrfToken(req, res, config)'

/**
 * The CSRF token of a browser, for forms of the application's own: those that post to Latchkey, as the field
 * `csrfToken`, and those that post to routes which ask {@link verifyCsrfToken}. The answer gets the cookie that goes
 * with it, so it must not have been sent yet.
 *
 * @returns an empty text when the protection is turned off
 * @throws {AuthError} when the answer has been sent; {@link InvalidConfiguration} when the call lacks it
 */
export async function csrfToken(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  config: ConfigSource<MiddlewareRequest>,
): Promise<string> {
  if (typeof (res as Partial<MiddlewareResponse> | undefined)?.setHeader !== 'function') {
    throw new InvalidConfiguration(
      `\`${CSRF_TOKEN}\` was called without the answer, which gets the cookie of the token. Write \`await csrfToken(req, res)\` with a function of defineAuth, else \`await ${CSRF_TOKEN}\`.`,
    )
  }
  const engine = await engineOf(req, config, CSRF_TOKEN)
  const { csrf, schemeFor } = engine.config
  if (!csrf) return ''
  const { specs } = schemeFor(requireOrigin(req, engine.config))
  const { token, cookies } = csrf.handOut(parseCookies(req.headers.cookie), specs.csrfToken)
  requireAwaited(res, CSRF_TOKEN)
  appendCookies(res, cookies)
  // The page that gets the token is this browser's alone, whether or not the cookie is new.
  keepOutOfSharedCaches(res)
  return token
}

/**
 * Whether a submitted token is that of the browser, and the browser does not say that another site sent the request. True
 * for a request with a bearer token, if the configuration accepts such tokens: its cookies do not count, and no browser
 * sends that header by itself.
 *
 * The result is a promise, and every promise counts as true: without `await`, `if (!verifyCsrfToken(…))` never refuses.
 *
 * @param submitted the form's `csrfToken`, whatever it is
 */
export async function verifyCsrfToken(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  submitted: unknown,
): Promise<boolean> {
  const call = 'verifyCsrfToken(req, config, submitted)'
  const engine = await engineOf(req, config, call)
  const { csrf, schemeFor } = engine.config
  if (!csrf) return true
  const request = requestContextOf(req, engine.config)
  const { origin } = request
  const header = (name: string) => request.header(name)
  if (comesWithBearer({ config: engine.config, header })) return true
  if (isCrossSite(header, origin) && !isFromFrontEnd(engine.config.origins, header, origin)) return false
  return csrf.verify(request.cookies, schemeFor(origin).specs.csrfToken, submitted)
}
