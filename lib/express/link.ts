import type { ConfigSource } from '../config/options.js'
import type { Redirection } from '../context/outcome.js'
import { mappedTarget } from '../context/return-target.js'
import type { Engine } from '../engine/engine.js'
import { isSafeMethod } from '../http/csrf.js'
import { linkPath } from '../http/link-page.js'
import { checkLinkOptions, type LinkOptions, linkFields, linkNeedsRequest, linkPagePath } from '../web/own-accounts.js'
import { noProvider, refererOf } from '../web/sign-in-form.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest, MiddlewareResponse } from './middleware.js'
import { requireOrigin } from './public-origin.js'
import { readSession } from './request-session.js'
import { answerRoute, type OnFailure, type RouteRequest, submitForm } from './submitted-form.js'

/**
 * The URL of the page where the signed-in user adds their account at a provider, or allows more there: for a link in a page
 * of the application. The page asks before anything happens.
 *
 * @returns an absolute URL. With a scope, it is good for an hour and for this user only
 * @throws {RequestRefused} 404 when there is no such provider; 401 when nobody is signed in, and there is a scope or no
 *   users are stored
 * @throws {InvalidConfiguration} when an option is unknown or of a wrong type
 * @throws {AuthError} when the configuration cannot work, or the public origin is not known
 */
export async function linkUrl(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  provider: string,
  options: LinkOptions = {},
): Promise<string> {
  const call = 'linkUrl(req, config, provider, options)'
  checkLinkOptions(options, call)
  const engine = await engineOf(req, config, call)
  const origin = requireOrigin(req, engine.config)
  return urlOf(req, engine, origin, provider, options)
}

/**
 * Begins to add an account of the signed-in user at a provider, from a route of the application. It sends the answer: a
 * redirect. If it throws, it sends nothing.
 *
 * A request that changes something, such as POST, must come from a page of this origin, and goes to the provider at once.
 * A link leads to the page that asks first. Nobody is signed in by it, and the session stays as it is.
 *
 * @param provider id
 * @throws {MissingCSRF} when a request that changes something may come from another site
 * @throws {RecentSignInRequired} when the user must sign in again first
 * @throws {AuthError} as {@link linkUrl}, or when the answer has been sent
 */
export async function startLink(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  config: ConfigSource<MiddlewareRequest>,
  provider: string,
  options: LinkOptions = {},
): Promise<void> {
  const call = 'startLink(req, res, config, provider, options)'
  checkLinkOptions(options, call)
  const engine = await engineOf(req, config, call)
  await answerRoute(req, res, engine, call, (request, onFailure) => begin(req, request, provider, options, onFailure))
}

async function begin(
  req: MiddlewareRequest,
  request: RouteRequest,
  provider: string,
  options: LinkOptions,
  onFailure: OnFailure,
): Promise<Redirection> {
  const { engine, incoming, origin } = request
  const { config } = engine
  if (!config.providers.has(provider)) throw noProvider(provider, config.providers)
  if (isSafeMethod(incoming)) return { url: await urlOf(req, engine, origin, provider, options), cookies: [] }
  const { scope } = options
  const returnTarget = await targetOf(req, engine, origin, options)
  const fields = await linkFields(config, await readSession(req, engine), provider, { scope, returnTarget })
  return submitForm(request, linkPath(config.basePath, provider), fields, { onFailure })
}

async function urlOf(
  req: MiddlewareRequest,
  engine: Engine,
  origin: string,
  provider: string,
  options: LinkOptions,
): Promise<string> {
  const returnTarget = await targetOf(req, engine, origin, options)
  const { scope } = options
  const owner = linkNeedsRequest(scope) ? await readSession(req, engine) : { userId: null }
  return new URL(await linkPagePath(engine.config, owner, provider, { scope, returnTarget }), origin).href
}

/** By default, the page of this origin that the request came from; else the start page. */
const targetOf = (
  req: MiddlewareRequest,
  { config }: Engine,
  origin: string,
  { redirectTo = refererOf(req.headers.referer, origin, `${config.strippedPrefix}/`) }: LinkOptions,
): Promise<string> => mappedTarget(redirectTo, config, origin)
