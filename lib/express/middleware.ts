import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { MaybePromise } from '../awaitable.js'
import type { Config } from '../config/config.js'
import { withoutDetails } from '../errors.js'
import { type NodeRequest, targetOf, withoutAuthority } from '../http/node-request.js'
import { type OriginFacts, publicOrigin } from '../http/origin.js'
import { trustedForwarded, warnOfIgnored } from './forwarded.js'

/** A request as Express or Connect hands it to a middleware; what only Express adds is optional. */
export interface MiddlewareRequest extends NodeRequest {
  params?: Record<string, string | string[] | undefined> | readonly string[]
  /** Express's application, whose `trust proxy` setting is read. */
  app?: { get?(setting: string): unknown }
}

/** An answer as Express or Connect hands it to a middleware. */
export interface MiddlewareResponse extends ServerResponse {
  locals?: Record<string, unknown>
}

/** Calls the next middleware, or the error handler. */
export type NextFunction = (error?: unknown) => void

/**
 * A middleware for Express 4, Express 5 and Connect. Its request names no `params` and no `body`, since Express would take their
 * types for the routes that stand behind it.
 */
export type Middleware = (req: IncomingMessage, res: MiddlewareResponse, next: NextFunction) => void

/**
 * What follows the only argument of a function: nothing. An error handler of Express takes anything first and a request second, and without this the
 * types would let the function through as one, uncalled.
 */
export type Nothing = readonly never[]

/**
 * Hands a failure to the error handler, as an `Error` whatever was thrown: `next(undefined)` and `next('route')` mean "go on" to
 * Express, and would open a guard.
 */
export const failTo = (next: NextFunction) => (error: unknown) =>
  next(error instanceof Error ? error : withoutDetails(error))

/**
 * Does the work of a middleware and goes on with what came of it, at once where nothing waits. A failure of the work goes to the error handler; what it
 * goes on with stands outside, since no failure of a route is the middleware's own.
 */
export function workThenGoOn<T>(
  work: () => MaybePromise<T>,
  goOn: (outcome: T) => void | Promise<void>,
  next: NextFunction,
): void {
  let outcome: MaybePromise<T>
  try {
    outcome = work()
  } catch (error) {
    failTo(next)(error)
    return
  }
  if (outcome instanceof Promise) outcome.then(goOn, failTo(next)).catch(failTo(next))
  else goOn(outcome)
}

/**
 * The public origin of a request: `config.url` or `AUTH_URL`; else the forwarded headers, as far as Express's `trust proxy` trusts who sent them;
 * else the `Host` header, where the configuration trusts it.
 */
export function originOf(req: MiddlewareRequest, config: Config): string | null {
  if (config.origin.url) return config.origin.url.origin
  const { headers } = req
  const direct: OriginFacts = {
    protocol: (req.socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http',
    host: headers.host ?? authorityOf(headers),
    proxyTrusted: false,
  }
  const isForwarded = headers['x-forwarded-proto'] !== undefined || headers['x-forwarded-host'] !== undefined
  // Where nothing was forwarded and anybody's `Host` is believed, it makes no difference whom Express trusts.
  if (!isForwarded && config.origin.trustHost) return publicOrigin(direct, config.origin)
  const forwarded = trustedForwarded(req)
  if (!forwarded) {
    if (isForwarded) warnOfIgnored(req, direct, config)
    return publicOrigin(direct, config.origin)
  }
  const { protocol = direct.protocol, host = direct.host } = forwarded
  return publicOrigin(
    { protocol: protocol.toLowerCase() === 'https' ? 'https' : 'http', host, proxyTrusted: true },
    config.origin,
  )
}

/** HTTP/2 has a pseudo-header in place of `Host` (RFC 9113 §8.3.1). */
const authorityOf = (headers: MiddlewareRequest['headers']) => {
  const authority = headers[':authority']
  return typeof authority === 'string' ? authority : undefined
}

/**
 * Path of the mount that a request came through, without a trailing slash; empty at the root.
 *
 * A mounted middleware sees `req.url` without the mount. A route with a wildcard (`/auth/*`, `/auth/*splat`) or a pattern sees
 * the whole path, and what the wildcard matched in `req.params`.
 */
export function mountPath(req: MiddlewareRequest): string {
  const path = pathOf(targetOf(req))
  // A wildcard may also stand before the mount, as in `/t/*tenant/auth`; then it is not what the path ends with.
  const below = [wildcardMatch(req.params), pathOf(withoutAuthority(req.url ?? '/'))].find(
    (end): end is string => end !== null && path.endsWith(end),
  )
  return path.slice(0, path.length - (below?.length ?? 0)).replace(/\/+$/, '')
}

const pathOf = (target: string) => target.split('?', 1)[0] ?? '/'

/** What the one wildcard of a route matched, or null when the route has none. */
function wildcardMatch(params: MiddlewareRequest['params']): string | null {
  for (const [name, value] of Object.entries(params ?? {})) {
    if (Array.isArray(value)) return value.join('/')
    if (/^\d+$/.test(name) && typeof value === 'string') return value
  }
  return null
}
