import type { TLSSocket } from 'node:tls'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { headerOf } from '../../kernel/node-request.js'
import { noOrigin, type OriginFacts, publicOrigin } from '../../kernel/origin.js'
import type { Config } from '../../sign-in/config.js'
import type { SentRequest } from '../../sign-in/csrf-token.js'
import { trustedForwarded, warnAboutUntrusted } from './forwarded.js'
import type { MiddlewareRequest } from './middleware.js'

/**
 * The public origin of a request: `config.url` or `AUTH_URL`; or else the forwarded headers, if `trust proxy` of Express
 * trusts the proxies that sent them; or else the `Host` header, if the configuration trusts it.
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
  // If nothing was forwarded, and every `Host` is trusted, it makes no difference which proxies Express trusts.
  if (!isForwarded && config.origin.trustHost) return publicOrigin(direct, config.origin)
  const forwarded = trustedForwarded(req)
  if (!forwarded) {
    if (isForwarded) warnAboutUntrusted(req, direct, config)
    return publicOrigin(direct, config.origin)
  }
  const { protocol = direct.protocol, host = direct.host } = forwarded
  return publicOrigin(
    { protocol: protocol.toLowerCase() === 'https' ? 'https' : 'http', host, proxyTrusted: true },
    config.origin,
  )
}

const NO_REQUEST =
  'This is not a request of Express or Node, which has `headers` and `socket`. Give the request itself, as in getSession(req, config), and not its headers. For a web Request, use webAuth() of latchkey/web.'

/** HTTP/2 has a pseudo-header in place of `Host` (RFC 9113 §8.3.1). */
const authorityOf = (headers: MiddlewareRequest['headers']) => {
  const authority = headers[':authority']
  return typeof authority === 'string' ? authority : undefined
}

/**
 * The public origin of a request.
 *
 * @throws {AuthError} if the origin is unknown: the names of cookies depend on it
 * @throws {InvalidConfiguration} if it is no request of Node: nobody would be signed in, and nothing would say so
 */
export function requireOrigin(req: MiddlewareRequest, config: Config): string {
  const headers: unknown = (req as Partial<MiddlewareRequest> | null | undefined)?.headers
  if (typeof headers !== 'object' || headers === null || 'get' in headers) throw new InvalidConfiguration(NO_REQUEST)
  const origin = originOf(req, config)
  if (origin === null) throw noOrigin(config.origin)
  return origin
}

/**
 * A request of Express as the check of its sender takes it.
 *
 * @throws {AuthError} if the origin is unknown
 */
export const sentRequestOf = (req: MiddlewareRequest, config: Config): SentRequest => ({
  config,
  source: req,
  method: req.method,
  origin: requireOrigin(req, config),
  header: (name) => headerOf(req, name),
})
