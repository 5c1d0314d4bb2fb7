import { type AuthConfig, raw } from '../config/options.js'
import { resolveConfig } from '../config/resolve-config.js'
import { AuthError, withoutDetails } from '../errors.js'
import { incomingFromRequest } from '../http/incoming.js'
import { publicOrigin } from '../http/origin.js'
import { type ResponseInternal, toResponse } from '../http/response-internal.js'
import { completeLogger } from '../logger.js'
import { createEngine, type Engine } from './engine.js'
import { CONFIGURATION_MESSAGE } from './fail.js'

const engines = new WeakMap<AuthConfig, Engine>()

/**
 * The engine of a configuration, made once per object.
 *
 * @throws {AuthError} one error that lists everything that cannot work
 */
export function engineFor(options: AuthConfig): Engine {
  const known = engines.get(options)
  if (known) return known
  const engine = createEngine(resolveConfig(options))
  engines.set(options, engine)
  return engine
}

/**
 * Answers one request: the whole service as a function from a web `Request` to a web `Response`, for any framework.
 *
 * The mount is `config.basePath`, `/auth` by default. The public origin is `config.url` or `AUTH_URL`, else that of the request,
 * if `trustHost` says so.
 *
 * @returns a `Response`; or a {@link ResponseInternal} when `config.raw` is {@link raw}
 */
export function Auth(request: Request, config: AuthConfig & { raw: typeof raw }): Promise<ResponseInternal>
export function Auth(request: Request, config: Omit<AuthConfig, 'raw'>): Promise<Response>
export async function Auth(request: Request, config: AuthConfig): Promise<Response | ResponseInternal> {
  const answer = await answerFor(request, config)
  if (config.raw === raw) return answer
  return toResponse(request.method === 'HEAD' ? { ...answer, body: undefined } : answer)
}

async function answerFor(request: Request, config: AuthConfig): Promise<ResponseInternal> {
  let engine: Engine
  try {
    engine = engineFor(config)
  } catch (error) {
    return misconfigured(config, error)
  }
  const url = new URL(request.url)
  const protocol = url.protocol === 'https:' ? 'https' : 'http'
  const origin = publicOrigin({ protocol, host: url.host, proxyTrusted: false }, engine.config.origin)
  return engine.handle(incomingFromRequest(request), { origin, basePath: engine.config.basePath })
}

/** The answer to every request under a configuration that cannot work; why is in the log. */
export function misconfigured(config: Pick<AuthConfig, 'logger' | 'debug'>, error: unknown): ResponseInternal {
  const fault = error instanceof AuthError ? error : new AuthError('Something threw.', { err: withoutDetails(error) })
  completeLogger(config.logger, config.debug ?? false).error(fault)
  return {
    status: 500,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({ message: CONFIGURATION_MESSAGE }),
  }
}
