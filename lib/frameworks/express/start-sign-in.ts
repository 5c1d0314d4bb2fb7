import type { ConfigSource } from '../../config/options.js'
import { type BodyFields, checkFields, NO_FIELDS } from '../../kernel/body.js'
import { describeValue } from '../../kernel/describe-value.js'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import { parseReturnTarget } from '../../kernel/return-target.js'
import { anything, flag } from '../../kernel/shape.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import type { Redirection } from '../../sign-in/outcome.js'
import { type AuthorizationParams, noProvider, refererOf, signInTarget } from '../../sign-in/sign-in-form.js'
import { askInPlaceOf, toSignInPage } from '../web/asked-sign-in.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest, MiddlewareResponse } from './middleware.js'
import { answerRoute, type OnFailure, type RouteRequest, submitForm } from './submitted-form.js'

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

const CALL = 'startSignIn(req, res, config, provider, options)'

const OPTIONS = object<StartSignInOptions>({
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
 * @throws {InvalidConfiguration} when `provider` is no text, an option is unknown or of a wrong type, or a link would be sent to itself for ever
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
  checkCallOptions(options, OPTIONS, CALL)
  const engine = await engineOf(req, config, CALL)
  await answerRoute(req, res, engine, CALL, (request, onFailure) => begin(request, provider, options, onFailure))
}

/** The function or object of a provider is easily given in place of its id. */
function checkProviderId(provider: unknown): void {
  if (provider === undefined || provider === null || typeof provider === 'string') return
  throw new InvalidConfiguration(
    `The fourth argument is ${describeValue(provider)}; it must be the id of a provider, such as 'github'. Call it: ${CALL}.`,
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
  const target = signInTarget(config, { provider: id, authorizationParams: options.authorizationParams })
  return submitForm(request, target, fields, { onFailure })
}

/** Where the visitor goes in the end if the route does not say it. */
function defaultTarget({ engine, incoming, origin }: RouteRequest): string {
  const { origins, strippedPrefix } = engine.config
  const named = parseReturnTarget(incoming.query.parameters.get('callbackUrl'), origin, origins)
  return named?.href ?? refererOf(incoming.header('referer'), origin, `${strippedPrefix}/`)
}
