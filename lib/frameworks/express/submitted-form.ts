import type { Engine } from '../../engine/engine.js'
import { respond } from '../../engine/respond.js'
import type { SubmitOptions } from '../../engine/routes.js'
import type { BodyFields } from '../../kernel/body.js'
import { formInPlaceOf, type Incoming } from '../../kernel/incoming.js'
import { incomingFromNode } from '../../kernel/node-request.js'
import { appendCookies, writeResponse } from '../../kernel/node-response.js'
import type { Redirection } from '../../sign-in/outcome.js'
import { type MiddlewareRequest, type MiddlewareResponse, requireAwaited } from './middleware.js'
import { requireOrigin } from './public-origin.js'
import { takeBackReplaced } from './request-session.js'

/** A request to a route of the application that does what a form of the mount does. */
export interface RouteRequest {
  readonly engine: Engine
  readonly incoming: Incoming
  /** Public origin. */
  readonly origin: string
}

/**
 * The request of a route, with its public path and origin.
 *
 * @throws {AuthError} if the origin is unknown
 */
export function routeRequestOf(req: MiddlewareRequest, engine: Engine): RouteRequest {
  const origin = requireOrigin(req, engine.config)
  return { engine, incoming: incomingFromNode(req, engine.config.strippedPrefix), origin }
}

/**
 * Does what a form of the mount does when it is posted.
 *
 * @param target path and query of the form's address
 * @throws {AuthError} as {@link Engine.submit}
 */
export function submitForm(
  { engine, incoming, origin }: RouteRequest,
  target: string,
  fields: BodyFields,
  options: Pick<SubmitOptions, 'onFailure'> = {},
): Promise<Redirection> {
  const form = formInPlaceOf(incoming, target, fields)
  // A script that asks for JSON gets it from the route. The action itself shall redirect.
  const header = (name: string) => (name === 'x-auth-return-redirect' ? undefined : incoming.header(name))
  const { method } = incoming
  return engine.submit({ ...form, header }, { origin, basePath: engine.config.basePath }, { ...options, method })
}

/** Redirects the visitor as the mount does: a script that asks for it gets the URL as JSON. */
export async function sendRedirect(
  res: MiddlewareResponse,
  { engine: { config }, incoming }: RouteRequest,
  { url, cookies, fault }: Redirection,
): Promise<void> {
  writeResponse(
    res,
    await respond(
      { kind: 'redirect', to: url, cookies, ...(fault && { fault }) },
      { incoming, config, header: incoming.header, origin: null },
    ),
    incoming.method === 'HEAD',
  )
}

/** Gets the cookies of a failure, which the answer to it carries. */
export type OnFailure = NonNullable<SubmitOptions['onFailure']>

/**
 * Answers the request of a route with a redirect. If it throws, it sends nothing.
 *
 * @param call of the application, for the message of an error
 * @param begin what the route does
 */
export async function answerRoute(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  engine: Engine,
  call: string,
  begin: (request: RouteRequest, onFailure: OnFailure) => Promise<Redirection>,
): Promise<void> {
  requireAwaited(res, call)
  const request = routeRequestOf(req, engine)
  const onFailure: OnFailure = (cookies) => {
    if (!res.headersSent) appendCookies(res, cookies)
  }
  const redirection = await begin(request, onFailure)
  requireAwaited(res, call)
  takeBackReplaced(req, res, engine.config, request.origin, redirection.cookies)
  await sendRedirect(res, request, redirection)
}
