import { type EnvVariables, readEnv } from '../config/env.js'
import { type AuthConfig, type ConfigSource, raw } from '../config/options.js'
import { type ResponseInternal, toResponse } from '../kernel/answer.js'
import { matchesHost } from '../kernel/host-patterns.js'
import { incomingFromRequest } from '../kernel/incoming.js'
import { completeLogger } from '../kernel/logger.js'
import { noOrigin, publicOrigin, unknownHost } from '../kernel/origin.js'
import { lastEntry, parseUrl } from '../kernel/urls.js'
import type { AuthAction } from './action-names.js'
import type { Engine } from './engine.js'
import { engineOfCall, engineOfResult } from './engines.js'

/**
 * Answers one request of the mount. It is all of Latchkey as a function from a web `Request` to a web `Response`, for use in
 * any framework.
 *
 * The mount is `config.basePath`, `/auth` by default. The public origin is `config.url` or `AUTH_URL`, else that of the
 * request, if `trustHost` says so.
 *
 * @param config the configuration, or a function that gives one for the request
 * @returns a `Response`; or a {@link ResponseInternal} when `config.raw` is {@link raw}
 */
export function Auth(request: Request, config: AuthConfig & { raw: typeof raw }): Promise<ResponseInternal>
export function Auth(request: Request, config: ConfigSource<Request>): Promise<Response>
export async function Auth(request: Request, source: ConfigSource<Request>): Promise<Response | ResponseInternal> {
  const config = typeof source === 'function' ? await source(request) : source
  const engineOf = () =>
    typeof source === 'function' ? engineOfResult(source, config) : engineOfCall(config, 'Auth(request, config)')
  const answer = await answerFor(request, config, engineOf)
  // The function may have returned nothing. Then this is the answer to a configuration that cannot work.
  if (config?.raw === raw) return answer
  return toResponse(request.method === 'HEAD' ? { ...answer, body: undefined } : answer)
}

async function answerFor(request: Request, config: AuthConfig, findEngine: () => Engine): Promise<ResponseInternal> {
  const incoming = incomingFromRequest(request)
  let engine: Engine
  try {
    engine = findEngine()
  } catch (error) {
    const { misconfigured } = await import('./misconfigured.js')
    return misconfigured(config, error, incoming)
  }
  const url = new URL(request.url)
  const protocol = url.protocol === 'https:' ? 'https' : 'http'
  const origin = publicOrigin({ protocol, host: url.host, proxyTrusted: false }, engine.config.origin)
  return engine.handle(incoming, { origin, basePath: engine.config.basePath })
}

/**
 * The URL of an action, for framework integrations: from `AUTH_URL` if set, else from `X-Forwarded-Host`/`Host` and
 * `X-Forwarded-Proto`/`protocol`. The integration must know that these headers can be trusted. If a header has several
 * values, the last one counts, which the nearest proxy added.
 *
 * @param protocol `http`, `https`, with or without a colon; `https` by default, as in Auth.js
 * @param envObject usually `process.env`
 * @throws {RequestRefused} 400 if `config.hosts` does not have the host in the headers, or it is no host
 */
export function createActionURL(
  action: AuthAction,
  protocol: string | undefined,
  headers: Headers,
  envObject: EnvVariables,
  config: Pick<AuthConfig, 'basePath' | 'logger' | 'hosts'>,
): URL {
  const { url: configured } = readEnv(envObject)
  const base = configured === undefined ? fromHeaders(protocol, headers, config.hosts) : new URL(configured)
  const path = base.pathname.replace(/\/+$/, '')
  if (path !== '' && config.basePath && config.basePath !== path) {
    completeLogger(config.logger, false).warn('env-url-basepath-mismatch')
  }
  return new URL(`${(config.basePath ?? path).replace(/\/+$/, '')}/${action}`, base.origin)
}

function fromHeaders(protocol: string | undefined, headers: Headers, hosts: readonly string[] | undefined): URL {
  const host = lastEntry(headers.get('x-forwarded-host')) ?? headers.get('host') ?? 'localhost'
  if (hosts && !matchesHost(host, [...hosts])) {
    throw unknownHost()
  }
  const scheme = lastEntry(headers.get('x-forwarded-proto')) ?? (protocol || 'https')
  const url = /[/?#\\@]/.test(host) ? null : parseUrl(`${scheme.replace(/:$/, '')}://${host}`)
  if (url === null) throw noOrigin({ url: null, trustHost: true, hosts: null })
  return url
}
