import type { ConfigSource } from '../../config/options.js'
import { keepOutOfSharedCaches } from '../../kernel/answer-headers.js'
import { type BodyFields, checkFields, NO_FIELDS } from '../../kernel/body.js'
import { isSafeMethod } from '../../kernel/csrf.js'
import { describeValue } from '../../kernel/describe-value.js'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { targetOf } from '../../kernel/node-request.js'
import { appendCookies } from '../../kernel/node-response.js'
import { object } from '../../kernel/object-shape.js'
import { parseReturnTarget } from '../../kernel/return-target.js'
import { anything, flag } from '../../kernel/shape.js'
import { signInPageUrl } from '../../pages/action-urls.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import type { Config } from '../../sign-in/config.js'
import { homeOf, mappedTarget } from '../../sign-in/find-return-target.js'
import type { Redirection } from '../../sign-in/outcome.js'
import { type AuthorizationParams, noProvider, refererOf, signInTarget } from '../../sign-in/sign-in-form.js'
import { askInPlaceOf, toSignInPage } from '../web/asked-sign-in.js'
import { engineOf, type MiddlewareRequest, type MiddlewareResponse, requireAwaited } from './middleware.js'
import { requireOrigin } from './public-origin.js'
import { forgetSession } from './request-session.js'
import {
  answerRoute,
  type OnFailure,
  type RouteRequest,
  routeRequestOf,
  sendRedirect,
  submitForm,
} from './submitted-form.js'

/** Where a link to the sign-in page leads. */
export interface SignInUrlOptions {
  /**
   * Where the visitor goes afterwards: a path or URL, which the `redirect` callback maps. By default, it is the page that
   * was asked for. A request that is not GET or HEAD leads to the public origin, because the browser cannot repeat it.
   */
  readonly redirectTo?: string | undefined
  /**
   * Id of a provider, for its own address under the mount. It shows the sign-in page, because a link must not begin a
   * sign-in.
   */
  readonly provider?: string | undefined
}

const SIGN_IN_URL = 'signInUrl(req, config, options)'

/** What a visitor may have sent is judged as theirs: a value that is no target counts as the origin. */
const SIGN_IN_URL_OPTIONS = object<SignInUrlOptions>({ redirectTo: anything, provider: anything })

/**
 * The URL of the sign-in page, which leads back afterwards: for a link in a page of the application. It is the URL to
 * which `requireAuth` redirects: `pages.signIn`, or else the page under `basePath`, with `callbackUrl`.
 *
 * @returns an absolute URL. In HTML, it must be escaped as any other text
 * @throws {RequestRefused} 404 when there is no such provider
 * @throws {InvalidConfiguration} when an option is unknown
 * @throws {AuthError} when the configuration cannot work, or the public origin is not known
 */
export async function signInUrl(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  options: SignInUrlOptions = {},
): Promise<string> {
  checkCallOptions(options, SIGN_IN_URL_OPTIONS, SIGN_IN_URL)
  const engine = await engineOf(req, config, SIGN_IN_URL)
  const origin = requireOrigin(req, engine.config)
  const { redirectTo, provider } = options
  if (provider !== undefined && !engine.config.providers.has(provider))
    throw noProvider(provider, engine.config.providers)
  const target =
    redirectTo === undefined
      ? askedFor(req, engine.config, origin)
      : await mappedTarget(redirectTo, engine.config, origin)
  return signInPageUrl(pageOf(engine.config, provider), target, origin)
}

/** Path or URL of the page to sign in at. */
const pageOf = ({ pages, basePath }: Config, provider?: string): string =>
  provider === undefined ? (pages.signIn ?? `${basePath}/signin`) : `${basePath}/signin/${encodeURIComponent(provider)}`

/** The page that was asked for, if it can be asked for again. */
function askedFor(req: MiddlewareRequest, config: Config, origin: string): string {
  return (
    (isSafeMethod(req) ? parseReturnTarget(config.strippedPrefix + targetOf(req), origin)?.href : undefined) ??
    homeOf(config, origin)
  )
}

/** How a route begins a sign-in. */
export interface StartSignInOptions {
  /**
   * Where the visitor goes in the end: a path or URL, which the `redirect` callback maps. By default, it is `callbackUrl` of
   * the query, as `requireAuth` writes it; else the page of this origin that the request came from; else `/`.
   */
  readonly redirectTo?: string | undefined
  /** Parameters of the authorization request. The provider's configuration goes before them. */
  readonly authorizationParams?: AuthorizationParams | undefined
  /**
   * What the form of the provider would hold, such as `req.body`: `email`, what `authorize` is given, or `remember`. A
   * field is there at most once.
   */
  readonly fields?: BodyFields | undefined
  /**
   * Whether a GET request from anywhere begins the sign-in: by a link of another site, a bookmark, or the redirect of a guard
   * after one of these. By default, such a visitor gets the sign-in page, where a button begins it. It counts for
   * providers of OAuth and OpenID Connect only. Do not set it if a visitor or a tenant chooses the provider.
   */
  readonly fromAnywhere?: boolean | undefined
}

