import type { TLSSocket } from 'node:tls'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { isFirstTime, type LogSource, type WarningCode } from '../../kernel/logger.js'
import { headerOf } from '../../kernel/node-request.js'
import { noOrigin, type OriginFacts, publicOrigin } from '../../kernel/origin.js'
import { NodeRequestContext } from '../../kernel/request-context.js'
import type { Config } from '../../sign-in/config.js'
import type { SentRequest } from '../../sign-in/csrf-token.js'
import type { MiddlewareRequest } from './middleware.js'

/**
 * The public origin of a request: `config.url` or `AUTH_URL`; or else the forwarded headers, if `trust proxy` of Express
 * trusts the proxies that sent them; or else the `Host` header, if the configuration trusts it.
 */
export function originOf(req: MiddlewareRequest, config: Config, headers = req.headers): string | null {
  if (config.origin.url) return config.origin.url.origin
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
export const requireOrigin = (req: MiddlewareRequest, config: Config): string => requestContextOf(req, config).origin

/**
 * A request as sessions read it, with its public origin.
 *
 * @throws as {@link requireOrigin}
 */
export function requestContextOf(req: MiddlewareRequest, config: Config): NodeRequestContext {
  // Read once: V8 looks up members of the requests of Express slowly.
  const headers = (req as Partial<MiddlewareRequest> | null | undefined)?.headers
  if (typeof headers !== 'object' || headers === null || 'get' in headers) throw new InvalidConfiguration(NO_REQUEST)
  const origin = originOf(req, config, headers)
  if (origin === null) throw noOrigin(config.origin)
  return new NodeRequestContext(req, origin, headers)
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

/** Protocol and host of the request that the visitor sent, as the proxies before this server report them. */
interface Forwarded {
  readonly protocol: string | undefined
  readonly host: string | undefined
}

/**
 * The headers of the outermost proxy that `trust proxy` of Express trusts; null if it does not trust the peer of the
 * connection.
 *
 * Each proxy appends the address of its client to `X-Forwarded-For`. It appends to the headers of protocol and host as well,
 * or replaces them. So the lists are read from the right, one entry for each trusted proxy. The entries further to the left
 * came with the request, and anybody may have written them.
 */
function trustedForwarded(req: MiddlewareRequest): Forwarded | null {
  const hops = trustedHops(req)
  if (hops === 0) return null
  const added = (name: string) => {
    const entries = listOf(req.headers[name])
    return entries[Math.max(0, entries.length - hops)]
  }
  return { protocol: added('x-forwarded-proto'), host: added('x-forwarded-host') }
}

/** The number of trusted proxies between the visitor and this server. */
function trustedHops({ app, headers, socket }: MiddlewareRequest): number {
  const trusts = app?.get?.('trust proxy fn')
  if (typeof trusts !== 'function' || trusts(socket.remoteAddress, 0) !== true) return 0
  // Every address is trusted, so it is unknown which address is that of the visitor. Only the peer of the connection is
  // surely a proxy.
  if (app?.get?.('trust proxy') === true) return 1
  const senders = listOf(headers['x-forwarded-for']).reverse()
  let hops = 1
  // The leftmost address is that of the visitor, also if it is a trusted one.
  while (hops < senders.length && trusts(senders[hops - 1], hops) === true) hops += 1
  return hops
}

const listOf = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/**
 * Logs a warning if a request to the mount has headers of proxies that Latchkey does not read, and that would have changed
 * the public address. Visitors can send them too, so nothing but a warning follows from them.
 */
export function warnAboutUnsupported(req: MiddlewareRequest, config: Config): void {
  const { headers } = req
  if (headers['x-forwarded-prefix'] !== undefined && config.strippedPrefix === '') {
    warnOnce(req, config, 'forwarded-prefix-ignored', {
      fix: "If your proxy cuts a prefix off the path, set strippedPrefix to that prefix: strippedPrefix: '/app'.",
    })
  }
  if (headers.forwarded === undefined || headers['x-forwarded-proto'] !== undefined || config.origin.url !== null)
    return
  warnOnce(req, config, 'forwarded-headers-ignored', {
    headers: ['Forwarded'],
    fix: 'Latchkey and Express read X-Forwarded-Proto and X-Forwarded-Host. Let the proxy send these, or set AUTH_URL to the public URL.',
  })
}

/** Logs a warning if headers of a proxy that is not trusted would have changed the public origin. */
function warnAboutUntrusted(req: MiddlewareRequest, direct: Forwarded, config: Config): void {
  const { headers, app } = req
  const host = listOf(headers['x-forwarded-host']).at(-1)
  const ignored = [
    ...(direct.protocol === 'http' && /https/i.test(String(headers['x-forwarded-proto'])) ? ['X-Forwarded-Proto'] : []),
    ...(host !== undefined && host.toLowerCase() !== direct.host?.toLowerCase() ? ['X-Forwarded-Host'] : []),
  ]
  if (ignored.length === 0) return
  const cure = app
    ? "trust the proxy in Express with app.set('trust proxy', …), or set AUTH_URL to the public URL."
    : 'set AUTH_URL, or `url` in the configuration, to the public URL.'
  warnOnce(req, config, 'forwarded-headers-ignored', {
    headers: ignored,
    fix: `If a proxy sent them, cookies and links are made for ${addressOf(direct)}: ${cure}`,
  })
}

/** The address for a warning. A visitor can write anything into `Host`, and what is advice must not be theirs. */
const addressOf = ({ protocol, host = '' }: Forwarded): string =>
  /^[\w.:[\]-]{1,255}$/.test(host) ? `${protocol}://${host}` : `another address (${protocol})`

/** Logs a warning about a request, once for each configuration: otherwise visitors would decide how often it is logged. */
export function warnOnce(
  source: LogSource,
  config: Config,
  code: WarningCode,
  data: Readonly<Record<string, unknown>>,
): void {
  if (isFirstTime(config, code)) config.logger.warn(code, data, source)
}
