import { type AuthConfig, type ConfigSource, raw } from '../config/options.js'
import { type ResponseInternal, toResponse } from '../http/answer.js'
import { incomingFromRequest } from '../http/incoming.js'
import { publicOrigin } from '../http/origin.js'
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