const START_SIGN_IN = 'startSignIn(req, res, config, provider, options)'

const START_SIGN_IN_OPTIONS = object<StartSignInOptions>({
  redirectTo: anything,
  authorizationParams: anything,
  fields: anything,
  fromAnywhere: flag,
})

/**
 * Begins a sign-in from a route of the application, without a form of Latchkey, or, with a provider of credentials, does
 * it. It sends the answer: a redirect, with the cookies of the sign-in. If it throws, it sends nothing.
 *
 * A request that changes something, such as POST, must come from a page of this origin. The browser says so, and no CSRF
 * token is needed. A link begins a sign-in at a provider of OAuth or OpenID Connect only, and only if a page of this
 * origin has it; otherwise it leads to the sign-in page. A sign-in that a link began adds no account to the user who is
 * signed in.
 *
 * @param provider id; without one, as with an empty field of a form, the visitor is sent to the sign-in page
 * @throws {CredentialsSignin} when `authorize` accepts nobody
 * @throws {MissingCSRF} when a request that changes something may come from another site
 * @throws {RequestRefused} 404 when there is no such provider; 405 for GET with a provider of credentials or mailed links;
 *   400 for fields that are no form
 * @throws {InvalidConfiguration} when `provider` is no text, an option is unknown or of a wrong type, or a link would be sent to
 *   itself for ever
 * @throws {AuthError} when the sign-in fails otherwise, or the answer has been sent
 */
export async function startSignIn(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  config: ConfigSource<MiddlewareRequest>,
  provider?: string | null,
  options: StartSignInOptions = {},
): Promise<void> {
  checkProviderId(provider)
  checkCallOptions(options, START_SIGN_IN_OPTIONS, START_SIGN_IN)
  const engine = await engineOf(req, config, START_SIGN_IN)
  await answerRoute(req, res, engine, START_SIGN_IN, (request, onFailure) =>
    begin(request, provider, options, onFailure),
  )
}

/** The function or object of a provider is easily given in place of its id. */
function checkProviderId(provider: unknown): void {
  if (provider === undefined || provider === null || typeof provider === 'string') return
  throw new InvalidConfiguration(
    `The fourth argument is ${describeValue(provider)}; it must be the id of a provider, such as 'github'. Call it: ${START_SIGN_IN}.`,
  )
}

async function begin(
  request: RouteRequest,
  id: string | null | undefined,
  options: StartSignInOptions,
  onFailure: OnFailure,
): Promise<Redirection> {
  const { config } = request.engine
  const { redirectTo = defaultTarget(request) } = options
  if (!id) return toSignInPage(request, redirectTo)
  const provider = config.providers.get(id)
  if (!provider) throw noProvider(id, config.providers)
  const asking = await askInPlaceOf(request, provider, redirectTo, options)
  if (asking) return asking
  const fields = { ...checkFields(options.fields ?? NO_FIELDS, 'form'), callbackUrl: redirectTo }
  const target = signInTarget(config, { provider: id, authorizationParams: options.authorizationParams, fields })
  return submitForm(request, target, fields, { onFailure })
}

/** Where the visitor goes in the end if the route does not say it. */
function defaultTarget({ engine, incoming, origin }: RouteRequest): string {
  const { origins, strippedPrefix } = engine.config
  const named = parseReturnTarget(incoming.query.parameters.get('callbackUrl'), origin, origins)
  return named?.href ?? refererOf(incoming.header('referer'), origin, `${strippedPrefix}/`)
}

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

const SIGN_OUT = 'signOut(req, res, config, options)'

const SIGN_OUT_OPTIONS = object<SignOutOptions>({ redirectTo: anything, endSession: flag })

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
  checkCallOptions(options, SIGN_OUT_OPTIONS, SIGN_OUT)
  const engine = await engineOf(req, config, SIGN_OUT)
  requireAwaited(res, SIGN_OUT)
  const request = routeRequestOf(req, engine)
  const { endSession = false } = options
  const home = `${engine.config.strippedPrefix}/`
  const redirectTo = options.redirectTo ?? (endSession ? home : undefined)
  const isAnswered = redirectTo === undefined
  const wish = isAnswered ? { endSession: 'false' } : endSession ? { endSession: 'true' } : {}
  const target = `${engine.config.basePath}/signout`
  const redirection = await submitForm(request, target, { callbackUrl: redirectTo ?? home, ...wish })
  requireAwaited(res, SIGN_OUT)
  forgetSession(req, res, engine, request.origin)
  appendCookies(res, redirection.cookies)
  keepOutOfSharedCaches(res)
  if (!isAnswered) return sendRedirect(res, request, redirection)
  if (redirection.fault) throw redirection.fault
}
