import type { ConfigSource } from '../config/options.js'
import type { JWT } from '../crypto/claims.js'
import type { Engine } from '../engine/engine.js'
import { InvalidConfiguration } from '../errors.js'
import { engineOf } from '../express/engine-of.js'
import type { MiddlewareRequest } from '../express/middleware.js'
import { requireOrigin } from '../express/public-origin.js'
import { OpenConnectionContext, type RequestContext } from '../http/request-context.js'
import { isAbsoluteUrl } from '../shapes/urls.js'
import { webContext } from '../web/web-request.js'
import { headersOf, type RequestWithHeaders, requireHeaders } from './request-headers.js'

/**
 * The claims of the session of a request. The session is read as by `getSession`, but a second call reads it again: the
 * request of a socket lives as long as the socket, and the session may end before that.
 */
export async function claimsOfSession<Req extends RequestWithHeaders>(
  req: Req,
  config: ConfigSource<Req>,
): Promise<JWT | null> {
  const call = 'getToken(req, config)'
  requireHeaders(req, call)
  const engine = await engineOf(req, config, call)
  const request = contextOf(req, engine)
  if (engine.config.schemeFor(request.origin).sessions.name !== 'jwt') throw new InvalidConfiguration(NO_TOKENS)
  const { message } = await engine.readSession(request)
  if (!message?.token) return null
  // The `jwt` callback may give a claim with this name, which is not that of Latchkey.
  const { latchkey: _, ...claims } = message.token
  return claims
}

const NO_TOKENS =
  'getToken(req, config) reads session tokens, but this configuration keeps sessions in a store, so there are no tokens. ' +
  "Call getSession(req, config), or set session.strategy to 'jwt'."

/**
 * A request of Node has a socket. Every other request is known by its headers alone. It may be an old request: that of a
 * socket, for example.
 */
function contextOf(
  req: RequestWithHeaders & { readonly url?: unknown; readonly signal?: unknown },
  engine: Engine,
): RequestContext {
  const { config } = engine
  if (isNodeRequest(req)) return new OpenConnectionContext(req, requireOrigin(req, config))
  const { url, signal } = req
  const head = {
    headers: headersOf(req),
    ...(typeof url === 'string' && isAbsoluteUrl(url) && { url }),
    ...(signal instanceof AbortSignal && { signal }),
  }
  return { ...webContext(head, {}, config), isOpenConnection: true, source: req }
}

const isNodeRequest = (req: object): req is MiddlewareRequest =>
  'socket' in req && typeof req.socket === 'object' && req.socket !== null
