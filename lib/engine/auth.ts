import { checkSource } from '../config/check-source.js'
import { type AuthConfig, type ConfigSource, raw } from '../config/options.js'
import { resolveConfig } from '../config/resolve-config.js'
import { InvalidConfiguration } from '../errors.js'
import { incomingFromRequest } from '../http/incoming.js'
import { publicOrigin } from '../http/origin.js'
import { type ResponseInternal, toResponse } from '../http/response-internal.js'
import { withLogContext } from '../logger.js'
import { createEngine, type Engine } from './engine.js'
import { misconfigured } from './misconfigured.js'

const engines = new WeakMap<AuthConfig, Engine>()

/**
 * The engine of a configuration, which is made once for each object.
 *
 * @param call the call that has the configuration as its argument, for an error: `requireAuth(config)`. Absent for a
 *   configuration that a function returned
 * @throws {AuthError} one error that lists everything that cannot work
 */
export function engineFor(options: AuthConfig, call?: string): Engine {
  const known = engines.get(options)
  if (known) return known
  if (call !== undefined) checkSource(options, call)
  if (typeof options !== 'object' || options === null) {
    throw new InvalidConfiguration(
      `The configuration is ${options === null ? 'null' : `of type ${typeof options}`}; it must be an object.`,
    )
  }
  const engine = createEngine(resolveConfig(options))
  engines.set(options, engine)
  return engine
}

/** If a function returns this many new objects in a row, it probably makes a configuration for each request. */
const FRESH_IN_A_ROW = 20
/** The most secrets whose objects are counted at the same time. */
const MAX_COUNTED = 1000

/**
 * By function and secret: how many new objects the function has returned since it last returned a known one. Null after the
 * warning was logged.
 */
const fresh = new WeakMap<object, Map<string, number> | null>()

/**
 * The engine of a configuration that a function returned.
 *
 * @param source the function
 * @throws {AuthError} as {@link engineFor}
 */
export function engineGiven(source: object, options: AuthConfig): Engine {
  const known = engines.get(options)
  if (known) {
    fresh.get(source)?.clear()
    return known
  }
  const engine = engineFor(options)
  countFresh(source, engine)
  return engine
}

function countFresh(source: object, { config: { secretDigest, logger } }: Engine): void {
  const counts = fresh.get(source) ?? (fresh.has(source) ? null : new Map<string, number>())
  if (!counts) return
  if (counts.size > MAX_COUNTED) counts.clear()
  const count = (counts.get(secretDigest) ?? 0) + 1
  counts.set(secretDigest, count)
  fresh.set(source, count < FRESH_IN_A_ROW ? counts : null)
  if (count < FRESH_IN_A_ROW) return
  logger.warn('fresh-configurations', {
    fix: 'Make the configuration once, outside of the function, for each tenant, and return that object.',
  })
}

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
    typeof source === 'function' ? engineGiven(source, config) : engineFor(config, 'Auth(request, config)')
  const answer = await withLogContext(request, () => answerFor(request, config, engineOf))
  // The function may have returned nothing. Then this is the answer to a configuration that cannot work.
  if (config?.raw === raw) return answer
  return toResponse(request.method === 'HEAD' ? { ...answer, body: undefined } : answer)
}

async function answerFor(request: Request, config: AuthConfig, engineOf: () => Engine): Promise<ResponseInternal> {
  const incoming = incomingFromRequest(request)
  let engine: Engine
  try {
    engine = engineOf()
  } catch (error) {
    return misconfigured(config, error, incoming)
  }
  const url = new URL(request.url)
  const protocol = url.protocol === 'https:' ? 'https' : 'http'
  const origin = publicOrigin({ protocol, host: url.host, proxyTrusted: false }, engine.config.origin)
  return engine.handle(incoming, { origin, basePath: engine.config.basePath })
}
